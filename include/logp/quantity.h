/* SPDX-License-Identifier: MIT */
/**
 * @file quantity.h
 * Numbers and times as people write them, exactly: "0.1us" is 100 ns. Options of the command and
 * files of machines are read so. All functions are pure and may be called from any thread.
 */
#ifndef LOGP_QUANTITY_H
#define LOGP_QUANTITY_H

#include <logp/defs.h>

LOGP_BEGIN_DECLS

/**
 * digits [. digits] [e digits]: the number is *mantissa / *power.
 * @param mantissa  out: >= 0
 * @param power     out: of ten, >= 1
 * @return behind it; NULL: there is no number, or one that is too large
 */
LOGP_API const char *logp_decimal_parse(const char *text, int64_t *mantissa, int64_t *power);

/**
 * "1.5", "250ns", "10us", "2ms", "1s", "80ps" in picoseconds; a plain number counts unit_ps.
 * @param ps  out
 * @return false: no quantity, negative, not whole picoseconds, or too large; a plain number where
 *         unit_ps is 0
 */
LOGP_API bool logp_time_parse(const char *text, int64_t unit_ps, int64_t *ps);

LOGP_END_DECLS

#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file quantity.h
 * Parse decimal numbers and times exactly: "0.1us" is 100 ns. The options of the command and
 * machine files use these functions. Stable from 1.0 on. All functions are pure; any thread may
 * call them.
 */
#ifndef LOGP_QUANTITY_H
#define LOGP_QUANTITY_H

#include <logp/defs.h>

LOGP_BEGIN_DECLS

/**
 * Parse "digits [. digits] [e digits]"; the number is *mantissa / *power.
 * @param mantissa  out: >= 0
 * @param power     out: a power of ten, >= 1
 * @return the first character after the number; NULL: there is no number, or it is too large
 */
LOGP_API const char *logp_decimal_parse(const char *text, int64_t *mantissa, int64_t *power);

/**
 * Parse a time: "250ns", "10us" (also with a micro sign in UTF-8), "2ms", "1s", "80ps"; a plain number ("1.5") counts unit_ps.
 * @param unit_ps  picoseconds of a plain number; 0: a suffix is required
 * @param ps       out: picoseconds
 * @return false: not a time, negative, not a whole number of picoseconds, too large, or a plain
 *         number where unit_ps is 0
 */
LOGP_API bool logp_time_parse(const char *text, int64_t unit_ps, int64_t *ps);

/**
 * Parse the time of a byte: a time as above, or a rate: "10GB/s" is 100 ps, to the nearest picosecond. B/s, kB/s, MB/s,
 * GB/s and TB/s count in powers of 1000.
 * @return false: neither, or a byte takes less than half a picosecond; *ps may have been written
 */
LOGP_API bool logp_byte_time_parse(const char *text, int64_t unit_ps, int64_t *ps);

LOGP_END_DECLS

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Pauses between two steps, at the places where a step of another thread may come between them: the
 * hand-overs of messages, exposed buffers, bells and cores. With -DLOGP_PAUSES=ON each place stops
 * now and then for a random time, from a few instructions to a time slice, so that rare orders of
 * events happen. Otherwise lpi_pause() does nothing.
 */
#ifndef LPI_PAUSE_H
#define LPI_PAUSE_H

#ifdef LOGP_PAUSES
void lpi_pause(void);
#else
static inline void lpi_pause(void)
{
}
#endif

#endif

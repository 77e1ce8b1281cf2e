/* SPDX-License-Identifier: MIT */
/*
 * Pauses between two steps that another thread could come between: where a message, an offer, a
 * bell or a core is handed over. Built with -DLOGP_PAUSES=ON each of these places stops now and
 * then for a random while, from a few instructions to a time slice, so that orders of events that
 * hardly ever happen do. Otherwise they are nothing.
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

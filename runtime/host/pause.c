/* SPDX-License-Identifier: MIT */
/* Random pauses: see host.h. Built only with LOGP_PAUSES. */
#include "host/host.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

enum { MEAN_PLACES = 64 }; /* from one pause to the next */

static _Thread_local uint64_t random_state;
static _Thread_local unsigned places_left;

static void spin(uint64_t turns)
{
    for (volatile uint64_t i = 0; i < turns; i++)
        ;
}

/* Mostly as long as a few steps of another core, rarely as long as the kernel may preempt one. */
static void stop_for_a_while(uint64_t r)
{
    const struct timespec moment = {.tv_nsec = 1};

    if (r % 4096 == 0)
        nanosleep(&moment, NULL); /* some 60 us */
    else if (r % 64 == 0)
        sched_yield();
    else
        spin((r >> 16) % (r % 8 == 0 ? 2048 : 64));
}

void lpi_pause(void)
{
    if (places_left-- > 0)
        return;
    if (random_state == 0) /* threads differ */
        random_state = (uint64_t)(uintptr_t)&random_state * UINT64_C(0x9e3779b97f4a7c15) | 1;
    random_state ^= random_state >> 12; /* xorshift64 */
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    places_left = (unsigned)(random_state >> 40) % (2 * MEAN_PLACES);
    stop_for_a_while(random_state);
}

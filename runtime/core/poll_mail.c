/* SPDX-License-Identifier: MIT */
/* Poll for all that a core must notice: mail, a common start, requests for the core, words,
 * space. */

#include "core/core.h"
#include "mail/mail.h"

void lpi_poll_mail(struct lpi_core *c)
{
    unsigned attention;

    lpi_poll(c);
    /* acquire pairs with the releases in attend() (sync_start and base_ns are visible) and in
     * lpi_core_request() */
    attention = atomic_load_explicit(&c->attention, memory_order_acquire);
    if (attention & LPI_ATT_SYNC)
        lpi_release_sync(c);
    if (attention & LPI_ATT_REACQUIRE)
        lpi_core_take_requests(c);
    if (c->run_queue.word_wait_first != NULL)
        lpi_word_wait_poll(c);
    if (c->space.first != NULL)
        lpi_space_poll(c);
}

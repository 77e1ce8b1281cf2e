/* SPDX-License-Identifier: MIT */
/* A board that the members of a group share: see board.h. */
#include "board.h"

#include <errno.h>
#include <sched.h>

static const char key; /* its address */

const char *lpi_shared_needs(int64_t P, const struct logp_invocation *c)
{
    if (!c->model.undelayed)
        return "delay none on the wall clock";
    return P > LPI_BOARD_P ? "at most 1024 processors" : NULL;
}

int lpi_board_begin(struct lpi_board *b, struct logp_vp *vp, enum lpi_subject subject,
                    size_t n_bytes)
{
    const int P = logp_vp_size(vp);
    void *memory;
    const int rc =
        logp_shared(vp, &key, sizeof(*b->memory) + (size_t)P * sizeof(*b->mine), &memory);

    if (rc != 0)
        return rc;
    b->vp = vp;
    b->memory = memory;
    b->me = logp_vp_rank(vp);
    b->P = P;
    b->mine = &b->memory->members[b->me];
    b->agreed = (unsigned)subject << 10 | (unsigned)n_bytes;
    b->is_long = n_bytes > LPI_SHORT;
    lpi_board_next(b);
    return 0;
}

void lpi_board_next(struct lpi_board *b)
{
    b->n = ++b->mine->n;
}

static int await_word(struct lpi_board *b, int rank, const uint64_t *word, uint64_t value)
{
    if (logp_shared_get(word) >= value)
        return 0;
    if (logp_shared_get(&b->mine->ended) < b->n - 1)
        logp_shared_set(&b->mine->ended, b->n - 1);
    return logp_shared_wait(b->vp, word, value, rank);
}

/* All but this member have ended operation n. *least: the one that all have ended, by then */
static int await_ends(struct lpi_board *b, uint64_t n, uint64_t *least)
{
    int rc = 0;

    *least = b->n;
    for (int k = 1; k < b->P && rc == 0; k++) {
        const int rank = (b->me + k) % b->P;
        const uint64_t *ended = &b->memory->members[rank].ended;
        uint64_t at;

        rc = await_word(b, rank, ended, n);
        at = logp_shared_get(ended);
        *least = at < *least ? at : *least;
    }
    return rc;
}

int lpi_board_await_free(struct lpi_board *b)
{
    const uint64_t places = b->is_long ? LPI_LONGS : LPI_SHORTS;

    return await_ends(b, b->n - places / 2, &b->mine->all_ended);
}

int lpi_board_end_all(struct lpi_board *b)
{
    lpi_board_end_now(b);
    return await_ends(b, b->n, &b->mine->all_ended);
}

int lpi_board_see(struct lpi_board *b, int rank, const void **item)
{
    const char *place = lpi_board_place(b, rank);
    const uint64_t *shows = (const uint64_t *)place;
    int rc = 0;

    if (logp_shared_get(shows) < b->n << 16)
        rc = await_word(b, rank, shows, b->n << 16);
    *item = place + LPI_ITEM_AT;
    if (rc == 0 && (logp_shared_get(shows) & UINT16_MAX) != b->agreed)
        rc = -EMSGSIZE;
    return rc;
}

/* seq_cst: pairs with lpi_board_withdraw(). Of a member that goes to others and one that withdraws,
 * at least one sees the other. */
int lpi_board_go_to_others(struct lpi_board *b)
{
    __atomic_store_n(&b->mine->at_others, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&b->memory->withdrawn, __ATOMIC_SEQ_CST) == 0)
        return 0;
    lpi_board_leave_others(b);
    return logp_shared_wait(b->vp, &b->mine->ended, UINT64_MAX, b->me); /* the run is over */
}

void lpi_board_leave_others(struct lpi_board *b)
{
    __atomic_store_n(&b->mine->at_others, 0, __ATOMIC_RELEASE); /* pairs with the load below */
}

int lpi_board_withdraw(struct lpi_board *b, int rc)
{
    __atomic_store_n(&b->memory->withdrawn, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < b->P; i++)
        while (__atomic_load_n(&b->memory->members[i].at_others, __ATOMIC_SEQ_CST) != 0)
            sched_yield(); /* it may not have its processor */
    return rc;
}

/* SPDX-License-Identifier: MIT */
/*
 * Sun, Zhang & Song: the two listings, run in lockstep on labelled blocks as they are printed and
 * as they are run here. Processor J begins with the blocks (I, J) of its column, and must end with
 * the blocks (J, I) of its row.
 */
#include "papers/paper.h"

enum { MOST = 16, N = 8, LEVELS = 3 };

/* A block, by its row and column of blocks. */
struct block {
    int row, column;
};

struct blocks {
    struct block of[MOST][MOST]; /* of each processor, in its order */
};

static struct blocks columns(void)
{
    struct blocks b;

    for (int rank = 0; rank < N; rank++)
        for (int i = 0; i < N; i++)
            b.of[rank][i] = (struct block){i, rank};
    return b;
}

/* The number of blocks at their right places: block (J, I) at place I of processor J. */
static int in_place(const struct blocks *b)
{
    int n = 0;

    for (int rank = 0; rank < N; rank++)
        for (int i = 0; i < N; i++)
            n += b->of[rank][i].row == rank && b->of[rank][i].column == i;
    return n;
}

/* One stage, over bit k of the ranks: each sends half of its blocks to the processor that differs
 * in it. The blocks of the processor whose bit is 0 take the even places. ones_send: which half
 * goes where that bit is 1: 0 the first, 1 the second. */
static struct blocks stage(const struct blocks *before, int k, int ones_send)
{
    struct blocks after;

    for (int rank = 0; rank < N; rank++) {
        const int bit = rank >> k & 1, other = rank ^ 1 << k;
        const int sent = bit == 1 ? ones_send : 1;  /* the half that this one sends, */
        const int comes = bit == 1 ? 1 : ones_send; /* and the one that it receives */
        const struct block *kept = before->of[rank] + (1 - sent) * (N / 2);
        const struct block *received = before->of[other] + comes * (N / 2);

        for (int i = 0; i < N / 2; i++) {
            after.of[rank][2 * i + bit] = kept[i];
            after.of[rank][2 * i + 1 - bit] = received[i];
        }
    }
    return after;
}

/* The most significant bit first, from stage 0 or 1 on. */
static int butterfly(int first, int ones_send)
{
    struct blocks b = columns();

    for (int k = first; k < LEVELS; k++)
        b = stage(&b, LEVELS - 1 - k, ones_send);
    return in_place(&b);
}

/* In phase k processor i sends to i + k the block that belongs there; exchanged: with row and
 * column the other way round. Only a block that it has can be sent.
 * @return the number of blocks at their right places, including those that stay */
static int ring(bool exchanged)
{
    int n = N;

    for (int i = 0; i < N; i++)
        for (int k = 1; k < N; k++) {
            const int to = (i + k) % N;
            const struct block b = exchanged ? (struct block){i, to} : (struct block){to, i};

            n += b.column == i && b.row == to;
        }
    return n;
}

void sun_listings(struct paper *p, const struct paper_table *t, const char *what)
{
    const int all = N * N, half = butterfly(0, 1), here = butterfly(0, 0), both = butterfly(1, 1),
              loop = butterfly(1, 0);

    (void)t;
    (void)what;
    paper_listing(p, "Listing of the butterfly, the loop over the stages", loop == all,
                  "Butterfly, the loop over the stages, n = %d|for k = 1 to r - 1, where n = 2^r|"
                  "%d of %d stages; %d of %d blocks end where the transpose has them|"
                  "for k = 0 to r - 1: %d stages; %d of %d blocks|"
                  "it begins at k = 1 and so runs r - 1 of r stages: %d of %d blocks reach their "
                  "place; as run here %d",
                  N, LEVELS - 1, LEVELS, loop, all, LEVELS, here, all, loop, all, here);
    paper_listing(p, "Listing of the butterfly, the half that is sent", half == all,
                  "Butterfly, the half that is sent, n = %d|"
                  "where bit x_k of the rank is 1, as where it is 0: send the second half of the "
                  "blocks|"
                  "%d of %d blocks end where the transpose has them, with a loop from k = 0; with "
                  "that from k = 1 %d|"
                  "where x_k is 1: send the first half; where it is 0: the second; %d of %d blocks|"
                  "where x_k is 1 it sends the wrong half (and tests p_k for x_k): %d of %d blocks "
                  "reach their place; as run here %d",
                  N, half, all, both, here, all, half, all, here);
    paper_listing(p, "Listing of the ring", ring(true) == all,
                  "Ring, the indices of a block, n = %d|"
                  "in phase k processor i sends block (i, j) to j = i + k|"
                  "%d of %d blocks end where the transpose has them: i has no block (i, j), whose "
                  "column is j|"
                  "in phase k processor i sends block (j, i) to j = i + k; %d of %d blocks|"
                  "i and j are exchanged: %d of %d blocks reach their place; as run here %d",
                  N, ring(true), all, ring(false), all, ring(true), all, ring(false));
}

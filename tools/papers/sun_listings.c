/* SPDX-License-Identifier: MIT */
/*
 * Sun, Zhang & Song: the two listings, run in lockstep on labelled blocks as they are printed and
 * as they are run here. Processor J begins with the blocks (I, J) of its column, and must end with
 * the blocks (J, I) of its row.
 */
#include "sun.h"

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

/* How many blocks are where they should be: block (J, I) at place I of processor J. */
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

/* The most significant bit first. */
static int butterfly(int ones_send)
{
    struct blocks b = columns();

    for (int k = LEVELS - 1; k >= 0; k--)
        b = stage(&b, k, ones_send);
    return in_place(&b);
}

/* In phase k processor i sends to i + k the block that belongs there; exchanged: with row and
 * column the other way round. Only a block that it has can be sent.
 * @return how many blocks are where they should be, those that stay included */
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

void sun_listings(struct paper *p)
{
    const int all = N * N, printed = butterfly(1), here = butterfly(0);
    struct paper_listing *l = paper_listing(p, "Butterfly, the half that is sent, n = %d", N);

    paper_say(l->printed, "where bit x_k of the rank is 1, as where it is 0: send the second half "
                          "of the blocks");
    paper_say(l->does, "%d of %d blocks end where the transpose has them", printed, all);
    paper_say(l->here,
              "where x_k is 1: send the first half; where it is 0: the second; %d of %d blocks",
              here, all);
    paper_judge(p, "Listing of the butterfly", printed == all,
                "where x_k is 1 it sends the wrong half (and tests p_k for x_k): %d of %d blocks "
                "end where they should; as it is run here %d",
                printed, all, here);
    l = paper_listing(p, "Ring, the indices of a block, n = %d", N);
    paper_say(l->printed, "in phase k processor i sends block (i, j) to j = i + k");
    paper_say(l->does,
              "%d of %d blocks end where the transpose has them: i has no block (i, j), "
              "whose column is j",
              ring(true), all);
    paper_say(l->here, "in phase k processor i sends block (j, i) to j = i + k; %d of %d blocks",
              ring(false), all);
    paper_judge(p, "Listing of the ring", ring(true) == all,
                "i and j are exchanged: %d of %d blocks end where they should; as it is run here "
                "%d",
                ring(true), all, ring(false));
}

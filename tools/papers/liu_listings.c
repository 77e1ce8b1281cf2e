/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: routing R on an n x n torus from (0, 0), followed from node to node as it is
 * printed and as it is run here, h = n div 2. Along row 0 the message goes both ways, and from each
 * node of row 0 along its column both ways.
 */
#include "liu.h"

#include <string.h>

enum { LARGEST = 16 };

struct torus_walk {
    int n;
    int last;                    /* (i, j), h+1 < i <= last, sends to (i-1, j) */
    int times[LARGEST][LARGEST]; /* how often each node gets the message */
};

static void reach(struct torus_walk *w, int i, int j);

/* Down the column of (0, j), both ways. */
static void down(struct torus_walk *w, int j)
{
    reach(w, 1, j);
    reach(w, w->n - 1, j);
}

static void along_row(struct torus_walk *w, int j)
{
    const int h = w->n / 2;

    if (j > 0 && j < h)
        reach(w, 0, j + 1);
    if (j > h + 1)
        reach(w, 0, j - 1);
    down(w, j);
}

/* The message comes to (i, j), which sends it on. */
static void reach(struct torus_walk *w, int i, int j)
{
    const int h = w->n / 2;

    w->times[i][j]++;
    if (i == 0)
        along_row(w, j);
    else if (i < h)
        reach(w, i + 1, j);
    else if (i > h + 1 && i <= w->last)
        reach(w, i - 1, j);
}

/* @return how many nodes get the message, the source included; -1: one gets it twice */
static int reached(int n, int last)
{
    struct torus_walk w = {.n = n, .last = last};
    int nodes = 1;

    memset(w.times, 0, sizeof(w.times));
    reach(&w, 0, 1);
    reach(&w, 0, n - 1);
    down(&w, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (w.times[i][j] > 1)
                return -1;
            nodes += w.times[i][j] == 1;
        }
    return nodes;
}

void liu_listings(struct paper *p)
{
    static const int sizes[] = {3, 4, 5, 8, 16};
    const int n = LARGEST, all = n * n, printed = reached(n, n - 2), here = reached(n, n - 1);
    struct paper_listing *l = paper_listing(p, "Routing R, n = %d", n);
    struct paper_table *t =
        paper_table(p, "Routing R", "n", "nodes", "how many nodes the message reaches, of n x n");

    paper_say(l->printed, "(i, j), h+1 < i < n-1, sends to (i-1, j)");
    paper_say(l->does, "%d of %d nodes get the message", printed, all);
    paper_say(l->here, "(i, j), h+1 < i <= n-1, sends to (i-1, j): %d of %d nodes", here, all);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct paper_row *row = paper_row(t, "%d", sizes[i]);

        row->value[FORMULA] = reached(sizes[i], sizes[i] - 2);
        row->value[PREDICTED] = reached(sizes[i], sizes[i] - 1);
    }
    paper_note(t, "Its formula: R as printed, up to i < n-1; predicted: R as run here, up to i <= "
                  "n-1.");
    paper_judge(p, "Listing of routing R", printed == all,
                "up to i < n-1 it misses nodes for n >= 5: at n = %d it reaches %d of %d; as it is "
                "run here %d",
                n, printed, all, here);
}

/* SPDX-License-Identifier: MIT */
/*
 * A stencil: heat spreads over a square plate, one edge of which is held at 100 degrees. The plate
 * is cut into 4 x 4 blocks, one for each processor, which exchanges the edges of its block with its
 * neighbours (the halo) before each step. At the end one processor computes the same.
 */
#include <logp/logp.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 4, P = SIDE * SIDE, N = 16, STEPS = 100, POINT_NS = 5 };

/* A block, and around it what its neighbours have there. */
struct block {
    double now[N + 2][N + 2], next[N + 2][N + 2];
};

/* One step: the mean of the four neighbours. */
static void relax(void *arg)
{
    struct block *b = arg;

    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            b->next[i][j] =
                (b->now[i - 1][j] + b->now[i + 1][j] + b->now[i][j - 1] + b->now[i][j + 1]) / 4;
    for (int i = 1; i <= N; i++)
        memcpy(&b->now[i][1], &b->next[i][1], N * sizeof(double));
}

/* Up, down, left, right: the opposite of d is d ^ 1. -1: the plate ends there. */
static int neighbour(int me, int d)
{
    const int row = me / SIDE + (d == 1) - (d == 0), col = me % SIDE + (d == 3) - (d == 2);

    return row < 0 || row == SIDE || col < 0 || col == SIDE ? -1 : row * SIDE + col;
}

/* Element k of an edge of the block, or of the halo beyond it. */
static double *edge(struct block *b, int d, int k, int halo)
{
    const int at = d % 2 == 0 ? 1 - halo : N + halo;

    return d < 2 ? &b->now[at][k + 1] : &b->now[k + 1][at];
}

static int exchange(struct logp_vp *vp, struct block *b)
{
    struct logp_request *requests[4] = {NULL};
    double out[N], in[4][N];
    int rc = 0;

    for (int d = 0; d < 4 && rc == 0; d++) { /* the receives first: they cost nothing */
        const int from = neighbour(logp_vp_rank(vp), d);

        if (from >= 0)
            rc = logp_irecv(vp, from, d ^ 1, in[d], sizeof(in[d]), &requests[d]);
    }
    for (int d = 0; d < 4 && rc == 0; d++) {
        const int to = neighbour(logp_vp_rank(vp), d);

        for (int k = 0; k < N; k++)
            out[k] = *edge(b, d, k, 0);
        if (to >= 0)
            rc = logp_send(vp, to, d, out, sizeof(out));
    }
    if (rc == 0)
        rc = logp_waitall(vp, requests, 4, NULL);
    for (int d = 0; d < 4 && rc == 0; d++)
        for (int k = 0; k < N && neighbour(logp_vp_rank(vp), d) >= 0; k++)
            *edge(b, d, k, 1) = in[d][k];
    return rc;
}

static int program(struct logp_vp *vp, void *arg)
{
    struct block *b = (struct block *)arg + logp_vp_rank(vp);
    int rc = 0;

    for (int k = 0; k < N; k++)
        *edge(b, 0, k, 1) = logp_vp_rank(vp) < SIDE ? 100 : 0;
    for (int i = 0; i < STEPS && rc == 0; i++) {
        rc = exchange(vp, b);
        if (rc == 0) /* under the virtual clock it takes as long as is said here */
            rc = logp_compute(vp, N * N * POINT_NS, relax, b);
    }
    if (rc == 0)
        rc = logp_barrier(vp);
    if (logp_vp_rank(vp) == 0)
        printf("%d steps on %d processors: %lld us, of which computing %d us\n", STEPS, P,
               (long long)logp_now(vp) / 1000, STEPS * N * N * POINT_NS / 1000);
    return rc;
}

/* The whole plate at once: how many points differ from those of the blocks? */
static int compare(const struct block *blocks)
{
    static double now[SIDE * N + 2][SIDE * N + 2], next[SIDE * N + 2][SIDE * N + 2];
    int wrong = 0;

    for (int j = 1; j <= SIDE * N; j++)
        now[0][j] = 100;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 1; i <= SIDE * N; i++)
            for (int j = 1; j <= SIDE * N; j++)
                next[i][j] = (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]) / 4;
        for (int i = 1; i <= SIDE * N; i++)
            memcpy(&now[i][1], &next[i][1], SIDE * N * sizeof(double));
    }
    for (int i = 0; i < SIDE * N; i++)
        for (int j = 0; j < SIDE * N; j++)
            wrong += now[i + 1][j + 1] != blocks[i / N * SIDE + j / N].now[i % N + 1][j % N + 1];
    return wrong;
}

int main(void)
{
    static struct block blocks[P];
    const struct logp_params params = {
        .L_ns = 1500, .o_send_ns = 300, .o_recv_ns = 300, .g_ns = 400, .G_ps = 800};
    struct logp_config config = {
        .size = sizeof(config), .n_processors = P, .clock = LOGP_CLOCK_VIRTUAL};
    struct logp_machine *machine;
    int wrong;

    if (logp_delay_create("loggp", &params, &config.delay) != 0 ||
        logp_machine_create(&config, &machine) != 0 ||
        logp_machine_run(machine, program, blocks, 0) != 0)
        return 1;
    wrong = compare(blocks);
    printf("%d of %d points differ from what one processor computes\n", wrong, P * N * N);
    return logp_machine_destroy(machine) != 0 || wrong > 0;
}

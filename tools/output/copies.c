/* SPDX-License-Identifier: MIT */
/* What a run copies, and what copying costs on this host: whatever the model says, payloads are
 * copied into a mailbox and out of it. */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 22, LARGEST = 16 << 20, MOST_NS = 50000000 };

/* The bytes of all messages and of the largest, from the steps; false: there are none, or too
 * many to count. */
static bool count_bytes(const struct options *o, const struct logp_invocation *c,
                        const struct logp_algorithm *a, double *all, size_t *largest)
{
    const struct logp_schedule s = logp_schedule_of(a, o->P, &c->args, &c->model);
    int64_t n_steps = 0;

    *all = 0;
    *largest = 0;
    if (a->steps == NULL || o->P > LOGP_FOLD_P)
        return false;
    for (int64_t rank = 0; rank < o->P && n_steps <= MOST_STEPS; rank++) {
        struct logp_invocation planned;
        struct logp_step step;

        if (logp_schedule_begin(&s, (int)rank, &planned) != 0)
            return false;
        for (int64_t i = 0; n_steps <= MOST_STEPS && a->steps(o->P, rank, &planned, i, &step);
             i++, n_steps++) {
            if (step.kind != LOGP_STEP_SEND)
                continue;
            *all += (double)step.n_bytes;
            *largest = step.n_bytes > *largest ? step.n_bytes : *largest;
        }
        logp_schedule_end(&planned);
    }
    return n_steps <= MOST_STEPS;
}

/* As a mailbox does: into fresh memory, and out of it. As much as a run copies, at most, so that
 * other programs on the cores take their share here, too. @return per byte; 0: no memory */
static double copy_ps(size_t n, double all)
{
    char *from = calloc(n, 1);
    const int64_t begun_ns = host_ns();
    double copied = 0;

    while (from != NULL && copied < all && host_ns() - begun_ns < MOST_NS) {
        char *to = malloc(n);

        if (to == NULL)
            break;
        memcpy(to, from, n);
        __asm__ volatile("" : : "r"(to) : "memory"); /* it is read */
        memcpy(from, to, n);
        free(to);
        copied += 2 * (double)n;
    }
    free(from);
    return copied > 0 ? (double)(host_ns() - begun_ns) * 1000 / copied : 0;
}

void judge_copies(const struct output *out, struct advice *a)
{
    size_t largest;
    double all;

    if (a->worst == NULL || !out->o->format->for_people || out->o->clock != LOGP_CLOCK_WALL ||
        !count_bytes(out->o, out->c, a->worst->algorithm, &all, &largest) || largest == 0)
        return;
    a->copied_bytes = 2 * all; /* in and out */
    a->copy_ps_per_byte = copy_ps(largest < LARGEST ? largest : LARGEST, a->copied_bytes);
}

/* SPDX-License-Identifier: MIT */
/*
 * A plan and its answers as text, one item a line, its name first; and their files. Of the earlier
 * versions, in 3 the lowest rank usually went first in late checks, and in 4 a receive from any source took
 * the message that a probe had found. Version 5 has no last line, and is read, too.
 *
 *     logp-replay 6
 *     program NAME
 *     processors 3
 *     run 12                 the number of the run with this size
 *     seed 1234
 *     failed asserted -71 x == 3     kind, error, expression
 *     directory /home/me     in which the process was started
 *     argument ./test        of its command line, one line each
 *     environment N=1f2e     its variables, with hashes of their values: environment.c
 *     vary untimed order messages
 *     misses 3
 *     steps 200000           the largest number of events
 *     sends 0                sends of more bytes wait for their receiver; default: none wait
 *     most-faults 1 0 0 0 0  crashes, restarts, lost, doubled, partitions; default: 0
 *     fault-places 1 0 0 0 0 0  ranks, senders, receivers, tags, half (masks), one_way; default: 0
 *     most-overtaken 1       default: 0
 *     keeps-order            copies come at once
 *     relies-on-buffers      it does not fail if all sends are buffered
 *     params L o_send o_recv g G gamma gap_shared capacity store_forward latency_varies seed
 *     latency 3 1            kind, sigma
 *     drawn 1 0:4            with a drawn latency: so many messages, by sender and number; none of
 *                            this: all. The others have L
 *     samples 2 100 200      how many, then all of them
 *     faults drop:0.1@0-3    and noise: as in delay.h, in ns
 *     choices 14 3=2 9=1     how many; those with another answer than the usual one
 *     chosen 0a1f...         16 bits of the identity of each choice
 *     end                    a file without this line has been cut
 */
#include "kit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const lpi_failure_names[] = {[LOGP_FAILURE_NONE] = "none",
                                         [LOGP_FAILURE_ERROR] = "error",
                                         [LOGP_FAILURE_ASSERTED] = "asserted",
                                         [LOGP_FAILURE_DEADLOCK] = "deadlock",
                                         [LOGP_FAILURE_TIMEOUT] = "timeout",
                                         [LOGP_FAILURE_AFTER] = "after",
                                         [LOGP_FAILURE_LEFT_OVER] = "left-over",
                                         [LOGP_FAILURE_LIVELOCK] = "livelock",
                                         [LOGP_FAILURE_CRASHED] = "crashed",
                                         [LOGP_FAILURE_EXITED] = "exited",
                                         [LOGP_FAILURE_UNCONTROLLED] = "uncontrolled"};

/* The failure, and how the process was started. */
static void write_origin(struct lpi_text *t, const struct lpi_job *job)
{
    const struct lpi_outcome *o = &job->outcome;
    const struct logp_replay *from = job->origin;
    const char *environment = from != NULL ? from->environment : NULL;
    char name[64];

    snprintf(name, sizeof(name), "failed %s %d", lpi_failure_names[o->kind], o->error);
    lpi_text_add_line(t, name, o->asserted.expression != NULL ? o->asserted.expression : "");
    if (from != NULL && from->directory != NULL)
        lpi_text_add_line(t, "directory", from->directory);
    for (char **a = from != NULL ? from->command : NULL; a != NULL && *a != NULL; a++)
        lpi_text_add_line(t, "argument", *a);
    if (environment != NULL)
        lpi_text_add_line(t, "environment", environment);
}

/* Write the identities of the choices, if they are known: four digits each. Those of a run that did
 * not come to its end are only known when it is repeated. */
static void write_chosen(struct lpi_text *t, const struct lpi_job *job)
{
    const struct lpi_answers *a = &job->taken;

    if (a->what == NULL || a->n == 0 || job->outcome.kind == LOGP_FAILURE_TIMEOUT)
        return;
    lpi_text_add(t, "chosen ");
    for (int i = 0; i < a->n; i++)
        lpi_text_add(t, "%04x", (unsigned)(a->what[i] & LPI_CHOSEN));
    lpi_text_add(t, "\n");
}

void lpi_replay_write(struct lpi_text *t, const struct lpi_job *job)
{
    const struct lpi_plan *p = &job->plan;
    const struct logp_params *m = &p->network.params;
    const struct logp_fault_limits *f = &p->most_faults;
    const struct logp_fault_places *at = &p->fault_places;

    lpi_text_add(t, "logp-replay %d\n", LOGP_REPLAY_VERSION);
    lpi_text_add_line(t, "program", job->check.name);
    lpi_text_add(t, "processors %d\nrun %" PRIu64 "\nseed %" PRIu64 "\n", p->P, p->run, p->seed);
    write_origin(t, job);
    lpi_text_add(t, "vary%s%s%s%s\nmisses %d\nsteps %" PRIu64 "\n", p->untimed ? " untimed" : "",
                 p->late ? " late" : "", p->order ? " order" : "", p->messages ? " messages" : "",
                 p->misses, p->most_steps);
    if (p->network.rendezvous_from > 0)
        lpi_text_add(t, "sends %" PRId64 "\n", p->network.rendezvous_from - 1);
    if (lpi_has_limits(f))
        lpi_text_add(t, "most-faults %d %d %d %d %d\n", f->crashes, f->restarts, f->lost,
                     f->doubled, f->partitions);
    if (lpi_has_places(at))
        lpi_text_add(
            t, "fault-places %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n",
            at->ranks, at->senders, at->receivers, at->tags, at->half, at->one_way);
    if (p->most_overtaken > 0)
        lpi_text_add(t, "most-overtaken %d\n", p->most_overtaken);
    if (p->keeps_order)
        lpi_text_add(t, "keeps-order\n");
    if (p->relies)
        lpi_text_add(t, "relies-on-buffers\n");
    if (!p->network.undelayed)
        lpi_text_add(t,
                     "params %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                     " %d %" PRId64 " %d %d %" PRIu64 "\n",
                     m->L_ns, m->o_send_ns, m->o_recv_ns, m->g_ns, m->G_ps, m->gamma_ps,
                     m->gap_shared, m->capacity, m->store_forward, m->latency_varies, m->seed);
    if (p->latency.kind != LOGP_LATENCY_AS_IS) {
        lpi_text_add(t, "latency %d ", (int)p->latency.kind);
        lpi_text_add_fraction(t, p->latency.sigma);
        lpi_text_add(t, "\n");
    }
    if (p->latency.kind == LOGP_LATENCY_SAMPLES) {
        lpi_text_add(t, "samples %d", p->latency.n_samples);
        for (int i = 0; i < p->latency.n_samples; i++)
            lpi_text_add(t, " %" PRId64, p->latency.samples[i]);
        lpi_text_add(t, "\n");
    }
    if (p->network.faults != NULL && *p->network.faults != '\0')
        lpi_text_add_line(t, "faults", p->network.faults);
    if (p->network.noise != NULL && *p->network.noise != '\0')
        lpi_text_add_line(t, "noise", p->network.noise);
    if (p->drawn != NULL) {
        lpi_text_add(t, "drawn %d", p->drawn->n);
        for (int i = 0; i < p->drawn->n; i++)
            lpi_text_add(t, " %d:%u", p->drawn->items[i].src, p->drawn->items[i].number);
        lpi_text_add(t, "\n");
    }
    lpi_text_add(t, "choices %d", job->taken.n);
    for (int i = 0; i < job->taken.n; i++)
        if (job->taken.index[i] != 0)
            lpi_text_add(t, " %d=%d", i, job->taken.index[i]);
    lpi_text_add(t, "\n");
    write_chosen(t, job);
    lpi_text_add(t, "end\n");
}

int logp_replay_read(const char *path, char **text)
{
    enum { MOST = 64 << 20 };
    struct lpi_text t = {0};
    FILE *f = fopen(path, "re");
    char part[4096];
    size_t n;
    int rc = 0;

    *text = NULL;
    if (f == NULL)
        return -errno;
    lpi_text_add(&t, "%s", "");
    while (rc == 0 && (n = fread(part, 1, sizeof(part), f)) > 0) {
        lpi_text_add(&t, "%.*s", (int)n, part);
        rc = t.failed ? -ENOMEM : t.n > MOST ? -EFBIG : memchr(part, 0, n) != NULL ? -EINVAL : 0;
    }
    if (rc == 0 && ferror(f))
        rc = -errno;
    fclose(f);
    if (rc != 0)
        free(t.s);
    else
        *text = t.s;
    return rc;
}

/* ---- the public part ---- */

struct lpi_replay *lpi_replay_new(void)
{
    struct lpi_replay *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->facts.size = sizeof(r->facts);
    r->plan.network = (struct logp_network){.undelayed = true, .unit_ns = 1};
    return r;
}

bool lpi_replay_add_argument(struct logp_replay *r, char *argument)
{
    char **all;
    size_t n = 0;

    while (r->command != NULL && r->command[n] != NULL)
        n++;
    all = argument != NULL ? realloc(r->command, (n + 2) * sizeof(*all)) : NULL;
    if (all == NULL) {
        free(argument);
        return false;
    }
    r->command = all;
    all[n] = argument;
    all[n + 1] = NULL;
    return true;
}

void logp_replay_free(struct logp_replay *replay)
{
    struct lpi_replay *r = (struct lpi_replay *)replay; /* its first member */

    if (r == NULL)
        return;
    for (char **a = replay->command; a != NULL && *a != NULL; a++)
        free(*a);
    free(replay->command);
    free(replay->directory);
    free(replay->environment);
    free(replay->expression);
    free(replay->name);
    lpi_answers_free(&r->answers);
    lpi_drawn_free(&r->drawn);
    free(replay->faults);
    free(replay->noise);
    free(r->samples);
    free(r);
}

/* SPDX-License-Identifier: MIT */
/* Sums over pairs of ranks, and late messages, from the calls and the trace. */
#include "profile.h"
#include "text/problem.h"
#include "view/records/records.h"

#include <logp/algorithm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the site of an event: by its label ---- */

/* The sites by label; -1: the label has no site. To be freed. */
static int *find_sites(const struct profile *p)
{
    const uint32_t n = logp_trace_info(p->trace)->n_labels;
    int *sites = need(malloc(((size_t)n + 1) * sizeof(*sites)));

    for (uint32_t i = 0; i <= n; i++) {
        sites[i] = -1;
        for (int s = 0; s < p->calls->n_sites && sites[i] < 0; s++)
            if (strcmp(p->calls->sites[s].label, logp_trace_label(p->trace, i)) == 0)
                sites[i] = p->calls->sites[s].same;
    }
    return sites;
}

/* ---- messages ---- */

/* The wait for the message that event i receives; NULL: the message had arrived. */
static const struct logp_event *wait_before(const struct logp_event *events, int64_t i)
{
    const int peer = events[i].peer;

    for (i--; i >= 0 && events[i].kind == LOGP_EVENT_GAP; i--)
        ;
    return i >= 0 && events[i].kind == LOGP_EVENT_IDLE && events[i].peer == peer ? &events[i]
                                                                                 : NULL;
}

/* When the send was called: gaps and stalls delay the send, but its caller is not late. */
static int64_t called_at(const struct logp_event *events, int64_t i)
{
    int64_t at = events[i].start_ns;

    for (i--; i >= 0 && (events[i].kind == LOGP_EVENT_GAP || events[i].kind == LOGP_EVENT_STALL) &&
              events[i].end_ns == at;
         i--)
        at = events[i].start_ns;
    return at;
}

/* Add a late message, or count it with those of the same sites. first: the index in the list from
 * which on it has the messages of this sender */
static void add_late(struct profile *p, size_t first, size_t *room, const struct profile_late *one)
{
    for (size_t i = first; i < p->n_late; i++) {
        struct profile_late *l = &p->late[i];

        if (l->to == one->to && l->sent == one->sent && l->received == one->received) {
            l->messages++;
            l->late_ns += one->late_ns;
            return;
        }
    }
    if (p->n_late == *room) {
        *room = *room > 0 ? 2 * *room : 64;
        p->late = need(realloc(p->late, *room * sizeof(*p->late)));
    }
    p->late[p->n_late++] = *one;
}

/* row: the pairs of its sender; first: as in add_late() */
static void add_message(struct profile *p, const struct logp_trace_message *m,
                        struct profile_pair *row, size_t first, size_t *room)
{
    size_t n;
    const struct logp_event *sends = logp_trace_events(p->trace, m->from, &n),
                            *receives = logp_trace_events(p->trace, m->to, &n),
                            *send = &sends[m->send], *wait;
    struct profile_pair *pair = &row[m->to];
    int64_t late;

    pair->messages++;
    pair->bytes += send->bytes;
    p->messages++;
    p->bytes += send->bytes;
    p->ranks[m->from].sent++;
    p->ranks[m->from].sent_bytes += send->bytes;
    wait = m->receive >= 0 ? wait_before(receives, m->receive) : NULL;
    if (wait == NULL)
        return;
    pair->waits++;
    pair->wait_ns += wait->end_ns - wait->start_ns;
    late = called_at(sends, m->send) - wait->start_ns;
    late = late > wait->end_ns - wait->start_ns ? wait->end_ns - wait->start_ns : late;
    if (late > 0) {
        p->late_ns += late;
        add_late(p, first, room,
                 &(struct profile_late){m->from, m->to, send->label, receives[m->receive].label, 1,
                                        late});
    }
}

/* Move the pairs of one sender that have messages or waits to the list. */
static void flush_row(struct profile *p, struct profile_pair *row, int from, size_t *room)
{
    for (int to = 0; to < p->P; to++) {
        if (row[to].messages == 0 && row[to].wait_ns == 0)
            continue;
        if (p->n_pairs == *room) {
            *room = *room > 0 ? 2 * *room : 64;
            p->pairs = need(realloc(p->pairs, *room * sizeof(*p->pairs)));
        }
        row[to].from = from;
        row[to].to = to;
        p->pairs[p->n_pairs++] = row[to];
        row[to] = (struct profile_pair){0};
    }
}

static int by_sites(const void *a, const void *b)
{
    const struct profile_late *x = a, *y = b;

    return x->late_ns != y->late_ns ? (x->late_ns < y->late_ns) - (x->late_ns > y->late_ns)
           : x->to != y->to         ? x->to - y->to
                                    : x->from - y->from;
}

static void gather_messages(struct profile *p)
{
    struct profile_pair *row = need(calloc((size_t)p->P, sizeof(*row)));
    size_t n, pairs_room = 0, late_room = 0, first = 0;
    const struct logp_trace_message *m = logp_trace_messages(p->trace, &n);

    for (size_t i = 0; i < n; i++) {
        if (i > 0 && m[i].from != m[i - 1].from) {
            flush_row(p, row, m[i - 1].from, &pairs_room);
            first = p->n_late;
        }
        add_message(p, &m[i], row, first, &late_room);
    }
    if (n > 0)
        flush_row(p, row, m[n - 1].from, &pairs_room);
    if (p->n_late > 0)
        qsort(p->late, p->n_late, sizeof(*p->late), by_sites);
    free(row);
}

/* Add a wait that did not end, and therefore has no message. */
static void add_endless(struct profile *p, int from, int to, int64_t ns)
{
    size_t i = 0;

    while (i < p->n_pairs &&
           (p->pairs[i].from < from || (p->pairs[i].from == from && p->pairs[i].to < to)))
        i++;
    if (i == p->n_pairs || p->pairs[i].from != from || p->pairs[i].to != to) {
        p->pairs = need(realloc(p->pairs, (p->n_pairs + 1) * sizeof(*p->pairs)));
        memmove(&p->pairs[i + 1], &p->pairs[i], (p->n_pairs++ - i) * sizeof(*p->pairs));
        p->pairs[i] = (struct profile_pair){.from = from, .to = to};
    }
    p->pairs[i].waits++;
    p->pairs[i].wait_ns += ns;
    p->is_cut = true;
}

static void gather_ranks(struct profile *p)
{
    for (int64_t r = 0; r < p->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(p->trace, r, &n);
        struct profile_rank *rank = &p->ranks[r];

        for (size_t i = 0; i < n; i++) {
            const int64_t ns = e[i].end_ns - e[i].start_ns;

            if (e[i].kind == LOGP_EVENT_IDLE && e[i].peer >= 0)
                rank->wait_ns += ns;
            if (e[i].kind == LOGP_EVENT_IDLE && e[i].peer >= 0 &&
                (e[i].fate & LOGP_FATE_ENDLESS) != 0)
                add_endless(p, e[i].peer, (int)r, ns);
            else if (e[i].kind == LOGP_EVENT_COMPUTE)
                rank->compute_ns += ns;
        }
        for (int s = 0; s < p->calls->n_sites; s++)
            rank->call_ns += p->calls->calls[r * p->calls->n_sites + s].ns;
        p->wait_ns += rank->wait_ns;
    }
}

void profile_init(struct profile *p, const struct question *q, const char *program,
                  const struct mpi_report *calls, const struct logp_trace *trace)
{
    const struct logp_trace_info *info = logp_trace_info(trace);

    *p = (struct profile){.q = q,
                          .program = program,
                          .calls = calls,
                          .trace = trace,
                          .P = info->P,
                          .end_ns = info->end_ns};
    p->ranks = need(calloc((size_t)p->P, sizeof(*p->ranks)));
    p->sites = find_sites(p);
    gather_messages(p);
    gather_ranks(p);
    profile_explain(p);
}

void profile_fini(struct profile *p)
{
    for (int i = 0; i < p->n_curves; i++)
        logp_curve_free(&p->curves[i]);
    logp_explanation_free(p->explained);
    free(p->sites);
    free(p->ranks);
    free(p->pairs);
    free(p->late);
}

/* ---- what the forms show ---- */

const char *profile_time(int64_t ns, char buf[32])
{
    return show_ns(ns, buf, 32);
}

const char *profile_value(const struct logp_curve *c, char buf[64])
{
    return c->parameter == LOGP_PARAMETER_BYTE ? show_byte_time(c->at_ps, buf)
                                               : show_ns(c->at_ps / 1000, buf, 64);
}

const char *profile_growth(const struct logp_curve *c, int percent, char buf[64])
{
    const int64_t ps = tolerance_ps(c, percent);

    if (ps < 0)
        return "any";
    if (c->parameter == LOGP_PARAMETER_BYTE)
        snprintf(buf, 64, "%.6g ns/byte", (double)ps / 1000);
    else
        show_ns(ps / 1000, buf, 64);
    return buf;
}

struct mpi_call profile_sum(const struct profile *p, int site)
{
    struct mpi_call sum = {0};

    for (int64_t r = 0; r < p->P; r++) {
        const struct mpi_call *c = &p->calls->calls[r * p->calls->n_sites + site];

        sum.n += c->n;
        sum.ns += c->ns;
        sum.most_ns = c->most_ns > sum.most_ns ? c->most_ns : sum.most_ns;
    }
    return sum;
}

struct timed_site {
    int site;
    int64_t ns;
};

static int by_time(const void *a, const void *b)
{
    const struct timed_site *x = a, *y = b;

    return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : x->site - y->site;
}

int *profile_sites(const struct profile *p, int *n_sites)
{
    size_t n = 0;
    const size_t most = (size_t)p->calls->n_sites;
    struct timed_site *all = need(malloc((most + 1) * sizeof(*all)));
    int *sites = need(malloc((most + 1) * sizeof(*sites)));

    for (int i = 0; i < p->calls->n_sites; i++)
        if (p->calls->sites[i].same == i)
            all[n++] = (struct timed_site){i, profile_sum(p, i).ns};
    qsort(all, n, sizeof(*all), by_time);
    for (size_t i = 0; i < n; i++)
        sites[i] = all[i].site;
    free(all);
    *n_sites = (int)n;
    return sites;
}

const char *profile_site_name(const struct profile *p, int site, char buf[256])
{
    snprintf(buf, 256, "%s%s", p->calls->sites[site].call, p->calls->sites[site].place);
    return buf;
}

const char *profile_label_name(const struct profile *p, uint32_t label, char buf[256])
{
    if (p->sites[label] >= 0)
        return profile_site_name(p, p->sites[label], buf);
    snprintf(buf, 256, "%s", label > 0 ? logp_trace_label(p->trace, label) : "no call");
    return buf;
}

int64_t profile_bytes(const struct mpi_collective *c)
{
    return c->args.op != NULL ? c->args.count * (int64_t)c->op.element_bytes
                              : (int64_t)c->args.n_bytes;
}

int64_t profile_predicted(const struct profile *p, const struct mpi_collective *c, bool *exact)
{
    struct logp_network network = network_of(p->q);
    struct logp_prediction prediction;

    *exact = false;
    if (!p->q->model.emulated)
        return -1;
    network.unit_ns = 1; /* times are in ns by now */
    if (c->P < p->P) {   /* which ranks they are is not known: links may differ */
        if (network.topology != NULL || network.links != NULL)
            return -1;
    }
    prediction = logp_algorithm_predict(c->algorithm, c->P, &c->args, &network);
    *exact = prediction.certainty == LOGP_PREDICTION_EXACT;
    return prediction.certainty == LOGP_PREDICTION_NONE ? -1 : prediction.ns;
}

static int by_wait(const void *a, const void *b)
{
    const struct profile_pair *const *x = a, *const *y = b;

    return (*x)->wait_ns != (*y)->wait_ns
               ? ((*x)->wait_ns < (*y)->wait_ns) - ((*x)->wait_ns > (*y)->wait_ns)
               : (*x > *y) - (*x < *y);
}

size_t profile_waits(const struct profile *p, size_t n, const struct profile_pair ***out)
{
    const struct profile_pair **all = need(malloc((p->n_pairs + 1) * sizeof(*all)));
    size_t found = 0;

    for (size_t i = 0; i < p->n_pairs; i++)
        if (p->pairs[i].wait_ns > 0)
            all[found++] = &p->pairs[i];
    qsort(all, found, sizeof(*all), by_wait);
    *out = all;
    return found < n ? found : n;
}

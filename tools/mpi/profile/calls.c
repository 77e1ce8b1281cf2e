/* SPDX-License-Identifier: MIT */
/*
 * --report: the calls of each rank, their places in the program, and their times; and the algorithm
 * of each collective, which --algo may force. A rank writes only its own records, which are put
 * together when all have ended. A record for which there is no memory is left out.
 */
#include "timed.h"
#include "host/host.h"
#include "mpi/standard/op.h"
#include "mpi/standard/rank.h"

#include <logp/algorithm.h>
#include <logp/trace.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPANS = 4096,  /* calls of one collective, by the same ranks, whose times are kept */
    MOST_BARS = 1 << 16 /* of one rank; of more calls, neighbours share a bar */
};

struct noted_site {
    void *caller; /* NULL: this place of the table is free */
    int number;   /* of the rank's sites, in the order of their first calls */
    const char *call;
    struct mpi_call sum;
    uint32_t label;
    int thread; /* 0: the rank's own; i: the i-th that it has made */
    uintptr_t place;
};

struct span {
    int64_t start_ns, end_ns;
};

struct noted_collective {
    struct mpi_collective is; /* without its times */
    int first, last;          /* ranks in MPI_COMM_WORLD of the first member and the last one */
    struct span *spans;
    size_t n_spans, room;
};

struct calls {
    int depth;                          /* a callback within MPI may call MPI */
    struct noted_site *sites, *current; /* a hash table */
    size_t n_sites, room;               /* entries in use; size of the table: a power of 2 */
    uint32_t outer;                     /* the label outside the call */
    int64_t began_ns;
    struct mpi_bar *bars; /* each call, by the number of its site, in the order of their ends */
    size_t n_bars, bar_room;
    int64_t per_bar, in_last; /* calls of a bar: of each, and of the last */
    struct noted_collective *collectives;
    int n_collectives, open; /* open: the one that runs; -1: none */
    int64_t opened_ns;
};

/* ---- places ---- */

static struct noted_site *place_in(struct noted_site *sites, size_t room, const void *caller,
                                   int thread)
{
    size_t i = ((uintptr_t)caller >> 2) * 0x9e3779b1u & (room - 1);

    while (sites[i].caller != NULL && (sites[i].caller != caller || sites[i].thread != thread))
        i = (i + 1) & (room - 1);
    return &sites[i];
}

static bool grow(struct calls *c)
{
    const size_t room = c->room > 0 ? 2 * c->room : 64;
    struct noted_site *sites = calloc(room, sizeof(*sites));

    if (sites == NULL)
        return false;
    for (size_t i = 0; i < c->room; i++)
        if (c->sites[i].caller != NULL)
            *place_in(sites, room, c->sites[i].caller, c->sites[i].thread) = c->sites[i];
    free(c->sites);
    c->sites = sites;
    c->room = room;
    return true;
}

/* Two calls of a place have the same label on all ranks: that of its address in the file. */
static void name_label(char *text, size_t size, const char *call, uintptr_t place)
{
    snprintf(text, size, "%s/%lx", call, (unsigned long)place);
}

static struct noted_site *site_of(struct rank *r, const char *call, void *caller)
{
    const int thread = host_thread_number();
    struct calls *c = r->calls;
    struct noted_site *site;
    char label[64];

    if (2 * c->n_sites >= c->room && !grow(c))
        return NULL;
    site = place_in(c->sites, c->room, caller, thread);
    if (site->caller == NULL) {
        site->caller = caller;
        site->thread = thread;
        site->call = call;
        site->place = host_place_of(r->host, caller);
        site->number = (int)c->n_sites;
        name_label(label, sizeof(label), call, site->place);
        site->label = logp_label_of(r->vp, label, NULL);
        c->n_sites++;
    }
    return site;
}

void profile_call_begins(struct rank *r, const char *call, void *caller)
{
    struct calls *c = r->calls;

    if (c == NULL) {
        c = r->calls = calloc(1, sizeof(*c));
        if (c == NULL)
            return;
        c->open = -1;
    }
    if (c->depth++ > 0)
        return;
    c->current = site_of(r, call, caller);
    if (c->current != NULL)
        c->outer = logp_label(r->vp, c->current->label);
    c->began_ns = logp_now(r->vp);
}

/* ---- collectives ---- */

static void close_collective(struct rank *r)
{
    struct calls *c = r->calls;
    struct noted_collective *n = c->open >= 0 ? &c->collectives[c->open] : NULL;

    c->open = -1;
    if (n == NULL || n->is.started || n->n_spans == MOST_SPANS)
        return;
    if (n->n_spans == n->room) {
        const size_t room = n->room > 0 ? 2 * n->room : 4;
        struct span *spans = realloc(n->spans, room * sizeof(*spans));

        if (spans == NULL)
            return;
        n->spans = spans;
        n->room = room;
    }
    n->spans[n->n_spans++] = (struct span){c->opened_ns, logp_now(r->vp)};
}

static void add_call(struct mpi_bar *bar, const struct mpi_bar *call)
{
    if (call->end_ns - call->start_ns > bar->most_ns) {
        bar->most_ns = call->end_ns - call->start_ns;
        bar->site = call->site;
    }
    bar->end_ns = call->end_ns;
    bar->n += call->n;
}

/* Note the times of a call; where there are too many, merge neighbours into one bar. */
static void note_call(struct calls *c, const struct mpi_bar *call)
{
    if (c->n_bars > 0 && c->in_last < c->per_bar) {
        add_call(&c->bars[c->n_bars - 1], call);
        c->in_last++;
        return;
    }
    if (c->n_bars == MOST_BARS) {
        c->n_bars = mpi_merge_bars(c->bars, c->n_bars);
        c->per_bar *= 2;
    }
    if (c->n_bars == c->bar_room) {
        const size_t room = c->bar_room > 0 ? 2 * c->bar_room : 64;
        struct mpi_bar *bars = realloc(c->bars, room * sizeof(*bars));

        if (bars == NULL)
            return;
        c->bars = bars;
        c->bar_room = room;
    }
    c->bars[c->n_bars++] = *call;
    c->in_last = 1;
    c->per_bar = c->per_bar > 0 ? c->per_bar : 1;
}

void profile_call_ends(struct rank *r)
{
    struct calls *c = r->calls;
    int64_t ns;

    if (c == NULL || --c->depth > 0)
        return;
    close_collective(r);
    ns = logp_now(r->vp) - c->began_ns;
    if (c->current == NULL)
        return;
    note_call(c, &(struct mpi_bar){.start_ns = c->began_ns,
                                   .end_ns = c->began_ns + ns,
                                   .most_ns = ns,
                                   .n = 1,
                                   .site = c->current->number});
    c->current->sum.n++;
    c->current->sum.ns += ns;
    c->current->sum.most_ns = ns > c->current->sum.most_ns ? ns : c->current->sum.most_ns;
    logp_label(r->vp, c->outer);
}

static void pauses(struct rank *r, struct paused *out)
{
    struct calls *c = r->calls;

    if (c == NULL || c->depth == 0)
        return;
    *out = (struct paused){.depth = c->depth,
                           .open = c->open,
                           .outer = c->outer,
                           .began_ns = c->began_ns,
                           .opened_ns = c->opened_ns};
    if (c->current != NULL) { /* the table may grow */
        out->call = c->current->call;
        out->caller = c->current->caller;
        out->label = logp_label(r->vp, c->outer);
    }
    c->depth = 0;
    c->open = -1;
}

static void resumes(struct rank *r, const struct paused *paused)
{
    struct calls *c = r->calls;

    if (c == NULL || paused->depth == 0)
        return;
    c->depth = paused->depth;
    c->open = paused->open;
    c->outer = paused->outer;
    c->began_ns = paused->began_ns;
    c->opened_ns = paused->opened_ns;
    c->current = paused->call != NULL ? site_of(r, paused->call, paused->caller) : NULL;
    if (c->current != NULL)
        logp_label(r->vp, paused->label);
}

void profile_calls_left(struct rank *r)
{
    while (r->calls != NULL && r->calls->depth > 0)
        profile_call_ends(r);
}

/* Whether two calls agree in all values that a prediction depends on. */
static bool are_alike(const struct noted_collective *a, const struct noted_collective *b)
{
    const struct logp_args *x = &a->is.args, *y = &b->is.args;

    return a->is.algorithm == b->is.algorithm && a->is.P == b->is.P && a->first == b->first &&
           a->last == b->last && a->is.started == b->is.started && x->root == y->root &&
           x->n_bytes == y->n_bytes && x->count == y->count && x->k == y->k &&
           a->is.op.element_bytes == b->is.op.element_bytes &&
           a->is.op.commutative == b->is.op.commutative && strcmp(a->is.call, b->is.call) == 0;
}

static void note_collective(struct rank *r, struct logp_vp *vp,
                            const struct logp_algorithm *algorithm, const struct logp_invocation *i,
                            bool started)
{
    struct calls *c = r->calls;
    struct noted_collective note = {
        .is = {.call = r->call, .algorithm = algorithm, .args = i->args, .started = started}};
    int ends[2] = {0, logp_vp_size(vp) - 1}, k = 0;

    if (c == NULL || i->args.blocks != NULL)
        return;
    close_collective(r);
    note.is.P = logp_vp_size(vp);
    if (i->args.op != NULL)
        note.is.op = *i->args.op;
    if (logp_group_translate(vp, 2, ends, NULL, ends) != 0)
        return;
    note.first = ends[0];
    note.last = ends[1];
    while (k < c->n_collectives && !are_alike(&c->collectives[k], &note))
        k++;
    if (k == c->n_collectives) {
        struct noted_collective *all =
            realloc(c->collectives, ((size_t)k + 1) * sizeof(*c->collectives));

        if (all == NULL)
            return;
        c->collectives = all;
        all[c->n_collectives++] = note;
    }
    c->collectives[k].is.n++;
    c->open = k;
    c->opened_ns = logp_now(r->vp);
}

/* ---- --algo ---- */

static const char differs[] =
    "an operation whose result does not depend on the order, or --same-results no";

/* Report, once in a run, that a forced algorithm does not apply to the arguments of a call. */
static void say_unused(const struct logp_algorithm *forced, const struct logp_algorithm *best,
                       const char *needs, int64_t P)
{
    if (!atomic_flag_test_and_set_explicit(&the_run.said_unused,
                                           memory_order_relaxed)) /* no data depends on it */
        fprintf(stderr,
                "rank %d: %s: --algo %s=%s does not apply to %d ranks: it needs %s; %s is used\n",
                logp_vp_rank(mpi_this_rank()->vp), mpi_this_rank()->call, forced->collective,
                forced->name, (int)P, needs, best->name);
}

/* Return the arguments of a call with the parameters given to --algo. */
static struct logp_args with_knobs(struct logp_args args, const struct mpi_forced *forced)
{
    args.k = 0; /* that of another algorithm */
    for (int i = 0; i < LOGP_MAX_KNOBS; i++) {
        const size_t at = forced->algorithm->knobs[i].field;

        if (at != 0)
            memcpy((char *)&args + at, (const char *)&forced->knobs + at, sizeof(int64_t));
    }
    return args;
}

static const struct logp_algorithm *decide(struct logp_vp *vp, const struct logp_algorithm *best,
                                           struct logp_invocation *c, bool started, void *arg)
{
    const struct logp_algorithm *taken = best;

    (void)arg;
    for (const struct mpi_forced *f = the_run.forced; f != NULL && f->algorithm != NULL; f++) {
        const struct logp_algorithm *a = f->algorithm;
        const struct logp_args args = with_knobs(c->args, f);
        const char *needs;

        if (strcmp(a->collective, best->collective) != 0)
            continue;
        needs = started && a->steps == NULL
                    ? "a blocking call"
                    : logp_algorithm_needs(a, logp_vp_size(vp), &args, &c->model);
        if (needs == NULL && !logp_algorithm_same_results(a, &args))
            needs = differs;
        if (needs == NULL) {
            taken = a;
            c->args = args;
        } else {
            say_unused(a, best, needs, logp_vp_size(vp));
        }
    }
    if (the_run.records_calls)
        note_collective(mpi_this_rank(), vp, taken, c, started);
    return taken;
}

void profile_decide(void)
{
    logp_decide_exact(mpi_is_exact_op, NULL);
    the_run.pauses = the_run.records_calls ? pauses : NULL;
    the_run.resumes = the_run.records_calls ? resumes : NULL;
    if (the_run.forced != NULL || the_run.records_calls)
        logp_decide_calls(decide, NULL);
}

/* ---- all ranks together ---- */

static bool is_same_site(const struct noted_site *a, const struct noted_site *b)
{
    return a->place == b->place && a->call == b->call && a->thread == b->thread;
}

/* Collect the places of all ranks, each once, in an array that the caller frees. @return their
 * number */
static int gather_sites(const struct job *job, struct noted_site **out)
{
    struct noted_site *all = NULL;
    int n = 0, k;

    for (int i = 0; i < job->n_ranks; i++) {
        const struct calls *c = the_run.ranks[i].calls;

        for (size_t s = 0; c != NULL && s < c->room; s++) {
            const struct noted_site *site = &c->sites[s];
            struct noted_site *more;

            if (site->caller == NULL)
                continue;
            for (k = 0; k < n && !is_same_site(&all[k], site);)
                k++;
            if (k < n)
                continue;
            more = realloc(all, ((size_t)n + 1) * sizeof(*all));
            if (more == NULL)
                break;
            all = more;
            all[n++] = *site;
        }
    }
    *out = all;
    return n;
}

static void name_sites(const struct job *job, const struct noted_site *all,
                       struct mpi_report *report)
{
    for (int from = 0; from < report->n_sites; from += MOST_PLACES) {
        const int n =
            report->n_sites - from < MOST_PLACES ? report->n_sites - from : (int)MOST_PLACES;
        uintptr_t places[MOST_PLACES] = {0};
        char texts[MOST_PLACES][PLACE_TEXT];

        for (int i = 0; i < n; i++)
            places[i] = all[from + i].place;
        host_name_places(job, places, n, texts);
        for (int i = 0; i < n; i++) {
            struct mpi_site *site = &report->sites[from + i];

            site->call = all[from + i].call;
            if (all[from + i].thread == 0)
                memcpy(site->place, texts[i], sizeof(texts[i]));
            else
                snprintf(site->place, sizeof(site->place), "%.100s, thread %d", texts[i],
                         all[from + i].thread);
            name_label(site->label, sizeof(site->label), site->call, places[i]);
            site->same = 0;
            while (strcmp(report->sites[site->same].call, site->call) != 0 ||
                   strcmp(report->sites[site->same].place, site->place) != 0)
                site->same++;
        }
    }
}

/* The bars of all ranks, with the sites of the report. by_number: of a rank's sites */
static void collect_bars(const struct job *job, const struct noted_site *all,
                         struct mpi_report *report)
{
    size_t n = 0, most = 1;
    int *by_number;

    for (int i = 0; i < job->n_ranks; i++) {
        const struct calls *c = the_run.ranks[i].calls;

        n += c != NULL ? c->n_bars : 0;
        most = c != NULL && c->n_sites > most ? c->n_sites : most;
    }
    report->bars = calloc(n + 1, sizeof(*report->bars));
    report->first_bar = calloc((size_t)job->n_ranks + 1, sizeof(*report->first_bar));
    by_number = calloc(most, sizeof(*by_number));
    if (report->bars == NULL || report->first_bar == NULL || by_number == NULL)
        n = 0;
    for (int i = 0; i < job->n_ranks && n > 0; i++) {
        const struct calls *c = the_run.ranks[i].calls;
        const size_t first = report->first_bar[i], more = c != NULL ? c->n_bars : 0;

        for (size_t s = 0; c != NULL && s < c->room; s++)
            for (int k = 0; c->sites[s].caller != NULL && k < report->n_sites; k++)
                if (is_same_site(&all[k], &c->sites[s]))
                    by_number[c->sites[s].number] = report->sites[k].same;
        for (size_t k = 0; k < more; k++) {
            report->bars[first + k] = c->bars[k];
            report->bars[first + k].site = by_number[c->bars[k].site];
        }
        report->first_bar[i + 1] = first + more;
    }
    free(by_number);
}

static void collect_sites(const struct job *job, struct mpi_report *report)
{
    struct noted_site *all = NULL;
    const int n = gather_sites(job, &all);

    report->sites = calloc((size_t)n + 1, sizeof(*report->sites));
    report->calls = calloc((size_t)job->n_ranks * (size_t)n + 1, sizeof(*report->calls));
    report->n_sites = report->sites != NULL && report->calls != NULL ? n : 0;
    name_sites(job, all, report);
    for (int i = 0; i < job->n_ranks; i++) {
        const struct calls *c = the_run.ranks[i].calls;

        for (size_t s = 0; c != NULL && s < c->room; s++)
            for (int k = 0; c->sites[s].caller != NULL && k < report->n_sites; k++)
                if (is_same_site(&all[k], &c->sites[s])) {
                    struct mpi_call *sum =
                        &report->calls[(size_t)i * (size_t)n + (size_t)report->sites[k].same];
                    const struct mpi_call *more = &c->sites[s].sum;

                    sum->n += more->n;
                    sum->ns += more->ns;
                    sum->most_ns = more->most_ns > sum->most_ns ? more->most_ns : sum->most_ns;
                }
    }
    if (report->n_sites > 0)
        collect_bars(job, all, report);
    free(all);
}

static const struct noted_collective *find_alike(const struct calls *c,
                                                 const struct noted_collective *note)
{
    for (int i = 0; c != NULL && i < c->n_collectives; i++)
        if (are_alike(&c->collectives[i], note))
            return &c->collectives[i];
    return NULL;
}

/* Add the lateness of each rank in the calls of one collective by all ranks. of: the records of the
 * ranks. @return how many calls have the times of all ranks */
static size_t add_lateness(const struct noted_collective *const *of, int n_ranks, int64_t *late_ns)
{
    size_t n = of[0]->n_spans;

    for (int r = 1; r < n_ranks; r++)
        n = of[r]->n_spans < n ? of[r]->n_spans : n;
    for (size_t i = 0; i < n; i++) {
        int64_t first_ns = of[0]->spans[i].start_ns;

        for (int r = 1; r < n_ranks; r++)
            if (of[r]->spans[i].start_ns < first_ns)
                first_ns = of[r]->spans[i].start_ns;
        for (int r = 0; r < n_ranks; r++)
            late_ns[r] += of[r]->spans[i].start_ns - first_ns;
    }
    return n;
}

/* The barrier of MPI_Finalize is not one that the program calls. */
static void collect_arrivals(const struct job *job, struct mpi_report *report)
{
    const struct calls *c = the_run.ranks[0].calls;
    const size_t n_ranks = (size_t)job->n_ranks;
    const struct noted_collective **of = calloc(n_ranks, sizeof(*of));
    int64_t *late_ns = calloc(n_ranks, sizeof(*late_ns));
    size_t n = 0;

    for (int k = 0; of != NULL && late_ns != NULL && c != NULL && k < c->n_collectives; k++) {
        bool all = c->collectives[k].is.P == job->n_ranks &&
                   strcmp(c->collectives[k].is.call, "MPI_Finalize") != 0;

        for (int r = 0; all && r < job->n_ranks; r++) {
            of[r] = find_alike(the_run.ranks[r].calls, &c->collectives[k]);
            all = of[r] != NULL;
        }
        n += all ? add_lateness(of, job->n_ranks, late_ns) : 0;
    }
    for (size_t r = 0; n > 0 && r < n_ranks; r++)
        late_ns[r] /= (int64_t)n;
    free(of);
    if (n > 0)
        report->arrivals_ns = late_ns;
    else
        free(late_ns);
}

/* Merge the record of another member into that of the first: the times at which the last rank
 * called, and at which the last one returned. */
static void merge_spans(struct noted_collective *into, const struct noted_collective *from)
{
    into->n_spans = from->n_spans < into->n_spans ? from->n_spans : into->n_spans;
    for (size_t i = 0; i < into->n_spans; i++) {
        struct span *s = &into->spans[i];

        s->start_ns = from->spans[i].start_ns > s->start_ns ? from->spans[i].start_ns : s->start_ns;
        s->end_ns = from->spans[i].end_ns > s->end_ns ? from->spans[i].end_ns : s->end_ns;
    }
}

/* Add the times of a call to its line, which the same call by other ranks shares. */
static void add_times(struct mpi_report *report, const struct noted_collective *note)
{
    struct mpi_collective *sum = NULL;

    for (int i = 0; i < report->n_collectives && sum == NULL; i++) {
        struct noted_collective other = *note;

        other.is = report->collectives[i];
        if (are_alike(&other, note))
            sum = &report->collectives[i];
    }
    if (sum == NULL) {
        struct mpi_collective *all =
            realloc(report->collectives,
                    ((size_t)report->n_collectives + 1) * sizeof(*report->collectives));

        if (all == NULL)
            return;
        report->collectives = all;
        sum = &all[report->n_collectives++];
        *sum = note->is;
        sum->n = 0;
    }
    sum->n += note->is.n;
    for (size_t i = 0; i < note->n_spans; i++) {
        const int64_t ns = note->spans[i].end_ns - note->spans[i].start_ns;

        sum->least_ns = sum->n_timed == 0 || ns < sum->least_ns ? ns : sum->least_ns;
        sum->most_ns = ns > sum->most_ns ? ns : sum->most_ns;
        sum->ns += ns;
        sum->n_timed++;
    }
}

static void collect_collectives(const struct job *job, struct mpi_report *report)
{
    for (int i = 0; i < job->n_ranks; i++) {
        const struct calls *c = the_run.ranks[i].calls;

        for (int k = 0; c != NULL && k < c->n_collectives; k++) {
            struct noted_collective *note = &c->collectives[k];

            if (note->first != i) {
                const struct calls *first = the_run.ranks[note->first].calls;

                for (int j = 0; first != NULL && j < first->n_collectives; j++)
                    if (are_alike(&first->collectives[j], note))
                        merge_spans(&first->collectives[j], note);
            }
        }
    }
    for (int i = 0; i < job->n_ranks; i++) {
        const struct calls *c = the_run.ranks[i].calls;

        for (int k = 0; c != NULL && k < c->n_collectives; k++)
            if (c->collectives[k].first == i)
                add_times(report, &c->collectives[k]);
    }
}

void profile_collect(const struct job *job, struct mpi_report *report)
{
    report->n_ranks = job->n_ranks;
    collect_sites(job, report);
    collect_arrivals(job, report); /* before the times of the ranks are merged */
    collect_collectives(job, report);
    for (int i = 0; i < report->n_collectives; i++) {
        struct mpi_collective *c = &report->collectives[i];

        c->args.op = c->args.op != NULL ? &c->op : NULL; /* the operation of the call is gone */
    }
}

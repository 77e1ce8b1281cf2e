/* SPDX-License-Identifier: MIT */
/* The report as text, and as JSON. */
#include "profile.h"
#include "text/problem.h"
#include "text/text.h"
#include "view/records/records.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_CELLS = 16 }; /* ranks up to which the text has the matrices */

static void print_calls(FILE *f, const struct profile *p)
{
    int n, *sites = profile_sites(p, &n);
    char total[32], mean[32], most[32], name[256];

    fprintf(f, "\nCalls (time of all ranks)\n%10s %10s %6s %10s %10s  call\n", "number", "time",
            "share", "mean", "longest");
    for (int i = 0; i < n; i++) {
        const struct mpi_call c = profile_sum(p, sites[i]);

        fprintf(f, "%10llu %10s %5.1f%% %10s %10s  %s\n", (unsigned long long)c.n,
                profile_time(c.ns, total), percent(c.ns, p->end_ns * p->P),
                profile_time(c.n > 0 ? c.ns / (int64_t)c.n : 0, mean),
                profile_time(c.most_ns, most), profile_site_name(p, sites[i], name));
    }
    free(sites);
}

static void print_more(FILE *f, size_t n, const char *what)
{
    if (n > 0)
        fprintf(f, "and %zu more %s; --report FILE.json has all\n", n, what);
}

static void print_ranks(FILE *f, const struct profile *p)
{
    char calls[32], waits[32], computes[32];

    fprintf(f, "\nRanks\n%6s %10s %10s %10s %10s %12s\n", "rank", "in MPI", "waiting", "computing",
            "messages", "bytes sent");
    for (int64_t r = 0; r < p->P && r < 64; r++)
        fprintf(f, "%6lld %10s %10s %10s %10lld %12lld\n", (long long)r,
                profile_time(p->ranks[r].call_ns, calls), profile_time(p->ranks[r].wait_ns, waits),
                profile_time(p->ranks[r].compute_ns, computes), (long long)p->ranks[r].sent,
                (long long)p->ranks[r].sent_bytes);
    print_more(f, p->P > 64 ? (size_t)p->P - 64 : 0, "ranks");
}

static void print_waits(FILE *f, const struct profile *p)
{
    const struct profile_pair **pairs;
    const size_t all = profile_waits(p, p->n_pairs, &pairs),
                 n = all < PROFILE_LISTED ? all : PROFILE_LISTED;
    char time[32], sent[256], received[256];

    fprintf(f, "\nWaits for messages: which rank waited for which\n");
    for (size_t i = 0; i < n; i++)
        fprintf(f, "rank %d waited %s for rank %d; receives: %lld\n", pairs[i]->to,
                profile_time(pairs[i]->wait_ns, time), pairs[i]->from, (long long)pairs[i]->waits);
    fprintf(f, n == 0 ? "none\n" : "");
    print_more(f, all - n, "pairs of ranks");
    free(pairs);
    fprintf(f, "\nLate senders: the receiver waited before the send was called\n");
    for (size_t i = 0; i < p->n_late && i < PROFILE_LISTED; i++) {
        const struct profile_late *l = &p->late[i];

        fprintf(f, "rank %d in %s waited %s until rank %d called %s; messages: %lld\n", l->to,
                profile_label_name(p, l->received, received), profile_time(l->late_ns, time),
                l->from, profile_label_name(p, l->sent, sent), (long long)l->messages);
    }
    fprintf(f, p->n_late == 0 ? "none\n" : "");
    print_more(f, p->n_late > PROFILE_LISTED ? p->n_late - PROFILE_LISTED : 0, "late senders");
}

static void print_matrix(FILE *f, const struct profile *p, const char *title, bool bytes)
{
    size_t k = 0;

    fprintf(f, "\n%s: from the rank of the line to the rank of the column\n%6s", title, "");
    for (int to = 0; to < p->P; to++)
        fprintf(f, " %8d", to);
    for (int from = 0; from < p->P; from++) {
        fprintf(f, "\n%6d", from);
        for (int to = 0; to < p->P; to++) {
            const bool there = k < p->n_pairs && p->pairs[k].from == from && p->pairs[k].to == to;

            fprintf(f, " %8lld",
                    there ? (long long)(bytes ? p->pairs[k].bytes : p->pairs[k].messages) : 0);
            k += there;
        }
    }
    fputc('\n', f);
}

static void print_collectives(FILE *f, const struct profile *p)
{
    char mean[32], predicted[32];

    if (p->calls->n_collectives == 0)
        return;
    fprintf(f,
            "\nCollectives: measured from the last rank's call to the last rank's return\n"
            "%8s %6s %10s %10s %10s  algorithm\n",
            "number", "ranks", "bytes", "measured", "predicted");
    for (int i = 0; i < p->calls->n_collectives; i++) {
        const struct mpi_collective *c = &p->calls->collectives[i];
        bool exact;
        const int64_t ns = profile_predicted(p, c, &exact);

        fprintf(f, "%8llu %6d %10lld %10s %10s  %s in %s\n", (unsigned long long)c->n, c->P,
                (long long)profile_bytes(c),
                c->n_timed > 0 ? profile_time(c->ns / (int64_t)c->n_timed, mean) : "-",
                ns >= 0 ? profile_time(ns, predicted) : "-", c->algorithm->name, c->call);
    }
}

static void print_what_if(FILE *f, const struct profile *p)
{
    char time[32], value[64], half[32], more[64];

    fprintf(f, "\nWith other parameters\n");
    if (p->explained == NULL) {
        fprintf(f, "not known: %s\n", p->why_not);
        return;
    }
    fprintf(f,
            "the messages of the run in their order take %s; a run with other parameters may take "
            "other algorithms for its collectives\n",
            profile_time(p->explained->ns, time));
    if (*profile_unchanged(p) != '\0')
        fprintf(f, "%s\n", profile_unchanged(p));
    for (int i = 0; i < p->n_curves; i++) {
        const struct logp_curve *c = &p->curves[i];
        const int64_t ps = logp_curve_ps(c, c->at_ps / 2);

        fprintf(f, "half of %s (%s): %s, %+.1f%%;", logp_parameter_name(c->parameter),
                profile_value(c, value), profile_time(ps / 1000, half),
                100.0 * ((double)ps / 1e3 / (double)p->explained->ns - 1));
        for (const int *percent = tolerated_percents; *percent > 0; percent++)
            fprintf(f, "%s %s more: %d%% longer", percent > tolerated_percents ? "," : "",
                    profile_growth(c, *percent, more), *percent);
        putc('\n', f);
    }
}

static void print_facts(FILE *f, const struct profile *p)
{
    struct profile_facts facts = profile_facts(p);

    for (size_t i = 1; i < facts.n; i++) { /* the first is the program, whose line is above */
        fprintf(f, "%s: ", facts.fact[i].name);
        write_shown(f, facts.fact[i].value);
        putc('\n', f);
    }
    profile_free_facts(&facts);
}

void profile_as_text(FILE *f, const struct profile *p)
{
    char end[32], wait[32], late[32];

    write_shown(f, p->program);
    fprintf(
        f,
        ", P = %lld: %s, with the barrier of MPI_Finalize; %lld messages, %lld bytes; all ranks "
        "together waited %s, of it %s for "
        "late senders\n",
        (long long)p->P, profile_time(p->end_ns, end), (long long)p->messages, (long long)p->bytes,
        profile_time(p->wait_ns, wait), profile_time(p->late_ns, late));
    print_facts(f, p);
    if (logp_trace_info(p->trace)->dropped > 0)
        fprintf(f,
                "the run had %llu events more than a trace keeps; messages and waits lack them\n",
                (unsigned long long)logp_trace_info(p->trace)->dropped);
    print_calls(f, p);
    print_ranks(f, p);
    print_waits(f, p);
    if (p->P <= TEXT_CELLS) {
        print_matrix(f, p, "Messages", false);
        print_matrix(f, p, "Bytes", true);
    } else {
        fprintf(f, "\nMessages and bytes of each pair of ranks: --report FILE.json has them\n");
    }
    print_collectives(f, p);
    print_what_if(f, p);
}

/* ---- JSON ---- */

static json_t *calls_json(const struct profile *p)
{
    json_t *all = json_array();

    for (int s = 0; s < p->calls->n_sites; s++) {
        const struct mpi_site *site = &p->calls->sites[s];
        json_t *ranks = json_array();

        for (int64_t r = 0; r < p->P && site->same == s; r++) {
            const struct mpi_call *c = &p->calls->calls[r * p->calls->n_sites + s];

            json_array_append_new(ranks, json_pack("[I,I,I]", (json_int_t)c->n, (json_int_t)c->ns,
                                                   (json_int_t)c->most_ns));
        }
        if (site->same != s)
            json_decref(ranks);
        else
            json_array_append_new(all, json_pack("{s:s, s:s, s:o}", "call", site->call, "place",
                                                 site->place[0] != '\0' ? site->place + 1 : "",
                                                 "ranks", ranks));
    }
    return all;
}

static json_t *pairs_json(const struct profile *p)
{
    json_t *all = json_array();

    for (size_t i = 0; i < p->n_pairs; i++) {
        const struct profile_pair *x = &p->pairs[i];

        json_array_append_new(
            all, json_pack("{s:i, s:i, s:I, s:I, s:I, s:I}", "from", x->from, "to", x->to,
                           "messages", (json_int_t)x->messages, "bytes", (json_int_t)x->bytes,
                           "waits", (json_int_t)x->waits, "wait_ns", (json_int_t)x->wait_ns));
    }
    return all;
}

static json_t *late_json(const struct profile *p)
{
    json_t *all = json_array();

    for (size_t i = 0; i < p->n_late; i++) {
        const struct profile_late *l = &p->late[i];
        char sent[256], received[256];

        json_array_append_new(
            all, json_pack("{s:i, s:i, s:s, s:s, s:I, s:I}", "from", l->from, "to", l->to, "sent",
                           profile_label_name(p, l->sent, sent), "received",
                           profile_label_name(p, l->received, received), "messages",
                           (json_int_t)l->messages, "late_ns", (json_int_t)l->late_ns));
    }
    return all;
}

static json_t *collectives_json(const struct profile *p)
{
    json_t *all = json_array();

    for (int i = 0; i < p->calls->n_collectives; i++) {
        const struct mpi_collective *c = &p->calls->collectives[i];
        bool exact;
        const int64_t ns = profile_predicted(p, c, &exact);
        const bool timed = c->n_timed > 0;

        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s, s:i, s:I, s:b, s:I, s:o, s:o, s:o, s:o, s:b}", "call",
                           c->call, "collective", c->algorithm->collective, "algorithm",
                           c->algorithm->name, "P", c->P, "bytes", (json_int_t)profile_bytes(c),
                           "started", c->started, "n", (json_int_t)c->n, "mean_ns",
                           json_if(timed, timed ? c->ns / (int64_t)c->n_timed : 0), "least_ns",
                           json_if(timed, c->least_ns), "most_ns", json_if(timed, c->most_ns),
                           "predicted_ns", json_if(ns >= 0, ns), "exact", exact));
    }
    return all;
}

static json_t *what_if_json(const struct profile *p)
{
    json_t *curves;

    if (p->explained == NULL)
        return json_pack("{s:s}", "why_not", p->why_not);
    curves = json_array();
    for (int i = 0; i < p->n_curves; i++) {
        const struct logp_curve *c = &p->curves[i];
        json_t *lines = json_array();

        for (size_t k = 0; k < c->n; k++)
            json_array_append_new(lines, json_pack("{s:I, s:I, s:I}", "from_ps",
                                                   (json_int_t)c->lines[k].from_ps, "slope",
                                                   (json_int_t)c->lines[k].slope, "base_ps",
                                                   (json_int_t)c->lines[k].base_ps));
        json_array_append_new(curves, json_pack("{s:s, s:I, s:o, s:o}", "parameter",
                                                logp_parameter_name(c->parameter), "at_ps",
                                                (json_int_t)c->at_ps, "lines", lines, "tolerance",
                                                tolerance_json(c)));
    }
    return json_pack("{s:I, s:o}", "ns", (json_int_t)p->explained->ns, "curves", curves);
}

static json_t *arrivals_json(const struct profile *p)
{
    json_t *all;

    if (p->calls->arrivals_ns == NULL)
        return json_null();
    all = json_array();
    for (int64_t r = 0; r < p->P; r++)
        json_array_append_new(all, json_integer((json_int_t)p->calls->arrivals_ns[r]));
    return all;
}

/* The keys of the facts are their names in small letters. */
static void add_facts(json_t *all, const struct profile *p)
{
    struct profile_facts facts = profile_facts(p);
    const struct logp_params *x = &p->q->model.network.params;

    for (size_t i = 1; i < facts.n; i++) {
        char key[16], *shown = shown_text(facts.fact[i].value);
        size_t k = 0;

        for (; facts.fact[i].name[k] != '\0'; k++)
            key[k] = (char)tolower((unsigned char)facts.fact[i].name[k]);
        key[k] = '\0';
        json_object_set_new(all, key, json_string(shown));
        free(shown);
    }
    profile_free_facts(&facts);
    if (p->q->model.emulated)
        json_object_update_new(
            all, json_pack("{s:I, s:I, s:I, s:I, s:f}", "L_ns", (json_int_t)x->L_ns, "o_send_ns",
                           (json_int_t)x->o_send_ns, "o_recv_ns", (json_int_t)x->o_recv_ns, "g_ns",
                           (json_int_t)x->g_ns, "G_ns_per_byte", (double)x->G_ps / 1000));
}

void profile_as_json(FILE *f, const struct profile *p)
{
    json_t *ranks = json_array(), *all;
    char *shown = shown_text(p->program);

    for (int64_t r = 0; r < p->P; r++)
        json_array_append_new(ranks, json_pack("{s:I, s:I, s:I, s:I, s:I}", "call_ns",
                                               (json_int_t)p->ranks[r].call_ns, "wait_ns",
                                               (json_int_t)p->ranks[r].wait_ns, "compute_ns",
                                               (json_int_t)p->ranks[r].compute_ns, "messages",
                                               (json_int_t)p->ranks[r].sent, "bytes",
                                               (json_int_t)p->ranks[r].sent_bytes));
    all = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:o}",
        "program", need(shown), "P", (json_int_t)p->P, "end_ns", (json_int_t)p->end_ns, "messages",
        (json_int_t)p->messages, "bytes", (json_int_t)p->bytes, "wait_ns", (json_int_t)p->wait_ns,
        "late_ns", (json_int_t)p->late_ns, "dropped",
        (json_int_t)logp_trace_info(p->trace)->dropped, "ranks", ranks, "calls", calls_json(p),
        "pairs", pairs_json(p), "late", late_json(p), "collectives", collectives_json(p), "what_if",
        what_if_json(p), "storage", p->q->mpi.storage.text, "arrivals_ns", arrivals_json(p));
    add_facts(need(all), p);
    json_dumpf(all, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    fputc('\n', f);
    json_decref(all);
    free(shown);
}

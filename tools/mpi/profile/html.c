/* SPDX-License-Identifier: MIT */
/*
 * The report as a page that loads nothing. Its figures and tables are complete when it is opened;
 * the scripts draw the timeline, sort tables and save figures.
 */
#include "html.h"
#include "view/report/report.h"
#include "view/trace/trace.h"
#include "text/problem.h"
#include "view/records/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN_CALLS = 16 };
#define SMALL_SHARE 0.1 /* % of the time of all ranks */

static void text(FILE *f, const char *words)
{
    write_xml(f, words);
}

static void begin_section(FILE *f, const char *id, const char *title, const char *says)
{
    fprintf(f,
            "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n"
            "<p class=\"soft\">%s</p>\n",
            id, id, id, title, says);
}

/* Write how many entries the list above, of the largest, leaves out, and which file has all. */
static void write_left_out(FILE *f, size_t n, const char *what)
{
    if (n > 0)
        fprintf(f, "<p class=\"soft\">%zu more %s; --report FILE.json has all.</p>\n", n, what);
}

static void figure(FILE *f, const char *name, const char *value, const char *small)
{
    fprintf(f, "<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", name, value, small);
}

/* ---- the parts ---- */

static void fact(FILE *f, const char *name, const char *value)
{
    fprintf(f, "<div><dt>%s</dt><dd>", name);
    text(f, value);
    fputs("</dd></div>\n", f);
}

static void write_facts(FILE *f, const struct profile *p)
{
    struct profile_facts facts = profile_facts(p);

    fputs("<dl class=\"facts\">\n", f);
    for (size_t i = 0; i < facts.n; i++)
        fact(f, facts.fact[i].name, facts.fact[i].value);
    fputs("</dl>\n", f);
    profile_free_facts(&facts);
}

static void write_lead(FILE *f, const struct profile *p)
{
    const char *slash = strrchr(p->program, '/');
    const int64_t program = program_ns(p->trace);
    char value[64], small[128], time[32];
    uint64_t dropped = logp_trace_info(p->trace)->dropped;

    fprintf(f, "<section class=\"lead\" aria-labelledby=\"title\"><h1 id=\"title\">");
    text(f, slash != NULL ? slash + 1 : p->program);
    fprintf(f, "</h1><p class=\"soft\">%lld ranks</p>\n", (long long)p->P);
    write_facts(f, p);
    fputs("<dl class=\"figures\">\n", f);
    snprintf(small, sizeof(small), "MPI_Finalize from %s on", profile_time(program, time));
    figure(f, "Time", profile_time(p->end_ns, value),
           program >= 0 && program < p->end_ns ? small : "until the last rank ended");
    snprintf(value, sizeof(value), "%lld", (long long)p->messages);
    snprintf(small, sizeof(small), "%lld bytes", (long long)p->bytes);
    figure(f, "Messages", value, small);
    snprintf(value, sizeof(value), "%.1f&#8239;%%", percent(p->wait_ns, p->end_ns * p->P));
    figure(f, "Waiting", value, "of the time of all ranks");
    snprintf(value, sizeof(value), "%.1f&#8239;%%", percent(p->late_ns, p->end_ns * p->P));
    snprintf(small, sizeof(small), "%s in all", profile_time(p->late_ns, time));
    figure(f, "Late senders", value, small);
    fprintf(f, "</dl>\n");
    if (dropped > 0)
        fprintf(f,
                "<p class=\"wrong\">The run had %llu events more than a trace keeps. Messages and "
                "waits lack them.</p>\n",
                (unsigned long long)dropped);
    fprintf(f, "</section>\n");
}

static void write_ranks(FILE *f, const struct profile *p)
{
    begin_section(f, "ranks", "Ranks",
                  "How each rank spent its time. A rank that waits little is one that the others "
                  "wait for.");
    fprintf(f,
            "<ul class=\"key\"><li><i class=\"own\"></i>own work</li><li><i class=\"mpi\"></i>MPI"
            "</li><li><i class=\"wait\"></i>waiting in MPI</li></ul>\n<figure id=\"ranks-bars\" "
            "data-figure=\"ranks\">");
    draw_ranks(f, p);
    fprintf(f, "</figure></section>\n");
}

static void write_calls(FILE *f, const struct profile *p)
{
    static const char *const heads[] = {"Call",
                                        "Number",
                                        "~Time, all ranks",
                                        "Share",
                                        "<span class=\"hidden\">Bar of the share</span>",
                                        "~Mean",
                                        "~Longest",
                                        NULL};
    int n, *sites = profile_sites(p, &n), left = 0;
    char name[256];

    begin_section(f, "calls", "Calls",
                  "Time within each call of the program, by rank. The share is that of the time "
                  "of all ranks.");
    fprintf(f, "<figure id=\"calls-map\" data-figure=\"calls\">");
    draw_calls(f, p, sites, n < DRAWN_CALLS ? n : DRAWN_CALLS);
    if (n > DRAWN_CALLS)
        fprintf(f, "<figcaption>The %d calls with most time; %d more are not drawn.</figcaption>",
                DRAWN_CALLS, n - DRAWN_CALLS);
    fprintf(f, "</figure>\n");
    profile_begin_table(f, "Calls", heads);
    for (int i = 0; i < n; i++) {
        const struct mpi_call c = profile_sum(p, sites[i]);
        const double share = percent(c.ns, p->end_ns * p->P);

        if (i >= DRAWN_CALLS && share < SMALL_SHARE) {
            left++;
            continue;
        }
        fprintf(f, "<tr><th scope=\"row\">");
        text(f, profile_site_name(p, sites[i], name));
        fprintf(f, "</th><td>%llu</td>", (unsigned long long)c.n);
        profile_time_cell(f, c.ns, "");
        profile_share_cell(f, share);
        fprintf(f, "<td class=\"bar-cell\"><span style=\"width:%.1f%%\"></span></td>", share);
        profile_time_cell(f, c.n > 0 ? c.ns / (int64_t)c.n : 0, "");
        profile_time_cell(f, c.most_ns, "");
        fputs("</tr>\n", f);
    }
    profile_end_table(f);
    if (left > 0)
        fprintf(f,
                "<p class=\"soft\">%d more calls took less than %.1f&#8239;%% each; --report "
                "FILE.txt lists them.</p>\n",
                left, SMALL_SHARE);
    fprintf(f, "</section>\n");
    free(sites);
}

static void write_waits(FILE *f, const struct profile *p)
{
    static const char *const heads[] = {"Rank", "~waited", "for rank", "in receives", NULL},
                             *const late_heads[] = {"Rank",    "|in",      "~waited", "until rank",
                                                    "|called", "Messages", NULL};
    const struct profile_pair **pairs;
    const size_t all = profile_waits(p, p->n_pairs, &pairs),
                 n = all < PROFILE_LISTED ? all : PROFILE_LISTED;
    char name[256];

    begin_section(f, "waits", "Which rank waited for which",
                  "A row is the rank that was waited for, a column the rank that waited.");
    fprintf(f, "<figure id=\"waits-map\" data-figure=\"waits\">");
    draw_matrix(f, p, MATRIX_WAITS);
    fprintf(f, "</figure>\n");
    profile_begin_table(f, "The longest waits", heads);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "<tr><th scope=\"row\">%d</th>", pairs[i]->to);
        profile_time_cell(f, pairs[i]->wait_ns, "");
        fprintf(f, "<td>%d</td><td>%lld</td></tr>\n", pairs[i]->from, (long long)pairs[i]->waits);
    }
    profile_end_table(f);
    write_left_out(f, all - n, "pairs of ranks waited");
    free(pairs);
    if (p->n_late == 0) {
        fputs("</section>\n", f);
        return;
    }
    fprintf(
        f, "<h3>Late senders</h3><p class=\"soft\">The receiver waited before the send was called: "
           "a faster network would not shorten this part of its wait.</p>\n");
    profile_begin_table(f, "Late senders", late_heads);
    for (size_t i = 0; i < p->n_late && i < PROFILE_LISTED; i++) {
        const struct profile_late *l = &p->late[i];

        fprintf(f, "<tr><th scope=\"row\">%d</th><td class=\"left\">", l->to);
        text(f, profile_label_name(p, l->received, name));
        fputs("</td>", f);
        profile_time_cell(f, l->late_ns, "");
        fprintf(f, "<td>%d</td><td class=\"left\">", l->from);
        text(f, profile_label_name(p, l->sent, name));
        fprintf(f, "</td><td>%lld</td></tr>\n", (long long)l->messages);
    }
    profile_end_table(f);
    write_left_out(f, p->n_late > PROFILE_LISTED ? p->n_late - PROFILE_LISTED : 0, "late senders");
    fprintf(f, "</section>\n");
}

static int by_bytes(const void *a, const void *b)
{
    const struct profile_pair *const *x = a, *const *y = b;

    return (*x)->bytes != (*y)->bytes
               ? ((*x)->bytes < (*y)->bytes) - ((*x)->bytes > (*y)->bytes)
               : ((*x)->messages < (*y)->messages) - ((*x)->messages > (*y)->messages);
}

static void write_messages(FILE *f, const struct profile *p)
{
    static const char *const heads[] = {"From rank", "to rank", "Messages", "Bytes", NULL};
    const struct profile_pair **pairs = need(malloc((p->n_pairs + 1) * sizeof(*pairs)));

    begin_section(f, "messages", "Messages",
                  "A line is the sender, a column the receiver. Messages of collectives count. "
                  "What goes through shared memory does not count.");
    fprintf(f, "<figure id=\"messages-map\" data-figure=\"messages\">");
    draw_matrix(f, p, MATRIX_BYTES);
    fprintf(f, "</figure>\n");
    for (size_t i = 0; i < p->n_pairs; i++)
        pairs[i] = &p->pairs[i];
    qsort(pairs, p->n_pairs, sizeof(*pairs), by_bytes);
    profile_begin_table(f, "The pairs with most bytes", heads);
    for (size_t i = 0; i < p->n_pairs && i < PROFILE_LISTED; i++)
        fprintf(f, "<tr><th scope=\"row\">%d</th><td>%d</td><td>%lld</td><td>%lld</td></tr>\n",
                pairs[i]->from, pairs[i]->to, (long long)pairs[i]->messages,
                (long long)pairs[i]->bytes);
    profile_end_table(f);
    write_left_out(f, p->n_pairs > PROFILE_LISTED ? p->n_pairs - PROFILE_LISTED : 0,
                   "pairs of ranks");
    fprintf(f, "</section>\n");
    free(pairs);
}

static void write_collectives(FILE *f, const struct profile *p)
{
    static const char *const heads[] = {"Call",  "|Algorithm", "Ranks",      "Bytes", "Calls",
                                        "~Mean", "~Longest",   "~Predicted", NULL};

    if (p->calls->n_collectives == 0)
        return;
    begin_section(f, "collectives", "Collectives",
                  "The algorithm that each call took. Mean is the mean time from the last "
                  "rank's call to the last rank's return. The prediction is for ranks that all "
                  "call at one time. Nonblocking calls have no time.");
    profile_begin_table(f, "Collectives", heads);
    for (int i = 0; i < p->calls->n_collectives; i++) {
        const struct mpi_collective *c = &p->calls->collectives[i];
        bool exact;
        const int64_t ns = profile_predicted(p, c, &exact);

        fprintf(f,
                "<tr><th scope=\"row\">%s</th><td class=\"left\">%s</td><td>%d</td><td>%lld</td>"
                "<td>%llu</td>",
                c->call, c->algorithm->name, c->P, (long long)profile_bytes(c),
                (unsigned long long)c->n);
        profile_time_or_none(f, c->n_timed > 0 ? c->ns / (int64_t)c->n_timed : -1, "");
        profile_time_or_none(f, c->n_timed > 0 ? c->most_ns : -1, "");
        profile_time_or_none(f, ns, exact ? "" : "at most ");
        fputs("</tr>\n", f);
    }
    profile_end_table(f);
    fprintf(f, "</section>\n");
}

static void write_value(FILE *f, const struct profile *p, int64_t ps)
{
    const double change = 100.0 * ((double)ps / 1e3 / (double)p->explained->ns - 1);

    profile_time_cell(f, ps / 1000, "");
    fprintf(f, "<td data-v=\"%.3f\">%+.1f&#8239;%%</td>", change, change);
}

/* By how much each parameter may grow. */
static void write_tolerances(FILE *f, const struct profile *p)
{
    static const char *const heads[] = {"Parameter", "1 % longer", "2 % longer", "5 % longer",
                                        NULL};
    char growth[64];

    profile_begin_table(f, "Tolerance: how far a parameter may grow until the run takes longer",
                        heads);
    for (int i = 0; i < p->n_curves; i++) {
        fprintf(f, "<tr><th scope=\"row\">%s</th>", logp_parameter_name(p->curves[i].parameter));
        for (const int *percent = tolerated_percents; *percent > 0; percent++)
            fprintf(f, "<td>%s</td>", profile_growth(&p->curves[i], *percent, growth));
        fprintf(f, "</tr>\n");
    }
    profile_end_table(f);
}

static void write_what_if(FILE *f, const struct profile *p)
{
    static const char *const heads[] = {"Parameter", "Value",  "On the path", "~at 0",  "Change",
                                        "~at half",  "Change", "~doubled",    "Change", NULL};
    char value[64], time[32];

    if (p->explained == NULL)
        return;
    begin_section(
        f, "what-if", "With other parameters",
        "The time that the messages of this run take, each rank in its order, as a "
        "function of one parameter. A run with other parameters may take other algorithms "
        "for its collectives, and a program may decide by time: run it again to be "
        "sure.");
    fprintf(
        f,
        "<p>With the parameters of the run: %s. %s</p><div class=\"columns\" id=\"what-if-curves\" "
        "data-figure=\"parameters\">\n",
        profile_time(p->explained->ns, time), profile_unchanged(p));
    for (int i = 0; i < p->n_curves; i++)
        draw_curve(f, p, &p->curves[i]);
    fprintf(f, "</div>\n");
    profile_begin_table(f, "Time with other parameters", heads);
    for (int i = 0; i < p->n_curves; i++) {
        const struct logp_curve *c = &p->curves[i];

        fprintf(f, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%lld times</td>",
                logp_parameter_name(c->parameter), profile_value(c, value), (long long)c->right);
        write_value(f, p, logp_curve_ps(c, 0));
        write_value(f, p, logp_curve_ps(c, c->at_ps / 2));
        write_value(f, p, logp_curve_ps(c, 2 * c->at_ps));
        fprintf(f, "</tr>\n");
    }
    profile_end_table(f);
    write_tolerances(f, p);
    fprintf(f, "</section>\n");
}

/* The sections that the run has, with their names. */
static void write_links(FILE *f, const struct profile *p)
{
    const struct {
        const char *id, *name;
        bool shown;
    } all[] = {
        {"against", "Compared", p->before != NULL},
        {"timeline", "Timeline", p->calls->n_sites > 0},
        {"ranks", "Ranks", true},
        {"calls", "Calls", p->calls->n_sites > 0},
        {"waits", "Waits", p->wait_ns > 0},
        {"messages", "Messages", p->n_pairs > 0},
        {"collectives", "Collectives", p->calls->n_collectives > 0},
        {"what-if", "Other parameters", p->explained != NULL},
    };

    fputs("<nav aria-label=\"Sections\">", f);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].shown)
            fprintf(f, "<a href=\"#%s\">%s</a>", all[i].id, all[i].name);
    fputs("</nav>", f);
}

void profile_as_html(FILE *f, const struct profile *p)
{
    fprintf(f,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>");
    text(f, p->program);
    fprintf(f, ": MPI report</title>\n<style>\n");
    write_plain_styles(f);
    fprintf(f,
            "</style></head>\n<body><a class=\"skip\" href=\"#ranks\">Skip to the ranks</a>\n"
            "<header class=\"top\"><div class=\"top-row\"><p class=\"brand\">LogP <span>MPI report"
            "</span></p>");
    write_links(f, p);
    fprintf(f, "<button type=\"button\" id=\"theme\" class=\"quiet\" aria-pressed=\"false\">Dark"
               "</button></div></header>\n<main>\n");
    write_lead(f, p);
    if (p->before != NULL)
        write_against(f, p, p->q->form.against, p->before);
    if (p->calls->n_sites > 0)
        write_timeline(f, p);
    write_ranks(f, p);
    if (p->calls->n_sites > 0)
        write_calls(f, p);
    if (p->wait_ns > 0)
        write_waits(f, p);
    if (p->n_pairs > 0)
        write_messages(f, p);
    write_collectives(f, p);
    write_what_if(f, p);
    fprintf(f, "</main>\n<footer>liblogp %s</footer>\n", logp_version());
    write_plain_scripts(f);
    fputs("</body></html>\n", f);
}

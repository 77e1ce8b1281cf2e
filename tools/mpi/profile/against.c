/* SPDX-License-Identifier: MIT */
/* Two runs: which calls and waits became longer or shorter since the run of a JSON report. */
#include "html.h"
#include "text/problem.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 };

/* ---- the file ---- */

/* Whether each element of an array is an object that has these members; the last is NULL. */
static bool have(const json_t *array, const char *const members[])
{
    size_t i;
    const json_t *x;

    for (i = 0; i < json_array_size(array); i++) {
        x = json_array_get(array, i);
        for (const char *const *m = members; *m != NULL; m++)
            if (json_object_get(x, *m) == NULL)
                return false;
    }
    return json_is_array(array);
}

static bool is_report(const json_t *all)
{
    static const char *const call[] = {"call", "place", "ranks", NULL}, *const pair[] = {
                                                                            "from", "to", "wait_ns",
                                                                            NULL};

    return json_is_string(json_object_get(all, "program")) &&
           json_is_integer(json_object_get(all, "P")) &&
           json_is_integer(json_object_get(all, "end_ns")) &&
           have(json_object_get(all, "calls"), call) && have(json_object_get(all, "pairs"), pair);
}

struct problem *profile_read(const char *path, json_t **out)
{
    json_error_t error;

    *out = json_load_file(path, 0, &error);
    if (*out == NULL)
        return must_be("--against", path, "a file of logp mpirun --report FILE.json: %s",
                       error.text);
    if (is_report(*out))
        return NULL;
    json_decref(*out);
    *out = NULL;
    return must_be("--against", path,
                   "a file of logp mpirun --report FILE.json; this is another one");
}

/* ---- what changed ---- */

/* A call, or a pair of ranks, in both runs. */
struct change {
    char name[320];
    int64_t before_ns, now_ns, before_n, now_n;
};

struct changes {
    struct change *all;
    size_t n, room;
};

static struct change *change_of(struct changes *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->all[i].name, name) == 0)
            return &c->all[i];
    if (c->n == c->room) {
        c->room = c->room > 0 ? 2 * c->room : 64;
        c->all = need(realloc(c->all, c->room * sizeof(*c->all)));
    }
    c->all[c->n] = (struct change){.before_ns = 0};
    snprintf(c->all[c->n].name, sizeof(c->all[c->n].name), "%s", name);
    return &c->all[c->n++];
}

/* The calls of both runs, by their function and line. */
static struct changes call_changes(const struct profile *p, const json_t *before)
{
    struct changes c = {0};
    size_t i, k;
    const json_t *call, *rank;
    int n, *sites = profile_sites(p, &n);
    char name[320];

    for (int s = 0; s < n; s++) {
        const struct mpi_call sum = profile_sum(p, sites[s]);
        struct change *x = change_of(&c, profile_site_name(p, sites[s], name));

        x->now_ns += sum.ns;
        x->now_n += (int64_t)sum.n;
    }
    json_array_foreach(json_object_get(before, "calls"), i, call)
    {
        const char *place = json_string_value(json_object_get(call, "place"));
        struct change *x;

        snprintf(name, 256, "%s%s%s", json_string_value(json_object_get(call, "call")),
                 place != NULL && *place != '\0' ? " " : "", place != NULL ? place : "");
        x = change_of(&c, name);
        json_array_foreach(json_object_get(call, "ranks"), k, rank)
        {
            x->before_n += json_integer_value(json_array_get(rank, 0));
            x->before_ns += json_integer_value(json_array_get(rank, 1));
        }
    }
    free(sites);
    return c;
}

/* The waits of both runs, by pair of ranks. Both lists are in the order of (from, to). */
static struct changes wait_changes(const struct profile *p, const json_t *before)
{
    const json_t *pairs = json_object_get(before, "pairs");
    const size_t n = json_array_size(pairs);
    struct changes c = {.room = p->n_pairs + n + 1};
    size_t i = 0, k = 0;

    c.all = need(calloc(c.room, sizeof(*c.all)));
    while (i < p->n_pairs || k < n) {
        const json_t *old = json_array_get(pairs, k);
        const int from = (int)json_integer_value(json_object_get(old, "from")),
                  to = (int)json_integer_value(json_object_get(old, "to"));
        const struct profile_pair *now = i < p->n_pairs ? &p->pairs[i] : NULL;
        const int order = now == NULL         ? 1
                          : old == NULL       ? -1
                          : now->from != from ? now->from - from
                                              : now->to - to;
        struct change *x = &c.all[c.n++];

        snprintf(x->name, sizeof(x->name), "rank %d for rank %d", order <= 0 ? now->to : to,
                 order <= 0 ? now->from : from);
        if (order <= 0) {
            x->now_ns = now->wait_ns;
            x->now_n = now->waits;
            i++;
        }
        if (order >= 0) {
            x->before_ns = json_integer_value(json_object_get(old, "wait_ns"));
            x->before_n = json_integer_value(json_object_get(old, "waits"));
            k++;
        }
    }
    return c;
}

static int64_t by_ns(const struct change *x)
{
    return x->now_ns - x->before_ns;
}

static int larger(const void *a, const void *b)
{
    const int64_t x = llabs(by_ns(a)), y = llabs(by_ns(b));

    return x != y ? (x < y) - (x > y)
                  : strcmp(((const struct change *)a)->name, ((const struct change *)b)->name);
}

/* ---- the section ---- */

static void difference_cell(FILE *f, int64_t before_ns, int64_t now_ns)
{
    const int64_t ns = now_ns - before_ns;
    char time[32];

    fprintf(f, "<td data-v=\"%lld\">%s%s</td>", (long long)ns,
            ns > 0   ? "+"
            : ns < 0 ? "&minus;"
                     : "",
            profile_time(llabs(ns), time));
}

static void write_changes(FILE *f, struct changes *c, const char *title, const char *what)
{
    const char *heads[] = {what,         "~Before", "~Now", "~Difference", "Number before",
                           "Number now", NULL};
    size_t n = 0;

    if (c->n > 0)
        qsort(c->all, c->n, sizeof(*c->all), larger);
    while (n < c->n && by_ns(&c->all[n]) != 0)
        n++;
    if (n == 0) {
        fprintf(f, "<h3>%s</h3><p>No time differs.</p>\n", title);
        free(c->all);
        return;
    }
    fprintf(f, "<h3>%s</h3>\n", title);
    profile_begin_table(f, title, heads);
    for (size_t i = 0; i < n && i < LISTED; i++) {
        const struct change *x = &c->all[i];

        fputs("<tr><th scope=\"row\">", f);
        write_xml(f, x->name);
        fputs("</th>", f);
        profile_time_cell(f, x->before_ns, "");
        profile_time_cell(f, x->now_ns, "");
        difference_cell(f, x->before_ns, x->now_ns);
        fprintf(f, "<td>%lld</td><td>%lld</td></tr>\n", (long long)x->before_n,
                (long long)x->now_n);
    }
    profile_end_table(f);
    if (n > LISTED)
        fprintf(f, "<p class=\"soft\">%zu smaller differences are not listed.</p>\n", n - LISTED);
    free(c->all);
}

void write_against(FILE *f, const struct profile *p, const char *path, const json_t *before)
{
    const int64_t then = json_integer_value(json_object_get(before, "end_ns")),
                  P = json_integer_value(json_object_get(before, "P"));
    struct changes calls = call_changes(p, before), waits = wait_changes(p, before);
    char was[32], is[32];

    fputs("<section id=\"against\" aria-labelledby=\"against-title\">\n<h2 id=\"against-title\">"
          "Compared with ",
          f);
    write_xml(f, path);
    fprintf(f, "</h2>\n<p>The run took %s, and that one %s: %+.1f&#8239;%%.",
            profile_time(p->end_ns, is), profile_time(then, was),
            then > 0 ? 100.0 * ((double)p->end_ns / (double)then - 1) : 0);
    if (P != p->P)
        fprintf(f, " That one had %lld ranks.", (long long)P);
    fputs(
        "</p><p class=\"soft\">Times are those of all ranks together. The largest differences come "
        "first.</p>\n",
        f);
    write_changes(f, &calls, "Calls that became longer or shorter", "Call");
    write_changes(f, &waits, "Waits that became longer or shorter", "Waits of");
    fputs("</section>\n", f);
}

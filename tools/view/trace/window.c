/* SPDX-License-Identifier: MIT */
/* The part of a trace that a diagram shows: the times and ranks of --from, --to and --only. See
 * trace.h. */
#include "view/trace/trace.h"

#include <stdlib.h>

enum { MOST_SHOWN_ROWS = 64 };

struct problem *check_window(const struct question *q, const struct logp_trace *trace)
{
    const struct logp_trace_info *info = logp_trace_info(trace);
    char end[32];

    for (int i = 0; i < q->form.n_only; i++)
        if (q->form.only[i].last >= info->P)
            return must_be("--only", option_text(q, "only"), "ranks from 0 to %lld",
                           (long long)info->P - 1);
    if (q->form.from_ns > 0 && q->form.from_ns >= info->wall_ns)
        return must_be("--from", option_text(q, "from"), "before the end of the run, %s units",
                       in_units(q, info->wall_ns, end));
    return NULL;
}

static bool is_wanted(const struct question *q, int64_t rank)
{
    bool wanted = q->form.n_only == 0;

    for (int i = 0; i < q->form.n_only; i++)
        wanted |= rank >= q->form.only[i].first && rank <= q->form.only[i].last;
    return wanted;
}

struct window window_of(const struct question *q, int64_t P, int64_t end_ns, bool grouped)
{
    struct window w = {.from_ns = q->form.from_ns,
                       .to_ns =
                           q->form.to_ns > 0 && q->form.to_ns < end_ns ? q->form.to_ns : end_ns,
                       .per_row = 1,
                       .ranks = need(malloc(((size_t)P + 1) * sizeof(*w.ranks))),
                       .row_of = need(malloc(((size_t)P + 1) * sizeof(*w.row_of)))};

    w.is_cut = w.from_ns > 0 || w.to_ns < end_ns;
    for (int64_t r = 0; r < P; r++)
        if (is_wanted(q, r))
            w.ranks[w.n_ranks++] = r;
    if (grouped)
        w.per_row = (w.n_ranks + MOST_SHOWN_ROWS - 1) / MOST_SHOWN_ROWS;
    w.n_rows = (w.n_ranks + w.per_row - 1) / w.per_row;
    for (int64_t r = 0; r < P; r++)
        w.row_of[r] = -1;
    for (int64_t i = 0; i < w.n_ranks; i++)
        w.row_of[w.ranks[i]] = i / w.per_row;
    return w;
}

void free_window(struct window *w)
{
    free(w->ranks);
    free(w->row_of);
}

bool is_in_window(const struct window *w, int64_t start_ns, int64_t end_ns)
{
    return start_ns <= w->to_ns && end_ns >= w->from_ns &&
           (start_ns < w->to_ns || start_ns == end_ns) &&
           (end_ns > w->from_ns || start_ns == end_ns);
}

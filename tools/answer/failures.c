/* SPDX-License-Identifier: MIT */
/* What went wrong in a run, in words: its waits, and the effects of faults. */
#include "answer/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS_SHOWN = 8, WAITS_SHOWN = 16 };

/* "3, 7 and 5 more" */
static void list_ranks(const struct logp_failed *f, char *out, size_t size, const char *between)
{
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; i < f->n_wrong; i++) {
        if (n + 40 > size) {
            snprintf(out + n, size - n, "%s%d more", between[1] == ' ' ? " and " : ",+",
                     f->n_wrong - i);
            return;
        }
        n += (size_t)snprintf(out + n, size - n, "%s%d", i > 0 ? between : "", f->wrong[i]);
    }
}

static void explain_events(const void *faults)
{
    struct logp_fault_event all[EVENTS_SHOWN];
    const int n = logp_fault_events(faults, all, EVENTS_SHOWN);
    char time[32];

    for (int i = 0; i < n && i < EVENTS_SHOWN; i++)
        say_here("  %s: message %u of rank %d, to rank %d, sent at %s", all[i].kind,
                 all[i].number + 1, all[i].src, all[i].dst,
                 show_ns(all[i].time_ns, time, sizeof(time)));
    if (n > EVENTS_SHOWN)
        say_here("  ... and more");
}

void explain_waits(const struct logp_report *report, bool through)
{
    int shown = 0;
    char text[128];

    for (int i = 0; i < report->n_waits; i++) {
        const struct logp_wait_info *w = &report->waits[i];

        if ((!through && w->kind == LOGP_WAIT_SYNC) || shown++ >= WAITS_SHOWN)
            continue;
        logp_wait_text(w, text, sizeof(text));
        say_here("  rank %d %s", w->rank, text);
    }
    if (shown > WAITS_SHOWN)
        say_here("  ... and %d more", shown - WAITS_SHOWN);
}

void explain_failed(const struct question *q, struct row *row, const void *faults,
                    const struct logp_failed *f)
{
    char ranks[256];

    if (row->explained_failure)
        return;
    row->explained_failure = true;
    list_ranks(f, row->wrong_ranks, sizeof(row->wrong_ranks), ",");
    tell_doing(q, NULL);
    say_here("%s %s: run %d of %d failed", row->algorithm->collective, row->algorithm->name,
             f->repetition + 1, q->how.reps);
    explain_events(faults);
    explain_waits(f->report, false); /* waits for the next repetition do not count */
    if (f->n_wrong == 0)
        return;
    list_ranks(f, ranks, sizeof(ranks), ", ");
    say_here("  wrong or missing result on rank%s %s", f->n_wrong > 1 ? "s" : "", ranks);
}

void sum_up_faults(const struct question *q, const struct row *row)
{
    const struct logp_record *r = &row->record;
    const struct {
        uint64_t n;
        const char *what;
    } all[] = {{r->struck.dropped, "dropped"},
               {r->struck.duplicated, "duplicated"},
               {r->struck.flipped, "flipped"},
               {r->struck.delayed, "delayed"}};
    const char *between = "; messages:";
    char struck[160] = "";
    size_t n = 0;

    for (int i = 0; i < 4; i++)
        if (all[i].n > 0) {
            n += (size_t)snprintf(struck + n, sizeof(struck) - n, "%s %" PRIu64 " %s", between,
                                  all[i].n, all[i].what);
            between = ",";
        }
    if (r->failed > 0 || (n > 0 && q->form.format->for_people))
        say_here("%s %s: %d of %d runs failed%s", row->algorithm->collective, row->algorithm->name,
                 r->failed, runs_of_record(r), struck);
}

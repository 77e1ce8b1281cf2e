/* SPDX-License-Identifier: MIT */
/* The options of runs that the test kit makes: the fields of struct logp_check. */
#include "question/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct names strategies = {{"random", "pct", "exhaustive", "delays"}, 4};

static struct problem *apply_strategy(struct question *q, const char *option, const char *text)
{
    int which;

    TRY(which_name(option, text, &strategies, &which));
    q->explore.strategy = (enum logp_strategy)which;
    return NULL;
}

static struct problem *apply_sends(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"buffered", "synchronous", "varied"}, 3};
    static const enum logp_sends values[] = {LOGP_SENDS_BUFFERED, LOGP_SENDS_SYNCHRONOUS,
                                             LOGP_SENDS_VARIED};
    int which;

    TRY(which_name(option, text, &names, &which));
    q->explore.sends = values[which];
    return NULL;
}

/* An item "NAME=VALUE" of a list; of "VALUE" the name is "". */
struct item {
    char name[32];
    const char *value, *end;
};

/* @return false: the list has ended */
static bool next_item(const char *text, const char **at, struct item *out)
{
    const char *s = *at;
    const size_t n = strcspn(s, ",;"), length = strcspn(s, "=,;");
    const bool named = s[length] == '=';

    if (s != text && *s == '\0')
        return false;
    snprintf(out->name, sizeof(out->name), "%.*s", named ? (int)length : 0, s);
    out->value = named ? s + length + 1 : s;
    out->end = s + n;
    *at = s + n + (s[n] != '\0');
    return true;
}

/* A number 0 .. most that ends at `end`. */
static bool is_number(const char *text, const char *end, long most, long *out)
{
    char *last;

    errno = 0;
    *out = *text >= '0' && *text <= '9' ? strtol(text, &last, 10) : -1;
    return *out >= 0 && last == end && errno == 0 && *out <= most;
}

/* "2", or "crashes=1,lost=2,doubled=1": the most of each in a run. */
static struct problem *apply_most_faults(struct question *q, const char *option, const char *text)
{
    static const struct names kinds = {
        {"crashes", "lost", "doubled", "restarts", "partitions", "overtaken"}, 6};
    const bool of_mpi = (q->line.sets & OPTIONS_EXPLORE) == 0;
    struct logp_fault_limits *f = &q->explore.most_faults;
    int *const most[] = {&f->crashes,  &f->lost,       &f->doubled,
                         &f->restarts, &f->partitions, &q->explore.most_overtaken};
    const char *at = text;
    bool given[6] = {false};
    struct item item;
    long value;

    *f = (struct logp_fault_limits){0};
    q->explore.most_overtaken = 0;
    while (next_item(text, &at, &item)) {
        const int kind = *item.name == '\0' ? 0 : find_name(&kinds, item.name);

        if (of_mpi && kind == 5)
            return option_problem(option, text,
                                  "without overtaken: MPI keeps the order of messages that one "
                                  "receive matches");
        if (kind < 0 || (of_mpi && kind > 2) || !is_number(item.value, item.end, 1000, &value))
            return must_be(
                option, text,
                of_mpi ? "a number of ranks, or crashes=N,lost=N,doubled=N with N in 0 .. 1000"
                       : "a number of crashes, or crashes=N,restarts=N,lost=N,doubled=N,"
                         "overtaken=N,partitions=N with N in 0 .. 1000");
        if (given[kind])
            return must_be(option, text, "one number of each kind; %s has two", kinds.name[kind]);
        given[kind] = true;
        *most[kind] = (int)value;
    }
    return NULL;
}

/* "ranks=0-2,tags=7,half=0,one-way": the masks of struct logp_fault_places. */
static struct problem *apply_places(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"ranks", "senders", "receivers", "tags", "half"}, 5};
    struct logp_fault_places *p = &q->explore.places;
    uint64_t *const masks[] = {&p->ranks, &p->senders, &p->receivers, &p->tags, &p->half};
    const bool of_mpi = (q->line.sets & OPTIONS_EXPLORE) == 0; /* it has no partitions */
    const char *at = text, *dash;
    struct item item;
    long first, last;

    *p = (struct logp_fault_places){0};
    while (*text != '\0' && next_item(text, &at, &item)) {
        const int which = find_name(&names, item.name);

        if (!of_mpi && *item.name == '\0' && (size_t)(item.end - item.value) == strlen("one-way") &&
            strncmp(item.value, "one-way", strlen("one-way")) == 0) {
            p->one_way = true;
            continue;
        }
        dash = memchr(item.value, '-', (size_t)(item.end - item.value));
        if (which < 0 || (of_mpi && masks[which] == &p->half) ||
            !is_number(item.value, dash != NULL ? dash : item.end, 63, &first) ||
            (dash != NULL && (!is_number(dash + 1, item.end, 63, &last) || last < first)))
            return must_be(option, text,
                           "ranks=A-B, senders=A-B, receivers=A-B%s, separated by commas, with "
                           "numbers 0 .. 63",
                           of_mpi ? " or tags=A-B" : ", tags=A-B, half=A-B or one-way");
        for (long i = first; i <= (dash != NULL ? last : first); i++)
            *masks[which] |= UINT64_C(1) << i;
    }
    return NULL;
}

const struct option_row explore_options[] = {
    {"explore", "RUNS", "run so many times in different orders, until a run fails", "", "",
     OPTIONS_MPIRUN,
     NUMBER(explore.runs, false, 1, INT64_C(1) << 40, "a number of runs, 1 .. 2^40")},
    {"runs", "N", "runs for each P, each in another order", "", "1000; exhaustive: 10^6 at most",
     OPTIONS_EXPLORE,
     NUMBER(explore.runs, false, 1, INT64_C(1) << 40, "a number of runs, 1 .. 2^40")},
    {"strategy", "NAME", "how runs differ: random, pct, exhaustive, delays", "random", "",
     OPTIONS_EXPLORE, .apply = apply_strategy, .words = "random, pct, exhaustive, delays"},
    {"depth", "N", "pct: events in one order; exhaustive: choices that are varied", "",
     "3; exhaustive: all", OPTIONS_EXPLORE,
     NUMBER(explore.depth, false, 1, 1000000, "a number, 1 .. 1000000")},
    {"misses", "N", "polls of a processor in a row that may miss a message", "3", "",
     OPTIONS_EXPLORE, NUMBER(explore.misses, false, 1, 1000, "a number of polls, 1 .. 1000")},
    {"sends", "HOW", "buffered, synchronous: they wait for their receivers, varied", "buffered", "",
     OPTIONS_EXPLORE, .apply = apply_sends, .words = "buffered, synchronous, varied"},
    {"most-steps", "N", "events of a run; a longer run is cut", "200000", "", OPTIONS_EXPLORE,
     NUMBER(explore.most_steps, false, 1, INT64_C(1) << 40, "a number of events, 1 .. 2^40")},
    {"must-end", NULL, "a run that is cut is a failure", "off", "", OPTIONS_EXPLORE,
     SWITCH(explore.must_end)},
    {"leaves-messages", NULL, "a program may end before all its messages are received", "off", "",
     OPTIONS_EXPLORE, SWITCH(explore.leaves_messages)},
    {"leaves-requests", NULL, "a program may end before all its requests are complete", "off", "",
     OPTIONS_EXPLORE, SWITCH(explore.leaves_requests)},
    {"as-found", NULL, "do not make a failure smaller", "off", "", OPTIONS_EXPLORE,
     SWITCH(explore.as_found)},
    {"faults", "N",
     "up to N crashes in a run, or lost=N,doubled=N; explore: restarts, overtaken, partitions, "
     "too; mpirun: with --explore",
     "0", "", OPTIONS_MPIRUN | OPTIONS_EXPLORE, .apply = apply_most_faults},
    {"fault-places", "SPEC",
     "places of faults: ranks=A-B,senders=A-B,receivers=A-B,tags=A-B; explore: half=A-B,one-way, "
     "too",
     "", "everywhere", OPTIONS_MPIRUN | OPTIONS_EXPLORE, .apply = apply_places},
    {0},
};

/* SPDX-License-Identifier: MIT */
/*
 * The declarations that the files of the test kit share.
 *
 * A plan is the settings of a run: all that a replay file contains, except for the choices. A job
 * is a program with its plan, its machines (one for each P that has been tried), a strategy that
 * answers what the explorer asks, and the answers of the last run, so that they can be given again.
 * An outcome is the result of the last run.
 *
 *   growing.c                             texts and arrays that grow, the time
 *   environment.c settings.c              the settings of a check
 *   happens_before.c                      the order of the events of a run
 *   random.c pct.c exhaustive.c delays.c  the strategies
 *   guide.c near.c                        the same run in another order; runs near a failure
 *   exhaustive.h                          the exhaustive search, which processes may share, too
 *   outcomes.c                            the different outcomes of runs
 *   story.c words.c touch.c               the events of a run; events and choices in words; names of objects
 *   labels.c                              labels that the program reaches
 *   identity.c latencies.c observer.c     answers and records during a run
 *   replay.c parse.c origin.c             plans and choices as text, and back; where replays are written
 *   signals.c place.c ready.c             runs that end the process: handlers, the line, and their data
 *   child.c                               runs in child processes
 *   progress.c                            the progress of a check
 *   verdict.c twice.c                     the outcome of a run; the same run twice
 *   machines.c draw.c job.c               machines; the settings drawn for a run; runs
 *   cores.c search_size.c                 runs shared among processes; a search with one size
 *   smallest.c                            other runs with the same failure, of which the smallest is kept
 *   shrink.c                              the same failure with fewer ranks, faults, choices
 *   failure.c, lpi_tell()                 a failure as the caller gets it; in words
 *   fresh.c                               a replay in a fresh process
 *   line.c junit.c                        text in a signal handler; results as XML
 *   crash_again.c crash.c                 a run that ends the process, once more; its report
 *   nearest.c trace_lines.c again.c       replays, and their report to the command
 *   regressions.c                         a folder of replays that are run first
 *   logp_check.c                          logp_check()
 *
 * All of them see include/ alone. conditions.c, which is LOGP_CHECK(), does not use this header.
 */
#ifndef LPI_KIT_H
#define LPI_KIT_H

#include <logp/check.h>
#include <logp/delay.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* ---- growing.c ---- */

/* Grow an array (its pointer, and its capacity in elements) to n elements or more.
 * @return false: no memory, and both are as before */
#define LPI_GROW(array, capacity, n)                                                               \
    ((n) <= (capacity) || lpi_kit_grow(&(array), &(capacity), n, sizeof(*(array))))
bool lpi_kit_grow(void *array, int *capacity, int n, size_t size);
/* The host's clock. */
int64_t lpi_kit_now(void);

struct lpi_text {
    char *s; /* NULL: nothing, or no memory */
    size_t n, capacity;
    bool failed;
};
void lpi_text_add(struct lpi_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "name text" and a newline. Control characters become \xHH, and \ becomes \\. */
void lpi_text_add_line(struct lpi_text *t, const char *name, const char *text);
/* Write a text of the program as it may be shown on a terminal: control characters become \n, \t, \r or
 * \x1b. What does not fit is left out. */
void lpi_kit_show(char *to, size_t size, const char *text);
/* With a decimal point in every locale. */
void lpi_text_add_fraction(struct lpi_text *t, double x);
/* Read what that has written at *at, and advance *at. @return 0; -EINVAL, -ENOMEM */
int lpi_text_read_fraction(const char **at, double *x);

/* ---- strategies ---- */

static inline uint64_t lpi_kit_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The next number of a series, 0 .. n-1. */
static inline int lpi_kit_below(uint64_t *state, int n)
{
    return (int)((unsigned __int128)lpi_kit_mix((*state)++) * (unsigned)n >> 64);
}
/* Whether a takes a message. */
static inline bool lpi_kit_takes(const struct logp_alternative *a)
{
    return a->kind == LOGP_TAKE || a->kind == LOGP_OVERTAKE;
}
/* How many earlier messages of its source are there, which the one of a passes. */
static inline int lpi_kit_passed(const struct logp_alternative *a)
{
    return a->kind == LOGP_OVERTAKE ? a->polls / LOGP_TAKE_PASSED : 0;
}
/* A hash of the link of a message that could be taken: its receiver and its sender. */
static inline uint64_t lpi_kit_link(const struct logp_alternative *a)
{
    return lpi_kit_mix((uint64_t)a->rank << 32 | (uint32_t)a->source);
}
/* random.c: a fault is chosen with a probability of 2^-rarity, which is drawn for each run. So it comes
 * early in some runs and late in others. @return 1 .. 8 */
int lpi_kit_rarity(uint64_t *random);
int lpi_kit_choose(uint64_t *random, int rarity, const struct logp_alternative *a, int n);
/* Whether runs of this check may have messages that overtake others. */
bool lpi_kit_reorders(const struct logp_check *check);
/* As lpi_kit_choose(), for a check that reorders: an alternative that overtakes is chosen as rarely as
 * a fault. @return its place in a; -1: none is chosen */
int lpi_kit_overtake(uint64_t *random, int rarity, const struct logp_alternative *a, int n);
/* One of the alternatives that do not overtake, all equally likely. */
int lpi_kit_in_order(uint64_t *random, const struct logp_alternative *a, int n);
/* Draw one of the polls that miss, all equally likely. @return its place in a; -1: no alternative
 * misses, or all do */
int lpi_kit_any_miss(uint64_t *random, const struct logp_alternative *a, int n);

enum {
    LPI_REDUNDANT = -1, /* the run leads to no new outcome */
    LPI_STALE = -2,     /* the run differs from the one before */
    LPI_NO_MEMORY = -3,
};

struct lpi_strategy_ops {
    /* @return NULL: no memory */
    void *(*create)(int P, const struct logp_check *check);
    void (*destroy)(void *strategy);
    /* A run begins. */
    void (*begin)(void *strategy, uint64_t seed);
    /* n > 1; late: also 1. @return the index; below 0: end this run, see above */
    int (*choose)(void *strategy, const struct logp_alternative *alternatives, int n);
    /* An event is noted; NULL: not wanted */
    void (*note)(void *strategy, const struct logp_note *note);
    /* choose() has returned LPI_STALE: what the choice was before. @return its number of alternatives,
     * and the one taken; NULL: the function is not there */
    int (*expected)(const void *strategy, struct logp_alternative *taken, int *answer);
    /* A run has ended; redundant: by LPI_REDUNDANT. @return whether another run follows; NULL: it always does */
    bool (*next)(void *strategy, bool redundant, struct logp_checked *checked);
};
extern const struct lpi_strategy_ops lpi_strategy_random, lpi_strategy_pct, lpi_strategy_exhaustive,
    lpi_strategy_delays, lpi_strategy_guide, lpi_strategy_near;

/* ---- happens_before.c ---- */

struct lpi_step {
    int rank;
    bool is_aside;
    int previous; /* the step of the same vp before it; -1: none */
};

/* @return NULL: no memory */
struct lpi_order *lpi_order_new(int P);
void lpi_order_free(struct lpi_order *o);
/* A run begins. */
void lpi_order_begin(struct lpi_order *o);
/* The next step is of this vp, and touches that key; NULL: none. @return false: no memory */
bool lpi_order_add_step(struct lpi_order *o, int rank, const int *key);
/* The next step is this match aside. @return false: no memory */
bool lpi_order_add_aside(struct lpi_order *o, const struct logp_alternative *a);
/* A message has been sent. @return false: no memory */
bool lpi_order_send(struct lpi_order *o, const struct logp_note *n);
/* A message has been received. */
void lpi_order_receive(struct lpi_order *o, const struct logp_note *n);
/* The last step, a match aside, has matched a receive of n->rank with a send of n->peer. */
void lpi_order_answer(struct lpi_order *o, const struct logp_note *n);
/* A receive of n->rank has been matched with a send of n->peer. @return the first step after that
 * send, or above all steps: the send is under way */
int lpi_order_sent(const struct lpi_order *o, const struct logp_note *n);
/* The clock of a vp. */
const int *lpi_order_now(const struct lpi_order *o, int rank);
const struct lpi_step *lpi_order_step(const struct lpi_order *o, int i);
/* The last step of a vp; -1: none */
int lpi_order_last(const struct lpi_order *o, int rank);
/* The last step that has touched the key; -1: none */
int lpi_order_touched(const struct lpi_order *o, int key);
/* Whether an event with this clock depends on step i. */
bool lpi_order_has(const struct lpi_order *o, const int *clock, int i);
/* The first step of the vp after step `from` that `clock` depends on, matches aside left out; -1: none */
int lpi_order_first_after(const struct lpi_order *o, const int *clock, int rank, int from);
/* The first match aside after the steps `from` and `before` that `clock` depends on; -1: none */
int lpi_order_aside_after(const struct lpi_order *o, const int *clock, int from, int before);
/* Whether step i depends on no step after step `from`. */
bool lpi_order_is_first(const struct lpi_order *o, int i, int from);

/* ---- observer.c: answers ---- */

struct lpi_answers {
    int *index;
    int n, capacity;
    bool all_faults; /* every possible fault event takes place, whatever index has */
    /* Identities of the answers: identity.c. Only in runs that make a failure smaller. */
    uint64_t *what;
    int what_capacity;
    bool by_what; /* give the answers that are not the usual ones where they recur */
};
void lpi_answers_free(struct lpi_answers *a);
/* @return false: no memory */
bool lpi_answers_copy(struct lpi_answers *to, const struct lpi_answers *from);
int lpi_answers_deviations(const struct lpi_answers *a);

/* ---- identity.c ---- */

/*
 * The identity of an answer, wherever it comes in a run: "the third message of rank 2 instead of
 * rank 1's second turn". So an answer can be given again after others before it have changed.
 */
struct lpi_identities {
    struct lpi_seen {
        uint64_t name; /* of an alternative; 0: none */
        uint32_t n;    /* how often it has been taken in this run */
    } * seen;          /* a hash table */
    int n_seen, capacity;
};
void lpi_identities_begin(struct lpi_identities *ids);
/* Alternative i instead of the usual one. */
uint64_t lpi_identity(const struct lpi_identities *ids, const struct logp_alternative *a, int i);
uint64_t lpi_identity_of_event(const struct logp_fault_event *event);
/* Alternative a is taken. @return false: no memory */
bool lpi_identities_take(struct lpi_identities *ids, const struct logp_alternative *a);

/* ---- outcomes.c ---- */

enum { LPI_VIEWS_KEYS = 16 };
/* The events that each vp has seen in a run, as hashes. */
struct lpi_views {
    uint64_t *of;
    int P, capacity;
    uint64_t touched[LPI_VIEWS_KEYS]; /* by key: the vps that have touched the object so far */
};
/* For runs of P processors. @return false: no memory */
bool lpi_views_begin(struct lpi_views *v, int P);
/* A run is about to begin. */
void lpi_views_reset(struct lpi_views *v);
/* A vp has seen something. */
static inline void lpi_views_add(struct lpi_views *v, int rank, uint64_t what)
{
    uint64_t *view = &v->of[rank];

    *view = (*view ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    *view ^= *view >> 29;
}

/* Add a note that is not about a message. */
void lpi_views_note_other(struct lpi_views *v, const struct logp_note *n);
static inline void lpi_views_note(struct lpi_views *v, const struct logp_note *n)
{
    if (n->kind == LOGP_NOTE_SEND)
        return; /* it follows from what the vp has seen */
    if (n->kind <= LOGP_NOTE_MISSED)
        lpi_views_add(v, n->rank,
                      (uint64_t)(uint32_t)n->tag << 32 | (uint32_t)n->peer << 4 |
                          (uint32_t)n->kind);
    else
        lpi_views_note_other(v, n);
}

/* The hash of all; not 0. */
uint64_t lpi_views_hash(const struct lpi_views *v);

struct lpi_outcomes {
    struct lpi_known {
        uint64_t hash; /* 0: empty */
        uint64_t run;  /* the first that had it */
    } * slots;
    uint64_t capacity, n;
};
/* @return whether it is a new one; false, too, if there is no memory, or if there are too many */
bool lpi_outcomes_add(struct lpi_outcomes *o, uint64_t hash, uint64_t run);
/* To and from a file. @return false: it cannot be written, or no memory */
bool lpi_outcomes_write(const struct lpi_outcomes *o, FILE *f);
bool lpi_outcomes_read(struct lpi_outcomes *o, FILE *f);
void lpi_outcomes_free(struct lpi_outcomes *o);

/* The description of a choice: its alternative, of n. */
struct lpi_point {
    int16_t kind; /* -1: a fault; its tag is the number of the message */
    int16_t n;
    /* of the alternative; tag of a choice of the program, or of a miss: its index */
    int rank, source, tag;
    int polls; /* as of the alternative, if it is a fault; of others, 0 */
};

struct lpi_guide;
/* Data for the description of a run; NULL in other runs. */
struct lpi_story;

/* ---- observer.c: a run of a job ---- */

/* The data that a run of the job writes, by the holder of the machine's one core; it is read
 * between runs. If a vp does not return, the observer is left behind with it. */
struct lpi_observer {
    struct lpi_job *job;
    struct logp_machine *machine;
    const struct lpi_strategy_ops *ops; /* NULL: give the answers of `given`, then 0 */
    void *strategy;
    struct lpi_answers given;
    struct lpi_story *story;       /* NULL: not wanted */
    const struct lpi_drawn *drawn; /* as in the plan */
    int *taken;                    /* answers of this run, to choices between several */
    int capacity;
    struct lpi_point *points; /* descriptions of these choices */
    int points_capacity;
    bool names;     /* note the next */
    uint64_t *what; /* their identities, in runs that make a failure smaller */
    int what_capacity;
    struct lpi_identities identities;
    bool differs;           /* a choice is known to differ from that of the given run */
    struct lpi_views views; /* in runs of a search */
    _Atomic int n_taken;
    _Atomic int ended; /* the answer below 0 that ended this run; 0: none */
    int (*check_event)(const struct logp_note *note, void *arg); /* NULL: none */
    void *check_arg;
    int event;                    /* what check_event has returned, if not 0 */
    logp_program program;         /* with check_arg */
    bool between;                 /* no run is under way, but functions of the check may be */
    bool crashed;                 /* its crash has been reported */
    pthread_mutex_t lock;         /* of `taken` when it grows, and of the job between two runs */
    bool detached;                /* the job continues without it */
    struct lpi_named {            /* the next choice of the program: logp_choose_named() */
        const char *what;         /* NULL: it has no name */
        const char *const *names; /* of its answers; NULL: numbers */
    } named;
    char *remark;  /* about the failure of this run; NULL: none */
    void **frames; /* by rank: the jmp_buf of its program; NULL: programs are not left */
};
/* The failure of this run is described further in these lines, which are the observer's to free. */
void lpi_observer_remark(struct lpi_observer *e, char *lines);
/* For logp_explorer: the payload of the next send; and the program of a crashed vp is left. */
void lpi_observer_payload(void *observer, int rank, int tag, const void *data, size_t n_bytes);
void lpi_observer_leave_frames(void *observer, int rank);

/* NULL: no memory */
struct lpi_observer *lpi_observer_new(struct lpi_job *job);
void lpi_observer_free(struct lpi_observer *e);
/* A run is about to begin. */
void lpi_observer_begin(struct lpi_observer *e);
int lpi_observer_ended(const struct lpi_observer *e);
/* Whether all choices of the given run were made again, each the same, in the run that has
 * ended. */
bool lpi_observer_was_same(const struct lpi_observer *e);
int lpi_observer_count(const struct lpi_observer *e);
/* The answers so far; by any thread at any time. @return false: no memory */
bool lpi_observer_taken(struct lpi_observer *e, struct lpi_answers *to);
/* Whether the job may be written to, between two runs. If so, it cannot be detached until
 * lpi_observer_leave(). */
bool lpi_observer_enter(struct lpi_observer *e);
void lpi_observer_leave(struct lpi_observer *e);
/* From now on, nothing that still uses the observer writes to the job. */
void lpi_observer_detach(struct lpi_observer *e);
/* For logp_explorer and logp_fault_ask(), with an observer as their arg. */
int lpi_observer_choose(void *observer, const struct logp_alternative *alternatives, int n);
bool lpi_observer_takes_place(void *observer, const struct logp_fault_event *event);
void lpi_observer_note(void *observer, const struct logp_note *note);
/* The same, where only the outcome is wanted. */
void lpi_observer_view(void *observer, const struct logp_note *note);

/* ---- latencies.c ---- */

/* The messages of a timed run that have the latency that is drawn for them. All others have L. */
struct lpi_drawn {
    struct lpi_drawn_message {
        int src;
        unsigned number; /* among its sender's, from 0 */
    } * items;
    int n, capacity;
};
void lpi_drawn_free(struct lpi_drawn *d);
/* @return false: no memory */
bool lpi_drawn_copy(struct lpi_drawn *to, const struct lpi_drawn *from);
/* For logp_machine_ask_latencies(), with an observer as its arg. */
bool lpi_observer_is_drawn(void *observer, const struct logp_latency_draw *draw);
/* Name the latencies that matter. */
void lpi_tell_latencies(struct lpi_text *t, const struct lpi_job *job, const struct lpi_story *s);

/* ---- labels.c ---- */

enum { LPI_WAYS = 8, LPI_LABELS = 64, LPI_LABEL_TEXT = 256 };
struct lpi_isolated;
struct lpi_reached {
    struct lpi_label_count {
        char *name;
        uint64_t runs;   /* that have reached it */
        bool is_reached; /* in this run, after `at` choices */
        int at;
        struct lpi_way { /* a run up to the label, with the settings of its plan */
            int *answers;
            int n, capacity;
            bool late;
            int64_t rendezvous_from;
        } ways[LPI_WAYS];
        int n_ways;
    } * all;
    int n, capacity;
    bool has_more;      /* the program has reached others, for which there is no place */
    uint64_t last;      /* the labels of the last run that was added, as bits */
    struct lpi_way way; /* of this run: a copy, but its answers are those in `all`; n 0: none */
};
/* Add the labels that the check names. @return false: there are too many */
bool lpi_reached_begin(struct lpi_reached *l, const struct logp_check *check);
/* Runs with another number of processors begin. */
void lpi_reached_begin_size(struct lpi_reached *l);
void lpi_reached_begin_run(struct lpi_reached *l);
/* A run of a search has ended: count its labels, and keep how it came to them. */
void lpi_reached_add_run(struct lpi_job *job);
/* Count the labels (lpi_reached.last) of a run that another process has made. */
void lpi_reached_add(struct lpi_reached *l, const struct lpi_isolated *from, uint64_t labels);
/* Draw whether the next run, whose plan has been drawn, begins as an earlier one. */
void lpi_reached_lead(struct lpi_job *job);
void lpi_reached_free(struct lpi_reached *l);
/* A line for each label. failed: the failure has named those that must be reached */
void lpi_reached_tell(struct lpi_text *t, const struct lpi_job *job, bool failed);
/* The first of n labels that this run has not reached; NULL: none */
const char *lpi_reached_not(const struct lpi_reached *l, const char *const *labels, int n);
/* Write the labels that no run has reached, as many as fit in `size` bytes. @return false: none */
bool lpi_reached_missing(const struct lpi_reached *l, char *text, size_t size);

/* ---- job.c ---- */

struct lpi_plan {
    int P;
    uint64_t seed; /* of the run */
    uint64_t run;
    bool order, messages, untimed, late;
    int misses;
    uint64_t most_steps;
    struct logp_fault_limits most_faults;
    struct logp_fault_places fault_places;
    int most_overtaken;
    bool keeps_order;
    bool relies;                 /* on buffers: it fails only with this rendezvous_from */
    struct logp_network network; /* undelayed: the check is untimed; its latency is the next */
    struct logp_latency latency;
    const struct lpi_drawn *drawn; /* NULL: all messages */
};

static inline bool lpi_has_places(const struct logp_fault_places *f)
{
    return (f->ranks | f->senders | f->receivers | f->tags | f->half) != 0 || f->one_way;
}

static inline bool lpi_has_limits(const struct logp_fault_limits *f)
{
    return memcmp(f, &(struct logp_fault_limits){0}, sizeof(*f)) != 0;
}

/* Whether the check has no model of time. */
static inline bool lpi_is_untimed(const struct logp_check *c)
{
    return c->network == NULL || c->network->undelayed;
}

/* Whether runs of this check, random or PCT, may have late choices. Then one of LPI_LATE_OF runs
 * has none. */
enum { LPI_LATE_OF = 4 };
static inline bool lpi_may_be_late(const struct logp_check *c)
{
    return c->strategy <= LOGP_STRATEGY_PCT && lpi_is_untimed(c) && !c->fixed_order &&
           !c->fixed_matches;
}

struct lpi_outcome {
    enum logp_failure_kind kind;
    int error; /* of the kit itself if kind is NONE */
    int rank;
    int64_t time_ns;
    struct logp_asserted asserted; /* line 0: no condition, but two calls that differ */
    char detail[320];              /* of asserted, which has NULL; the call that returned error */
    uint64_t n_left_over;
};

/* A line on the terminal: progress.c. */
struct lpi_progress {
    int64_t begin_ns, next_ns; /* of the host's clock; next_ns 0: there is no terminal */
    bool is_shown, makes_smaller;
};

/* A run that is compared with the same run before: twice.c. */
struct lpi_twice {
    const struct lpi_strategy_ops *ops; /* of the search, while the second run is under way */
    struct lpi_outcome outcome;         /* of the first run; and its choices */
    struct lpi_point *points;
    int n, capacity;
    bool differs;
    int at; /* the first choice that differs, which may exist in one run only; -1: outcomes alone */
    struct lpi_point first, second;
    bool has_first, has_second;
};

struct lpi_job {
    logp_program program;
    void *arg;
    struct logp_check check;
    struct lpi_plan plan;
    struct lpi_machine { /* by P */
        struct logp_machine *machine;
    } * machines;
    int n_machines;
    struct lpi_machine *now;

    struct lpi_observer *observer;    /* NULL: not yet, or left behind */
    struct lpi_answers taken;         /* in the last run */
    struct lpi_story *story;          /* of the last run; NULL: not wanted, or no memory */
    struct logp_trace **trace;        /* out: trace of the run with a story; NULL: not wanted */
    const struct logp_replay *origin; /* how the process was started; NULL: unknown */
    bool left_behind;                 /* a machine may still use the job */
    bool is_search;                   /* of logp_check(); false: a replay */

    uint64_t most;                 /* most runs */
    int64_t end_ns;                /* of the host's clock; 0: none */
    bool out_of_runs, out_of_time; /* this has ended the search of a size */
    struct logp_checked checked;
    struct lpi_outcome outcome;
    struct lpi_outcomes outcomes; /* of this search */
    struct lpi_progress progress;
    struct lpi_reached labels;
    struct lpi_way from; /* runs begin as this one, up to a place that is drawn; n 0: they do not */
    int worth; /* shrink: a failure with more deviations is not made in other orders; 0: each is */
    struct lpi_twice twice;
    /* This process makes some of the runs that processes share; NULL: it does not */
    const struct lpi_sharing *sharing;
    struct lpi_cores *cores;       /* of cores.c */
    struct lpi_explorer *explorer; /* of explore_part.c */
    struct lpi_isolated *isolated; /* each run is made in a child process: child.c; NULL: here */
    uint64_t whole;                /* runs of this size that were not cut */
    struct lpi_drawn drawn;        /* of a plan whose failure has been made smaller */
    struct lpi_text fixed;         /* lines about regressions that do not fail any more */
    char again[160];               /* the variables that find the failure again without a replay */
    bool depends;             /* the failure needs the runs before it: a replay does not fail */
    char why[LOGP_FAULT_WHY]; /* why the check is refused */
    char **texts;             /* of plans, freed with the job */
    int n_texts;
    struct lpi_ready {   /* for a crash: ready.c */
        char *replay;    /* of `steps`, `faults` and `noise` of the plan; NULL: nothing is ready */
        char path[4096]; /* of the replay file; with a folder, only the first part of the name */
        const char *folder;
        const char *faults, *noise;
        uint64_t most_steps;
        struct logp_replay *origin;
        bool keeps;         /* this is a replay: its file is there */
        const char *file;   /* of this replay, which its report names; NULL: not */
        const char *answer; /* LOGP_REPLAY_OUT of this replay; NULL: none */
        const char *junit;  /* LOGP_CHECK_JUNIT of this check; NULL: none, or this is a replay */
        int64_t begin_ns;   /* of this check */
    } ready;
};

/* In a process that makes some of the runs of a search. */
struct lpi_sharing {
    /* The run of this process after the one that has ended; NULL: the next */
    uint64_t (*next)(const struct lpi_job *job);
    /* Whether an earlier run has failed in another process. NULL: it does not matter */
    bool (*is_over)(const struct lpi_job *job, uint64_t run);
    /* A run has ended; NULL: its outcome is kept here */
    void (*add_run)(const struct lpi_job *job, bool has_outcome, bool cut);
    /* The run has ended this process, and lpi_child_give() has reported it. Async-signal-safe. */
    void (*crashed)(const struct lpi_job *job);
};

enum { LPI_FIRST_RUNS = 4 }; /* if all of them are cut, the check fails */
/* Set what answers and records the next runs. @return 0; -ENOMEM */
int lpi_job_listen(struct lpi_job *job, const struct lpi_strategy_ops *ops, void *strategy,
                   const struct lpi_answers *given, struct lpi_story *story);
/* A run of job->plan, and those that follow it. @return 0: see outcome; or an error of the kit */
int lpi_job_go(struct lpi_job *job);
/* The same, in this process, from run job->plan.run of a search on. */
int lpi_job_begin(struct lpi_job *job);
/* One run with this plan and these answers. @return 0: see outcome */
int lpi_job_again(struct lpi_job *job, const struct lpi_plan *plan,
                  const struct lpi_answers *answers, struct lpi_story *story);
/* Repeat the last run, which has failed. @return whether it is the same. If not, job->twice has the
 * first difference */
bool lpi_job_confirm(struct lpi_job *job);
/* One run with this plan, whose choices lpi_strategy_guide makes. @return 0: see outcome */
int lpi_job_guided(struct lpi_job *job, const struct lpi_plan *plan, struct lpi_guide *guide);
/* Does nothing if a vp that has not returned may still use the job. */
void lpi_job_free(struct lpi_job *job);

/* ---- verdict.c ---- */

struct lpi_outcome lpi_outcome_with(enum logp_failure_kind kind, int error, int rank);
/* The outcome of a run that the observer has seen. ended: the answer that ended it, or 0. If the run
 * comes back late, the job may have left the observer behind. */
struct lpi_outcome lpi_outcome_of(const struct lpi_job *job, const struct lpi_observer *observer,
                                  int ended, const struct logp_report *r);
/* Whether two runs have ended in the same way. */
bool lpi_same_outcome(const struct lpi_outcome *a, const struct lpi_outcome *b);

/* ---- machines.c ---- */

/* Set job->now to the machine of job->plan, with the plan's settings. */
int lpi_machine_take(struct lpi_job *job);
/* The explorer of job->plan, from the next run on. */
int lpi_machine_explore(struct lpi_job *job);
/* Forget the machines: the plan needs others from now on. */
void lpi_job_forget(struct lpi_job *job);

/* ---- draw.c ---- */

/* Draw what run job->plan.run differs in. */
void lpi_job_draw(struct lpi_job *job);

/* ---- search_size.c ---- */

/* Runs with P processors under job->plan, each with its own seed, until one fails, job->most are
 * done, or the strategy has no more. @return 0: see outcome; or an error of the kit */
int lpi_search(struct lpi_job *job, int P);
/* The same by a strategy that has been created (NULL: -ENOMEM), and is destroyed. */
int lpi_search_with(struct lpi_job *job, int P, const struct lpi_strategy_ops *ops, void *strategy);

/* ---- cores.c, branches.c ---- */

/* A search of n processes. @return as lpi_search() */
int lpi_cores_go(struct lpi_job *job, int n);
/* Make the failure of a child here, as this run. @return 0: see outcome; or an error of the kit */
int lpi_cores_repeat(struct lpi_job *job, struct lpi_isolated *result, uint64_t run);
/* An exhaustive search by n processes. @return as lpi_search() */
int lpi_branches_go(struct lpi_job *job, int n, void *strategy);

/* ---- twice.c ---- */

/* Whether the run of a search that has ended is to be repeated. Then the observer is set for
 * that. */
bool lpi_twice_begin(struct lpi_job *job);
/* The second run has ended. If it differs, that is the outcome; else the outcome is the first's. */
void lpi_twice_end(struct lpi_job *job);
/* Keep what the last run was. @return false: no memory */
bool lpi_twice_keep(struct lpi_twice *w, const struct lpi_observer *e, const struct lpi_outcome *o);
/* Whether the last run is equal to the kept one. */
bool lpi_twice_is_equal(struct lpi_twice *w, const struct lpi_observer *e,
                        const struct lpi_outcome *o);

/* ---- settings.c ---- */

/* Copy the caller's check, with the defaults filled in and the settings of the environment. wrong:
 * out: the error of the environment; NULL: do not read the environment. @return 0; -EINVAL,
 * -E2BIG */
int lpi_take_check(const struct logp_check *given, struct logp_check *check, const char **wrong);
/* The error of the check, in words; NULL: none. */
const char *lpi_wrong_with(const struct logp_check *c);

/* ---- failure.c ---- */

/* Describe in job->checked and in *found that the check is refused. */
void lpi_refuse(struct lpi_job *job, struct logp_failure *found);
/* Append a line to the failure's text: `before`, path and the error rc (0: none). Without memory the
 * text stays as it is. */
void lpi_add_line(struct logp_failure *failure, const char *before, const char *path, int rc);
/* Give the failure found to the caller, or free it if failure is NULL. @return rc; -ENOMEM */
int lpi_hand_over(struct logp_failure *found, struct logp_failure *failure, int rc);

/* ---- environment.c ---- */

/* An environment variable that is not empty. */
const char *lpi_variable(const char *name);
/* Replace the settings that are in the environment. @return its error, in words; NULL: none */
const char *lpi_environment(struct logp_check *c);
/* The names of all variables of the environment that a program may read, each with 16 bits of a hash of its
 * value: values may be secret. */
void lpi_environment_list(struct lpi_text *t);
/* A line with the variables whose values differ from those of such a list; none: nothing. */
void lpi_environment_differences(struct lpi_text *t, const char *list);
/* A line with the variables that are set; none: nothing. */
void lpi_environment_tell(struct lpi_text *t);

/* ---- again.c ---- */

struct lpi_replay;

/* The replay file that takes the place of all runs; NULL: none. */
const char *lpi_again_file(void);
/* logp_check() with that file. */
int lpi_again(logp_program program, void *arg, struct logp_check *given,
              struct logp_failure *failure);
/* Read a replay file that `what` has named. @return 0; or an error, which a line of `wrong` describes
 */
int lpi_again_read(const char *what, const char *path, struct lpi_replay **r,
                   struct lpi_text *wrong);
/* Whether r is a replay of this program, with a number of processors that the check allows. */
bool lpi_is_meant(const struct logp_check *c, const struct logp_replay *r);
/* The one run of r, by a job that has a program. shows: also for the command. @return as
 * logp_check_replay(); a failure is described in found */
int lpi_again_run(struct lpi_job *job, struct lpi_replay *r, bool shows,
                  struct logp_failure *found);

/* ---- regressions.c ---- */

/* Run the replay files of the check's folder that are of its program, until one fails.
 * @return 0: none fails; the error of the failure, which is in found; or an error, for which
 * job->why has the reason */
int lpi_regressions(struct lpi_job *job, const struct logp_check *given,
                    struct logp_failure *found);

/* ---- replay.c, parse.c, origin.c ---- */

enum { LPI_CHOSEN = 0xffff }; /* the bits of what a choice was that a replay has */

struct lpi_replay {
    struct logp_replay facts; /* must be first: the public part */
    struct lpi_plan plan;
    struct lpi_answers answers;
    struct lpi_drawn drawn; /* plan.drawn */
    int64_t *samples;
    bool has_end; /* its last line */
};

extern const char *const lpi_failure_names[]; /* by kind */
void lpi_replay_write(struct lpi_text *t, const struct lpi_job *job);
/* An empty replay. NULL: no memory */
struct lpi_replay *lpi_replay_new(void);
/* Append an argument of the command; the replay owns it. @return false: no memory */
bool lpi_replay_add_argument(struct logp_replay *r, char *argument);
/* As logp_replay_parse(). */
int lpi_replay_parse(const char *text, struct lpi_replay **out);

/* The command that started this process, as far as known. NULL: no memory */
struct logp_replay *lpi_origin(void);
/*
 * Write the failure's replay where the check or the environment wants it, and add the place to its
 * text. A failure that a replay does not repeat (depends) leaves none.
 * @return 0; the errno of writing replay_file
 */
int lpi_leave_replay(const struct lpi_job *job, struct logp_failure *failure);
/* Set path to the check's replay file; or to "DIR/NAME", which is to be completed, and return DIR of
 * the environment; or to "": there will be no file, or its name is too long. */
const char *lpi_replay_path(const struct logp_check *check, char *path, size_t size);

/* ---- ready.c ---- */

/* Make ready what lpi_crash() writes, for all runs of the job's plan that differ in what a search
 * changes. */
void lpi_ready_make(struct lpi_job *job);
void lpi_ready_free(struct lpi_job *job);

/* ---- signals.c: runs that end the process ---- */

/* Called when a run of this check is about to end the process. Async-signal-safe. by_run: this
 * thread runs the vps, or calls functions of the check */
typedef void (*lpi_crash_function)(struct lpi_observer *e, enum logp_failure_kind kind, int error,
                                   bool by_run);
/* From now on until lpi_signals_unwatch(), a run that ends the process calls this first, which is the
 * same function for all checks. */
void lpi_signals_watch(lpi_crash_function function);
void lpi_signals_unwatch(void);
/* This thread calls functions of the check; NULL: no more. @return the argument of the call before
 * it on this thread, to be given again at the end */
struct lpi_observer *lpi_signals_enter(struct lpi_observer *e);
/* The observer of the run that this thread makes; NULL: none */
struct lpi_observer *lpi_signals_running(void);
/* That of the only check, if this thread runs none of its vps; NULL: unknown */
struct lpi_observer *lpi_signals_foreign(void);
/* The program of all vps, with an observer as its arg: it calls e->program. */
int lpi_signals_program(struct logp_vp *vp, void *observer);
enum { LPI_SANITIZER = 0 }; /* in place of a signal: a sanitizer has ended the process */
/* "SIGSEGV" */
const char *lpi_signal_name(int number);
/* In a child process: a run may crash here, too. */
void lpi_signals_in_child(void);

/* ---- place.c: where a run has crashed, or has called ---- */

/* Before the first signal handler is there. */
void lpi_place_prepare(void);
/* In a signal handler: "crash.c:31"; "": unknown. */
void lpi_place_here(char *text, size_t size);
/* The innermost call of the program. 0: unknown */
uintptr_t lpi_place_of_call(void);
enum { LPI_PLACES = 16 };
struct lpi_named_place {
    uintptr_t at;
    char text[128]; /* as of lpi_place_here() */
};
/* Set the texts of up to LPI_PLACES places. */
void lpi_place_name(struct lpi_named_place *all, int n);

/* ---- child.c: runs in child processes ---- */

enum {
    LPI_SHRINK_S = 8,   /* seconds in which a failure is made smaller */
    LPI_SMALLEST_S = 5, /* and in which others of its kind are tried */
    LPI_CHILD_CHOICES = 1 << 16,
    LPI_CHILD_ASSERTED = 1 << 12, /* PATH_MAX */
    LPI_CHILD_TEXT = 1 << 15
};
/* The report of a child on its last run, in memory that it shares with its parent. */
struct lpi_isolated {
    _Atomic bool alive; /* the first child works: crash_again.c */
    bool is_sound;      /* the parent has not crashed: children come by fork() */
    int64_t end_ns;     /* of the host's clock: no more runs after it; 0: none */
    bool is_done;       /* all below is of the last run, or search */
    bool has_what;
    int rc, n;
    struct lpi_outcome outcome;
    /* Copies of the texts of outcome.asserted: those may belong to a copy of the program that only the child has */
    char file[LPI_CHILD_ASSERTED], expression[LPI_CHILD_ASSERTED];
    struct lpi_plan plan;
    struct lpi_twice twice;    /* without its points */
    char text[LPI_CHILD_TEXT]; /* of a crash with a story */
    /* Names of the labels that the child knows, those of a run before the run is reported */
    char labels[LPI_LABELS][LPI_LABEL_TEXT];
    int n_labels;
    bool has_more_labels; /* as lpi_reached.has_more */
    int index[LPI_CHILD_CHOICES];
    uint64_t what[LPI_CHILD_CHOICES];
};
/* fork(), in a handler. @return as fork(); -1, too, if the C library has no _Fork() */
pid_t lpi_child_fork(void);
/* Wait until end_ns; if *alive is not set, until alive_ns. @return whether the child has ended. If
 * not, it is killed */
bool lpi_child_await(pid_t child, int64_t end_ns, const _Atomic bool *alive, int64_t alive_ns);
/* Call go(job) in a child process. @return its result; -ECANCELED: it has not ended */
int lpi_child_go(struct lpi_job *job, int (*go)(struct lpi_job *job));
/* NULL: no memory */
struct lpi_isolated *lpi_child_new(void);
void lpi_child_free(struct lpi_isolated *shared);
/* Nothing is done if the run had more choices. */
void lpi_child_give(struct lpi_isolated *to, const struct lpi_job *job, int rc);
bool lpi_child_is_done(const struct lpi_isolated *from);
uint64_t lpi_child_run(const struct lpi_isolated *from);
/* @return the rc given to lpi_child_give(); -ENOMEM */
int lpi_child_take(struct lpi_isolated *from, struct lpi_job *job);

/* ---- line.c ---- */

struct lpi_line {
    int fd;              /* < 0: none, and text that s has no space for is lost */
    struct lpi_text *to; /* in place of fd, but not in a handler */
    bool failed;
    size_t n;
    char s[4096];
};
void lpi_put_bytes(struct lpi_line *l, const char *s, size_t n);
void lpi_put(struct lpi_line *l, const char *s);
void lpi_put_number(struct lpi_line *l, const char *name, uint64_t n);
/* Write what s still has. @return 0; EIO */
int lpi_put_end(struct lpi_line *l);

/* ---- junit.c ---- */

struct lpi_result {
    const char *name, *text, *more; /* of the check; its text, and what follows it */
    bool failed;
    int64_t ns; /* of the host's clock */
};
/* A check has ended: add it to this file; NULL: there is none */
void lpi_junit_add(const char *path, const struct lpi_result *r);
/* A check ends the process: write it behind the others. In a handler; a second call replaces the first. */
void lpi_junit_crash(const char *path, const struct lpi_result *r);

/* ---- fresh.c: replays in a fresh process ---- */

enum lpi_fresh { LPI_FRESH_UNKNOWN, LPI_FRESH_AGAIN, LPI_FRESH_PASSES };
/* Whether failures are to be confirmed: LOGP_CHECK_CONFIRM. */
bool lpi_fresh_is_wanted(void);
/* Run the replay in a new process of the program. why: out: why that is unknown */
enum lpi_fresh lpi_fresh_confirm(const struct lpi_job *job, const struct logp_replay *origin,
                                 const char *replay, char *why, size_t room);
/* Make the failure of this replay file smaller in a new process, and describe it on stderr. @return and
 * why: as lpi_fresh_confirm() */
enum lpi_fresh lpi_fresh_smaller(const struct logp_replay *origin, const char *path, char *why,
                                 size_t room);
/* The words for LPI_FRESH_PASSES. */
extern const char lpi_fresh_depends[];

/* ---- crash_again.c, crash.c ---- */

/* In a fresh process: make the crash of this replay smaller in child processes. The replay is written
 * to path. @return its description; NULL: it does not recur */
const char *lpi_crash_smaller(struct lpi_job *job, const char *path);

/* A run has crashed, and this process is about to end: repeat it in child processes. Unless path is
 * NULL, they make the failure smaller, replace its replay file (path; "": there is none), and describe
 * it on stderr. @return the last description; "": there is none. In a handler */
const char *lpi_crash_again(const struct lpi_observer *e, const struct lpi_outcome *outcome,
                            const char *path);
/* An lpi_crash_function: write the replay file and report it on stderr. */
void lpi_crash(struct lpi_observer *e, enum logp_failure_kind kind, int error, bool by_run);

/* ---- story.c ---- */

enum { LPI_STORY_NOTES = 6 };
struct lpi_story {
    int P;
    uint64_t n_steps; /* events, but not the ends of programs and waits */
    struct lpi_told {
        struct lpi_told_note {
            struct logp_note note;
            uint64_t step;          /* its number, from 1 */
            uint64_t sent_at;       /* of a receive: the step of the send; 0: unknown */
            const char *payload;    /* its description; NULL: none */
            const char *mark;       /* the last one of this rank; NULL: none */
            struct lpi_named named; /* LOGP_NOTE_CHOSEN */
        } last[LPI_STORY_NOTES];    /* a ring */
        unsigned n;
        struct lpi_under_way { /* a message to this rank, in the order sent */
            int source, tag, copies;
            uint32_t context;
            uint64_t step; /* of the send; 0: it may be that of another */
            int64_t n_bytes;
            int number;          /* among the messages of its source, from 1 */
            bool is_copy;        /* the message itself has been received */
            uintptr_t place;     /* of the send: place.c; 0: unknown */
            const char *payload; /* its description; NULL: none */
        } * under_way;
        int n_under_way, capacity;
        bool forgets; /* not all are there */
        bool doubles; /* its next message comes twice */
        bool repeats; /* its next send is the copy of the last one, which had these */
        int last_peer, last_tag;
        int n_sent;
        const char *payload; /* of its next send; NULL: none */
        const char *mark;    /* its last logp_mark(); NULL: none */
    } * told;                /* by rank */
    struct lpi_deviation {
        int number; /* of the choice */
        struct logp_alternative usual, taken;
        int later,
            passed; /* taken is LOGP_OVERTAKE: the numbers of the message and of the first that
                              it overtakes, among those of their source, from 1; 0: unknown */
        bool passes_copy;                    /* of a message that comes twice */
        struct logp_fault_event event;       /* kind NULL: none, this is about a choice */
        struct lpi_named named;              /* a choice of the program */
        const char *usual_mark, *taken_mark; /* the last ones of their ranks; NULL: none */
    } * deviations;
    int n_deviations, capacity;
    struct logp_latency_draw *drawn; /* messages with drawn latencies; kept in timed runs */
    int n_drawn, drawn_capacity;
    struct logp_wait_info *waits;
    int n_waits;
    struct logp_note *notes; /* all, in order; kept for a trace */
    const char **payloads;   /* of these; NULL: none */
    int n_notes, notes_capacity, payloads_capacity;
    bool keeps_notes;
    bool keeps_places; /* of sends */
    char **texts;      /* descriptions, freed with the story */
    int n_texts, texts_capacity;
};
/* For a run of P processors. NULL: no memory */
struct lpi_story *lpi_story_new(int P);
void lpi_story_free(struct lpi_story *s);
/* named: of a choice of the program */
void lpi_story_note(struct lpi_story *s, const struct logp_note *note, struct lpi_named named);
bool lpi_story_choice(struct lpi_story *s, int number, const struct logp_alternative *a, int i,
                      struct lpi_named named);
/* The next send of this rank has a payload with this description. */
void lpi_story_payload(struct lpi_story *s, int rank, const char *text);
bool lpi_story_fault(struct lpi_story *s, int number, const struct logp_fault_event *event);
bool lpi_story_waits(struct lpi_story *s, const struct logp_report *report);

/* ---- touch.c ---- */

/* The object of all histories: their events are touches of it. */
enum { LPI_HISTORY_KEY = INT32_MIN };

/* The name of the object that LOGP_TOUCH() has touched with this key. NULL: unknown */
const char *lpi_touched_name(int key);

/* ---- words.c ---- */

/* Tags have the names of this check on this thread from now on; NULL: none. */
void lpi_words_use(const struct logp_check *check);
/* ", tag 2"; ", tag 2 (vote)" */
void lpi_tell_tag(struct lpi_text *t, int tag);
/* "send to rank 1, tag 2, 8 bytes". mark: of the messages of collectives; NULL: none */
void lpi_tell_note(struct lpi_text *t, const struct logp_note *n, const char *mark);
/* "timeout: long", of answer i */
void lpi_tell_named(struct lpi_text *t, struct lpi_named named, int64_t i);
/* "rank 1 runs"; named: with the tag; mark: as in lpi_tell_note() */
void lpi_tell_alternative(struct lpi_text *t, const struct logp_alternative *a, bool named,
                          const char *mark);
/* "waits for a message from rank 1, tag 2" */
void lpi_tell_wait(struct lpi_text *t, const struct logp_wait_info *w);
/* Append the description of a choice; NULL: the run has no such choice. */
void lpi_tell_point(struct lpi_text *t, const struct lpi_point *p);

/* ---- a failure in words: lpi_tell() ---- */

/* Describe the failure in job->outcome, with the story of its last run. @return 0; -ENOMEM */
int lpi_tell(const struct lpi_job *job, struct logp_failure *failure);

/* ---- progress.c ---- */

/* A search with job->plan.P begins. */
void lpi_progress_begin_size(struct lpi_job *job);
/* A run of it has ended: count its outcome; count it. */
void lpi_progress_add_outcome(struct lpi_job *job, uint64_t hash, uint64_t run);
void lpi_progress_add_run(struct lpi_job *job, int choices);
/* So many runs of this size have been made elsewhere, up to run `last`; job->outcomes is theirs. */
void lpi_progress_add_all(struct lpi_job *job, uint64_t runs, uint64_t last);
void lpi_progress_begin(struct lpi_progress *p);
/* Show the progress of the check, from time to time. Called after each run. */
void lpi_progress_show(struct lpi_job *job);
void lpi_progress_end(struct lpi_progress *p);
/* Set the text of job->checked. rc: of the search */
void lpi_progress_describe(struct lpi_job *job, bool failed, int rc);

/* ---- trace_lines.c ---- */

/* Whether the story of a run with this plan, whose trace is to be written, must keep its notes. */
bool lpi_trace_needs_notes(const struct lpi_job *job, const struct lpi_plan *plan);
/* Write the trace of the job's last run as lines: see again.c. */
void lpi_trace_write(struct lpi_text *t, const struct lpi_job *job, const struct lpi_story *s,
                     const struct logp_trace *trace);

/* ---- nearest.c ---- */

/* Add the nearest run that passes, in the form of again.c, after the job's last run, a replay, has
 * failed; add nothing if none is found. Only the outcome and the plan of the job are as before. */
void lpi_nearest(struct lpi_job *job, struct lpi_text *t);

/* ---- guide.c ---- */

/* Make a guide for one run with late choices, in which each vp sees the same as in the story. The
 * story and the points of its run stay the caller's. NULL: no memory */
struct lpi_guide *lpi_guide_new(int P, const struct lpi_story *story,
                                const struct lpi_point *points, int n_points);
void lpi_guide_free(struct lpi_guide *g);

/* ---- near.c ---- */

/* lpi_strategy_near for a failure with two deviations or more, in runs of about so many choices. NULL: no memory */
void *lpi_near_new(const struct lpi_answers *failure, int n_choices);

/* ---- shrink.c ---- */

/* Make the failure in job->outcome, plan and taken smaller. */
void lpi_shrink(struct lpi_job *job);

/* ---- smallest.c ---- */

/* The failure has been found after so many runs, and made smaller. Find a smaller one of its kind. */
void lpi_smallest(struct lpi_job *job, uint64_t runs);

#endif

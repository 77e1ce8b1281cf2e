/* SPDX-License-Identifier: MIT */
/*
 * What the files of the test kit share.
 *
 * A plan says under what a program runs: all that a replay file says, but the choices. A job is a
 * program with its plan, its machines (one for each P that has been tried, and kept), a strategy
 * that answers what the explorer asks, and the answers of the last run, so that they can be given
 * again. An outcome is what the last run came to.
 *
 *   text.c                   a text that grows
 *   random.c pct.c exhaustive.c   the strategies
 *   observer.c                    what is asked and told during a run
 *   job.c                    runs
 *   replay.c parse.c         plans and choices as text, and back
 *   origin.c                 how this process was started; where replays are left
 *   tell.c                   what happened, in words
 *   shrink.c                 the same failure with less
 *   check.c                  logp_check()
 *   again.c trace.c          replays, and what the command hears of them
 */
#ifndef LPI_KIT_H
#define LPI_KIT_H

#include <logp/check.h>
#include <logp/explore.h>
#include <logp/fault.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- text.c ---- */

struct lpi_text {
    char *s; /* NULL: nothing, or no memory */
    size_t n, capacity;
    bool failed;
};
void lpi_text_add(struct lpi_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "name text", and the line's end; what would end the line earlier is \xHH, and \ is \\. */
void lpi_text_add_line(struct lpi_text *t, const char *name, const char *text);
/* With a point, whatever the locale. */
void lpi_text_add_fraction(struct lpi_text *t, double x);
/* What that has written, at *at, which is behind it then. @return 0; -EINVAL, -ENOMEM */
int lpi_text_read_fraction(const char **at, double *x);

/* ---- strategies ---- */

static inline uint64_t lpi_kit_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The next of a series, 0 .. n-1. */
static inline int lpi_kit_below(uint64_t *state, int n)
{
    return (int)((unsigned __int128)lpi_kit_mix((*state)++) * (unsigned)n >> 64);
}

enum {
    LPI_REDUNDANT = -1, /* it leads nowhere new */
    LPI_STALE = -2,     /* it is not the run that it was before */
    LPI_NO_MEMORY = -3,
};

struct lpi_strategy_ops {
    /* @return NULL: no memory */
    void *(*create)(int P, const struct logp_check *check);
    void (*destroy)(void *strategy);
    /* A run begins. */
    void (*begin)(void *strategy, uint64_t seed);
    /* n > 1; late: also 1. @return which; below 0: end this run, see below */
    int (*choose)(void *strategy, const struct logp_alternative *alternatives, int n);
    /* A run has ended, redundant: by a choice below 0. @return shall there be another? */
    bool (*next)(void *strategy, bool redundant, struct logp_checked *checked);
};
extern const struct lpi_strategy_ops lpi_strategy_random, lpi_strategy_pct, lpi_strategy_exhaustive;

/* ---- observer.c ---- */

struct lpi_answers {
    int *index;
    int n, capacity;
    bool all_faults; /* all that could strike a message does, whatever index says */
};
/* @return false: no memory */
bool lpi_answers_copy(struct lpi_answers *to, const struct lpi_answers *from);
int lpi_answers_deviations(const struct lpi_answers *a);

/* What the telling of a run needs, and others leave out. */
struct lpi_story;

/*
 * All that is written while a run of the job goes on, by whom it asks and tells: the holder of the
 * machine's one core. It is read in between. Where a vp does not come back the ear is left to it.
 */
struct lpi_observer {
    struct lpi_job *job;
    struct logp_machine *machine;
    const struct lpi_strategy_ops *ops; /* NULL: the answers of `given`, then 0 */
    void *strategy;
    struct lpi_answers given;
    struct lpi_story *story; /* NULL: not wanted */
    int *taken;              /* in this run, of choices between several */
    int capacity;
    _Atomic int n_taken;
    _Atomic int ended;    /* this run was, by one of the answers below 0; 0: it was not */
    pthread_mutex_t lock; /* of `taken` when it grows, and of the job between two runs */
    bool detached;        /* the job has gone on without */
};

/* NULL: no memory */
struct lpi_observer *lpi_observer_new(struct lpi_job *job);
void lpi_observer_free(struct lpi_observer *e);
/* A run is to begin. */
void lpi_observer_begin(struct lpi_observer *e);
int lpi_observer_ended(const struct lpi_observer *e);
int lpi_observer_count(const struct lpi_observer *e);
/* What has been answered so far, by any thread at any time. @return false: no memory */
bool lpi_observer_taken(struct lpi_observer *e, struct lpi_answers *to);
/* Between two runs: may the job be written to? Then until lpi_observer_leave(), and nobody parts. */
bool lpi_observer_enter(struct lpi_observer *e);
void lpi_observer_leave(struct lpi_observer *e);
/* Nothing that is still called with it writes to the job from now on. */
void lpi_observer_detach(struct lpi_observer *e);
/* For logp_explorer and logp_fault_ask(), with an ear as their arg. */
int lpi_observer_choose(void *observer, const struct logp_alternative *alternatives, int n);
bool lpi_observer_takes_place(void *observer, const struct logp_fault_event *event);
void lpi_observer_note(void *observer, const struct logp_note *note);

/* ---- job.c ---- */

struct lpi_plan {
    int P;
    uint64_t seed; /* of the run */
    uint64_t run;
    bool order, messages, untimed, late, has_params;
    int misses;
    bool relies;        /* on buffers: it fails only with this `rendezvous` */
    int64_t rendezvous; /* sends of more bytes wait for their receiver; < 0: none */
    struct logp_params params;
    struct logp_latency latency;
    const char *faults, *noise; /* texts; NULL or "": none */
};

struct lpi_outcome {
    enum logp_failure_kind kind;
    int error; /* of the kit itself where the kind is NONE */
    int rank;
    int64_t time_ns;
    struct logp_asserted asserted;
    uint64_t n_left_over;
};

struct lpi_job {
    logp_program program;
    void *arg;
    struct logp_check check;
    struct lpi_plan plan;
    struct lpi_machine { /* by P */
        struct logp_machine *machine;
        void *latency, *fault; /* models; NULL */
    } * machines;
    int n_machines;
    struct lpi_machine *now;

    struct lpi_observer *observer;    /* NULL: not yet, or one has just been left behind */
    struct lpi_answers taken;         /* in the last run */
    struct lpi_story *story;          /* of the last run; NULL: not wanted, or not to be had */
    struct logp_trace **trace;        /* out: of the run with a story; NULL: not wanted */
    const struct logp_replay *origin; /* how the process was started; NULL: nobody knows */
    bool left_behind;                 /* a machine that may still use the job */

    uint64_t most;  /* runs */
    int64_t end_ns; /* host; 0: none */
    struct logp_checked checked;
    struct lpi_outcome outcome;
    char why[LOGP_FAULT_WHY]; /* something of the check is refused */
    char **texts;             /* of plans, to be freed with the job */
    int n_texts;
};

/* Runs with P processors, under job->plan with a seed of its own each, until one fails, job->most
 * have been done, or the strategy has come to its end. @return 0: see outcome; or what is wrong */
int lpi_job_search(struct lpi_job *job, int P);
/* The plan's machines are to be others from now on. */
void lpi_job_forget(struct lpi_job *job);
/* One run: plan and answers as given. @return 0: see outcome */
int lpi_job_again(struct lpi_job *job, const struct lpi_plan *plan,
                  const struct lpi_answers *answers, struct lpi_story *story);
bool lpi_job_same(const struct lpi_outcome *a, const struct lpi_outcome *b);
void lpi_job_fini(struct lpi_job *job);

/* ---- check.c ---- */

/* As the caller gave it, with the defaults in place. @return 0; -EINVAL, -E2BIG */
int lpi_take_check(const struct logp_check *given, struct logp_check *check);
/* The check is refused: where it says what came of it, and where a failure would be told. */
void lpi_refuse(struct lpi_job *job, struct logp_failure *found);
/* What is found is given to the caller, who may not want it. @return rc; -ENOMEM */
int lpi_hand_over(struct logp_failure *found, struct logp_failure *failure, int rc);
/* Memory of a job that a vp which does not come back may still use is not freed. */
void lpi_job_free(struct lpi_job *job);

/* ---- again.c ---- */

/* The file that is to be replayed in place of all runs; NULL: there is none. */
const char *lpi_again_file(void);
/* logp_check(), with that. */
int lpi_again(logp_program program, void *arg, struct logp_check *given,
              struct logp_failure *failure);

/* ---- replay.c, parse.c, origin.c ---- */

enum { LPI_REPLAY_VERSION = 2 }; /* 1: before sends that wait, and cancels, were choices */

struct lpi_replay {
    struct logp_replay facts; /* the first: what everybody may know */
    struct lpi_plan plan;
    struct lpi_answers answers;
    int64_t *samples;
};

extern const char *const lpi_failure_names[]; /* by kind */
void lpi_replay_write(struct lpi_text *t, const struct lpi_job *job);
/* Nothing in it. NULL: no memory */
struct lpi_replay *lpi_replay_new(void);
/* One more argument of the command; it becomes the replay's. @return false: no memory */
bool lpi_replay_add_argument(struct logp_replay *r, char *argument);
/* As logp_replay_parse(). */
int lpi_replay_parse(const char *text, struct lpi_replay **out);

/* How this process was started, as far as can be known. NULL: no memory */
struct logp_replay *lpi_origin(void);
/* Leave the failure's replay where the check or the environment wants it, and say so in its text.
 * @return 0; the errno of writing replay_file */
int lpi_leave_replay(const struct lpi_job *job, struct logp_failure *failure);

/* ---- tell.c ---- */

enum { LPI_STORY_NOTES = 6 };
struct lpi_story {
    struct lpi_told {
        struct logp_note last[LPI_STORY_NOTES]; /* a ring */
        unsigned n;
    } * told; /* by rank */
    struct lpi_deviation {
        int number; /* of the choice */
        struct logp_alternative usual, taken;
        struct logp_fault_event
            event; /* which is usually none; kind NULL: it is about the former */
    } * deviations;
    int n_deviations, capacity;
    struct logp_wait_info *waits;
    int n_waits;
    struct logp_note *notes; /* all, in the order in which they came; kept for a trace */
    int n_notes, notes_capacity;
    bool keeps_notes;
};
/* Of a run of P processors. NULL: no memory */
struct lpi_story *lpi_story_new(int P);
void lpi_story_free(struct lpi_story *s);
void lpi_story_note(struct lpi_story *s, const struct logp_note *note);
bool lpi_story_choice(struct lpi_story *s, int number, const struct logp_alternative *a, int i);
bool lpi_story_fault(struct lpi_story *s, int number, const struct logp_fault_event *event);
bool lpi_story_waits(struct lpi_story *s, const struct logp_report *report);
/* The failure in job->outcome, with the story of its last run. @return 0; -ENOMEM */
int lpi_tell(const struct lpi_job *job, struct logp_failure *failure);
/* "send to rank 1, tag 2, 8 bytes" */
void lpi_tell_note(struct lpi_text *t, const struct logp_note *n);
/* "waits for a message of rank 1, tag 2" */
void lpi_tell_wait(struct lpi_text *t, const struct logp_wait_info *w);

/* ---- trace.c ---- */

/* A trace of the job's last run, as lines: see again.c. */
void lpi_trace_write(struct lpi_text *t, const struct lpi_job *job, const struct lpi_story *s,
                     const struct logp_trace *trace);

/* ---- shrink.c ---- */

/* Make the failure of job->outcome, plan and taken, smaller. */
void lpi_shrink(struct lpi_job *job);

#endif

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
 *   job.c                    runs
 *   replay.c                 plans and choices as text, and back
 *   tell.c                   what happened, in words
 *   shrink.c                 the same failure with less
 *   check.c                  the functions of check.h
 */
#ifndef LPI_KIT_H
#define LPI_KIT_H

#include <logp/check.h>
#include <logp/explore.h>

#include <stdlib.h>

/* ---- text.c ---- */

struct lpi_text {
    char *s; /* NULL: nothing, or no memory */
    size_t n, room;
    bool failed;
};
void lpi_text_add(struct lpi_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

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
};

struct lpi_answers {
    int *index;
    int n, room;
};
/* @return false: no memory */
bool lpi_answers_copy(struct lpi_answers *to, const struct lpi_answers *from);
int lpi_answers_deviations(const struct lpi_answers *a);

struct lpi_outcome {
    enum logp_failure_kind kind;
    int error; /* of the kit itself where the kind is NONE */
    int rank;
    int64_t time_ns;
    struct logp_asserted asserted;
    uint64_t n_left_over;
};

/* What the telling of a run needs, and others leave out. */
struct lpi_story;

struct lpi_job {
    logp_program program;
    void *arg;
    struct logp_check check;
    struct lpi_plan plan;
    struct lpi_machine { /* by P */
        struct logp_machine *machine;
        void *latency; /* model; NULL */
    } * machines;
    int n_machines;
    struct lpi_machine *now;

    const struct lpi_strategy_ops *ops; /* NULL: the answers of `given`, then 0 */
    void *strategy;
    const struct lpi_answers *given;
    struct lpi_answers taken; /* in this run, of choices between several */
    struct lpi_story *story;  /* NULL: not wanted */
    int ended;                /* this run was, by one of the answers below 0; 0: it was not */
    bool left_behind;         /* a machine that may still use the job */

    uint64_t most;  /* runs */
    int64_t end_ns; /* host; 0: none */
    struct logp_checked checked;
    struct lpi_outcome outcome;
};

/* Runs with P processors, under job->plan with a seed of its own each, until one fails, job->most
 * have been done, or the strategy has come to its end. @return 0: see outcome; or what is wrong */
int lpi_job_search(struct lpi_job *job, int P);
/* One run: plan and answers as given. @return 0: see outcome */
int lpi_job_again(struct lpi_job *job, const struct lpi_plan *plan,
                  const struct lpi_answers *answers, struct lpi_story *story);
bool lpi_job_same(const struct lpi_outcome *a, const struct lpi_outcome *b);
void lpi_job_fini(struct lpi_job *job);

/* ---- replay.c ---- */

void lpi_replay_write(struct lpi_text *t, const struct lpi_job *job);
/* samples: to be freed. @return 0; -EINVAL, -ENOMEM */
int lpi_replay_parse(const char *text, struct lpi_plan *plan, struct lpi_answers *answers,
                     int64_t **samples);

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
    } * deviations;
    int n_deviations, room;
    struct logp_wait_info *waits;
    int n_waits;
};
void lpi_story_note(struct lpi_story *s, const struct logp_note *note);
bool lpi_story_choice(struct lpi_story *s, int number, const struct logp_alternative *a, int i);
bool lpi_story_waits(struct lpi_story *s, const struct logp_report *report);
/* The failure in job->outcome, with the story of its last run. @return 0; -ENOMEM */
int lpi_tell(const struct lpi_job *job, struct logp_failure *failure);

/* ---- shrink.c ---- */

/* Make the failure of job->outcome, plan and taken, smaller. */
void lpi_shrink(struct lpi_job *job);

#endif

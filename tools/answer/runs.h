/* SPDX-License-Identifier: MIT */
/*
 * Runs of algorithms on emulated machines. A run calls its watcher to show its progress, and asks it
 * whether to stop. An error in one of several runs is printed as a note at once, before the function
 * returns a problem.
 */
#ifndef LOGP_RUNS_H
#define LOGP_RUNS_H

#include "answer/answer.h"

#include <time.h>

/* ---- the watcher ---- */

/* Functions of the caller, each with `of` as its first argument; NULL: it is not called. */
struct watcher {
    /* `done` of the `total` runs of a row have ended. */
    void (*progress)(void *of, const struct row *row, int done, int total);
    /* All runs of a row have ended. */
    void (*finished)(void *of, const struct question *q, const struct logp_invocation *c,
                     const struct row *row);
    /* The current work, in one line; NULL: none any more, or a note follows. */
    void (*doing)(void *of, const char *what);
    /* A machine is about to run, and may be stopped by logp_machine_stop() from now on, also in a
     * signal handler; NULL: it has run. */
    void (*running)(void *of, struct logp_machine *m);
    /* Whether all runs are to end. */
    bool (*stops)(void *of);
    /* The other processes have not come within the time limit: MPI_Init() does not return. Called
     * in a thread of its own; it ends the process. */
    void (*stuck)(void *of, struct problem *problem);
    void *of;
};

/* The watcher of a question, and what lasts from one of its runs to the next. Starts with the
 * watcher alone; to be ended by end_work(). */
struct work {
    struct watcher watcher;
    bool is_over;      /* no further run begins */
    bool is_left;      /* a processor has not come back from its program, so a machine is left over:
                       the process must end without returning from main() */
    bool ends_at_once; /* after a program that must not run any more: the same */
    bool is_abandoned; /* a rank of it may hold the lock of any stream: none is flushed */
    bool have_met;  /* all processes have had a machine together: errors are agreed on through it */
    bool is_warned; /* of the host's quota */
    const struct logp_algorithm *wrong[MAX_ALGORITHMS]; /* whose wrong steps have been printed */
    size_t n_wrong;
    int *core_of; /* of --place partners */
};

/* ---- work.c ---- */

void end_work(struct work *work);
/* Where progress is wanted, show the watcher the current work; NULL: none any more. */
void tell_doing(const struct question *q, const char *what);
/* The steps of a command, each of which takes about as long as another. */
struct steps {
    const struct question *q;
    const char *command, *of; /* as "measure" and "pairs" */
    int64_t begun_ns, shown_ns;
};
struct steps begin_steps(const struct question *q, const char *command, const char *of);
/* `done` of n steps are done, and perhaps a part of one. From two seconds on, where progress is wanted, show the
 * watcher how many, and the time that is left, as long as the steps so far. what: the work of now */
void show_steps(struct steps *s, double done, size_t n, const char *what);
void end_steps(struct steps *s);

/* The choice of an algorithm between the two: its progress is shown, and --limit and the watcher end
 * it. */
struct choice_steps {
    struct steps steps;
    struct followed_choice choosing;
};
void begin_choice(struct choice_steps *c, struct question *q, const char *command);
void end_choice(struct choice_steps *c, struct question *q);
/* Whether the watcher has ended all runs, here or in another process. */
bool runs_are_over(const struct question *q);
/* The time on the host's monotonic clock. */
int64_t host_ns(void);

/* ---- launcher.c: the other processes of --transport ---- */

/* A time limit for the machine that all processes make together. */
struct meeting {
    timer_t timer;
    bool is_timed;
    char option[32]; /* that sets the limit */
    struct watcher watcher;
};

/* Within MPI_Init() a process waits for all others, perhaps forever: the watcher is called
 * after --timeout. */
void expect_others(const struct question *q, struct meeting *meeting);
void end_meeting(struct meeting *meeting);
/* Whether all processes of a machine have the same command line and options. */
bool all_alike(const struct question *q, struct logp_machine *m);

/* ---- emulation.c ---- */

/* The problem of a question that no machine is made for: too many processors, a bad plug-in. */
CHECKED struct problem *check_machine(const struct question *q);
/* Create a machine; the problem has EXIT_WRONG where the resources do not suffice for it. */
CHECKED struct problem *create_machine(const struct question *q, struct logp_machine **out);
/* The same, but then print the problem as a note; *out: NULL. */
CHECKED struct problem *try_machine(const struct question *q, struct logp_machine **out);
/* Destroy a machine. If a processor has not come back, the machine is left over. */
void end_machine(const struct question *q, struct logp_machine *m);

/* Check in all processes that the first can write the file of --output. m: between runs */
CHECKED struct problem *agree_on_place(const struct question *q, struct logp_machine *m);

/* ---- partners.c: --place partners ---- */

/* With --place partners, place the ranks of all further machines of q by the messages of the
 * algorithms of n rows, added up. */
CHECKED struct problem *place_partners(struct question *q, const struct logp_invocation *c,
                                       const struct row *rows, size_t n);
/* The core of each rank, from the report or place_partners(); *out: NULL without --place
 * partners. */
CHECKED struct problem *partners_of(const struct question *q, const int **out);

/* ---- unit.c: --unit auto ---- */

/* Find, by a few short runs, the smallest unit at which the runs of q keep within 1 % of their
 * predictions on this host, and set it in q. */
CHECKED struct problem *find_unit(struct question *q, const char *collective);

/* ---- failures.c: what went wrong in a run ---- */

/* Print the waits of the ranks; through: also waits for all other ranks. */
void explain_waits(const struct logp_report *report, bool through);
/* Report the first failed repetition of a row: the faults, the waits, and the ranks without the
 * right result. */
void explain_failed(const struct question *q, struct row *row, const void *faults,
                    const struct logp_failed *f);
/* Report, after the last repetition, the number of failed ones and of faults; in tables also if
 * none failed. */
void sum_up_faults(const struct question *q, const struct row *row);

/* ---- repetitions.c ---- */

/* Run the algorithms of n rows one after the other and fill them, until one fails; on the virtual
 * clock also until one differs from its prediction. *done: the number of rows begun. */
CHECKED struct problem *run_rows(const struct question *q, struct logp_machine *m,
                                 const struct logp_invocation *c, struct row *rows, size_t n,
                                 size_t *done);
/* The same without comparing the time with the prediction. */
CHECKED struct problem *run_unpromised(const struct question *q, struct logp_machine *m,
                                       const struct logp_invocation *c, struct row *rows, size_t n,
                                       size_t *done);
/* Run row->algorithm on a machine of its own. */
CHECKED struct problem *run_alone(const struct question *q, const struct logp_invocation *c,
                                  struct row *row);
/* Run a program as logp_machine_run() does. */
int run_program(const struct question *q, struct logp_machine *m, logp_program program, void *arg,
                int64_t timeout_ns);

/* ---- tracing.c ---- */

/* Run row->algorithm on a machine and trace the last repetition; most_events: 0: the library's
 * default. *out: NULL: there is no trace. */
CHECKED struct problem *trace_run(const struct question *q, struct logp_machine *m,
                                  const struct logp_invocation *c, struct row *row,
                                  int64_t most_events, struct logp_trace **out);

#endif

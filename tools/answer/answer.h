/* SPDX-License-Identifier: MIT */
/* Runs of algorithms on a machine with these options. Errors are printed on stderr. */
#ifndef LOGP_RUN_H
#define LOGP_RUN_H

#include "question/choice/choice.h"
#include "question/schedule/schedule.h"

#include <time.h>

/* How the median compares with that of a saved run. */
enum verdict { VERDICT_UNCHANGED, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_UNKNOWN, VERDICT_NEW };

struct change {
    enum verdict verdict;
    bool has_then, has_interval;
    int64_t then_ns;
    double ratio, low, high; /* now / then, 0: not known; its 95 % interval */
};

/* One row of the result. */
struct row {
    const struct logp_algorithm *algorithm;
    struct logp_record record;
    bool ran;      /* set by a run; not by a prediction */
    int processes; /* of the machine */
    bool has_ranks;
    struct {
        int64_t min_ns, mean_ns, max_ns;
    } ranks; /* over the ranks, of each rank's mean time */
    bool has_links;
    struct logp_link_use links, busiest; /* on a topology: messages and waiting of one run */
    struct logp_explanation *explained;  /* with --explain; NULL: there is none */
    const char *unexplained;             /* the reason; NULL: it is explained */
    bool explained_failure; /* with faults: the first failed repetition has been reported */
    struct change change;   /* bench --against */
    char wrong_ranks[128];  /* without the right result in it: "3,7"; many: "3,7,+5 more" */
};

struct saved; /* a run that was kept: view/records/saved.c */

/* All rows, and their settings. */
struct output {
    const struct question *q;
    const char *collective;
    const struct logp_invocation *c;
    const struct row *rows;
    size_t n;
    int n_cores;                 /* 0: nothing was run */
    const char *sweep;           /* the sweep that these rows belong to; NULL: none */
    const struct output *next;   /* more rows of it; NULL: there are no more */
    const struct saved *against; /* the run to compare the rows with; NULL: none */
};

/* The number of runs, including those that faults made fail. */
static inline int runs_of_record(const struct logp_record *r)
{
    return r->reps + r->failed;
}

/* ---- processes.c: --transport ---- */

/* Join the other processes, which a launcher may have started: only one prints an error of all, and
 * a process that ends for bad input leaves no other waiting. */
void join_others(int argc, char **argv);
/* Within MPI_Init() a process waits for all others, perhaps forever: end it after --timeout, with
 * one line. @return true: delete the timer once they have come */
bool expect_others(const struct question *q, timer_t *timer);
/* Note that the processes have a machine: from now on errors are agreed on through it. */
void meet_others(void);
/* Whether all processes of a machine have the same command line and options. */
bool all_alike(const struct question *q, struct logp_machine *m);

/* ---- machine.c ---- */

/* Create the delay model of the options. @return 0; a negative errno */
int create_delay(const struct question *q, struct logp_delay *delay);
/* Create a machine with these options, or end the process. */
struct logp_machine *create_machine(const struct question *q);
/* The same; NULL: there are not enough resources for it, which is printed. */
struct logp_machine *try_machine(const struct question *q);
/* End the process if the options would make a machine fail: too many processors, a bad plug-in. */
void check_machine(const struct question *q);
/* Destroy a machine. If a processor has not come back, do not wait for it: no further run begins,
 * and after the output the process ends with EXIT_WRONG, without freeing the machine. */
void end_machine(struct logp_machine *m);

/* With several processes, send the further output of the first one to the file of --output; ends
 * all of them if the file cannot be written. m: between runs. With one process main() does it. */
void begin_shared_output(const struct question *q, struct logp_machine *m);

/* ---- place.c: --place partners ---- */

/* With --place partners, place the ranks of all further machines of o by the messages of the
 * algorithms of n rows, added up; ends the process if none of them has a schedule. */
void place_partners(struct question *q, const struct logp_invocation *c, const struct row *rows,
                    size_t n);
/* The core of each rank, from the report or place_partners(); NULL: without --place partners. Ends
 * the process if neither is given. */
const int *partners_of(const struct question *q);

/* ---- unit.c: --unit auto ---- */

/* Find, by a few short runs, the smallest unit at which the runs of o keep within 1 % of their
 * predictions on this host, and set it in o. @return an exit code; if it is not EXIT_OK, a message
 * has been printed: no unit is large enough, or a run failed */
int find_unit(struct question *q, const char *collective);

/* ---- faults.c ---- */

/* Report the first failed repetition of a row: the faults, the waits, and the ranks without the
 * right result. */
void explain_failed(const struct question *q, struct row *row, const void *faults,
                    const struct logp_failed *f);
/* Report, after the last repetition, the number of failed ones and of faults; in tables also if
 * none failed. */
void sum_up_faults(const struct question *q, const struct row *row);

/* ---- predict.c ---- */

/* The reason why there is no prediction, and what to do; valid until the next call. */
const char *why_unpredicted(const struct question *q, const struct logp_algorithm *algorithm);

/* Whether the steps cannot be done according to the prediction: a deadlock, a message without a
 * receive. */
bool has_wrong_steps(const struct logp_prediction *p);
/* Print the error of the steps, as a run does. @return whether there is one */
bool say_wrong_steps(const struct question *q, const struct logp_invocation *c,
                     const struct logp_algorithm *a);
/* The same; if there is an error, end the process with EXIT_WRONG. */
void end_if_wrong_steps(const struct question *q, const struct logp_invocation *c,
                        const struct logp_algorithm *a);
/* Print the rows that are not predicted because their schedules are too long. */
void say_unpredicted_rows(const struct question *q, const struct logp_invocation *c,
                          const struct row *rows, size_t n);
/* Predict as the options ask, under their delay model. */
struct logp_prediction predict(const struct question *q, const struct logp_invocation *c,
                               const struct logp_algorithm *algorithm);
/* The time of all runs of an algorithm on the host, by its formula; most: the limit of --limit. */
struct expected_time {
    double likely_ns, most_ns;
};
struct expected_time expect_time(const struct question *q, const struct logp_invocation *c,
                                 const struct logp_algorithm *algorithm);
/* The time left after `done` has taken spent_ns: the likely rest times spent / likely of `done`,
 * but at most the rest of the most; if `done` took more than its most, that rest grows with it. */
double time_left_ns(struct expected_time all, struct expected_time done, double spent_ns);
/* The likely time of all runs. */
double estimate_ns(const struct question *q, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm);
/* The latest end of the algorithm; -1: no prediction bounds it, or the algorithm does not apply. */
int64_t latest_end(const struct question *q, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm);
/* The algorithm with the earliest latest_end() among those that the options choose; ties go to the
 * first. NULL: none has a prediction. *ns: its end; -1 */
const struct logp_algorithm *predicted_best(const struct question *q, const char *collective,
                                            const struct logp_invocation *c, int64_t *ns);
/* A time that no algorithm can beat; -1: not known. */
int64_t lower_bound(const struct question *q, const char *collective,
                    const struct logp_invocation *c);

/* ---- trace.c ---- */

/* Run row->algorithm on a machine and trace the last repetition; most_events: 0: the library's
 * default. *out: NULL: there is no trace. @return an exit code */
int trace_run(const struct question *q, struct logp_machine *m, const struct logp_invocation *c,
              struct row *row, int64_t most_events, struct logp_trace **out);
/* The trace of the algorithm's schedule under the delay model of the options; NULL: it has no
 * schedule, or more messages than `most`, 0: any number. */
struct logp_trace *trace_prediction(const struct question *q, const struct logp_invocation *c,
                                    const struct logp_algorithm *algorithm, uint64_t most);

/* ---- explain.c ---- */

/* End the process if the model's times are not sums along a path. by: the option or command that
 * needs it */
void check_explained(const struct question *q, const char *by);

/* With --explain, explain the predicted time of each row's algorithm; ends the process if the
 * options do not allow it, or if there is only one row and it cannot be explained. */
void explain_rows(const struct question *q, const struct logp_invocation *c, struct row *rows,
                  size_t n);
/* Explain one algorithm. NULL: it cannot be explained, and *why is the reason. */
struct logp_explanation *explain_algorithm(const struct question *q,
                                           const struct logp_invocation *c,
                                           const struct logp_algorithm *algorithm,
                                           const char **why);
void forget_explanations(struct row *rows, size_t n);

/* ---- run.c ---- */

/* Run the algorithms of n rows one after the other and fill them, until one fails; on the virtual
 * clock also until one differs from its prediction. Ctrl-C ends the row and all later ones. *done:
 * the number of rows begun. @return an exit code */
int run_rows(const struct question *q, struct logp_machine *m, const struct logp_invocation *c,
             struct row *rows, size_t n, size_t *done);
/* The same without comparing the time with the prediction. */
int run_unpromised(const struct question *q, struct logp_machine *m,
                   const struct logp_invocation *c, struct row *rows, size_t n, size_t *done);
/* Run row->algorithm on a machine of its own. @return an exit code */
int run_alone(const struct question *q, const struct logp_invocation *c, struct row *row);
/* Run a program as logp_machine_run() does; Ctrl-C ends it. */
int run_program(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns);
/* Print the waits of the ranks; through: also waits for all other ranks. */
void explain_waits(const struct logp_report *report, bool through);
/* Show the progress of a row with this function instead of a line of text, and a finished row with
 * another; NULL: not at all. */
void show_progress_with(void (*show)(const struct row *row, int done, int total),
                        void (*finished)(const struct question *q, const struct logp_invocation *c,
                                         const struct row *row));
/* The time on the host's monotonic clock. */
int64_t host_ns(void);
/* Whether Ctrl-C in this process, or end_runs(), has ended all runs. */
bool runs_are_over(void);
/* End all runs as Ctrl-C does. */
void end_runs(void);

#endif

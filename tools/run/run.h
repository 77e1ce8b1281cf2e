/* SPDX-License-Identifier: MIT */
/* Algorithms run on a machine as the options ask for. What goes wrong is said on stderr. */
#ifndef LOGP_RUN_H
#define LOGP_RUN_H

#include "options/options.h"

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
    bool ran;      /* run, not predict */
    int processes; /* over so many */
    bool has_ranks;
    struct {
        int64_t min_ns, mean_ns, max_ns;
    } ranks; /* over the ranks, of each rank's mean time */
    bool has_links;
    struct logp_link_use links, busiest; /* on a topology: messages and waiting of one run */
    struct logp_explanation *explained;  /* with --explain; NULL: it cannot be */
    const char *unexplained;             /* why not; NULL: it is */
    bool explained_failure; /* with faults: the first repetition that has failed has been told of */
    struct change change;   /* bench --against */
    char wrong_ranks[128];  /* those without the right result in it: "3,7"; many: "3,7,+5 more" */
};

/* So many were run, those that faults have made fail included. */
static inline int runs_of_record(const struct logp_record *r)
{
    return r->reps + r->failed;
}

/* ---- processes.c: of --transport ---- */

/* There may be others that a launcher has started: what all say one says, and who ends for bad
 * input leaves none waiting. */
void join_others(int argc, char **argv);
/* Within MPI_Init() a process waits for all others, perhaps for ever: end it after --timeout, in one
 * line. @return true: the timer is to be deleted once they have come */
bool expect_others(const struct options *o, timer_t *timer);
/* From now on all go the same way, or hear of each other through their machine. */
void meet_others(void);
/* Have all processes of a machine been told the same? */
bool all_alike(const struct options *o, struct logp_machine *m);

/* ---- machine.c ---- */

/* The delay model that the options ask for. 0; or an error */
int create_delay(const struct options *o, struct logp_delay *delay);
/* Ends the process where there can be none. */
struct logp_machine *create_machine(const struct options *o);
/* The same; NULL: there is no memory for it, which is said. */
struct logp_machine *try_machine(const struct options *o);
/* End the process where a machine would be refused for what the options say. */
void check_machine(const struct options *o);
/* Where a processor has not come back it is not waited for: no more runs begin, and when all has
 * been told the process ends, as one that has gone wrong, with the machine and whatever it uses. */
void end_machine(struct logp_machine *m);

/* Over processes, what is printed from now on goes to the file of --output, in the first of them;
 * ends all of them where it cannot. m: between runs. Of one process main() has done it. */
void begin_shared_output(const struct options *o, struct logp_machine *m);

/* ---- place.c: --place partners ---- */

/* Place the ranks of the machines that o makes from now on by the messages of the algorithms of n
 * rows, added up, if that is asked for; ends the process where they have no schedules. */
void place_partners(struct options *o, const struct logp_invocation *c, const struct row *rows,
                    size_t n);
/* The core of each rank; NULL: that is not asked for. Ends the process where nothing says it. */
const int *partners_of(const struct options *o);

/* ---- unit.c: --unit auto ---- */

/* By a few short runs, find the smallest unit at which the runs of o keep within 1 % of their
 * predictions on this host. o then has this unit. @return an exit code; if it is not EXIT_OK, a
 * message has been printed: no unit is good enough, or a run went wrong */
int find_unit(struct options *o, const char *collective);

/* ---- faults.c ---- */

/* A repetition has failed: what has struck, who waits for whom, who lacks what. The first of a row
 * alone is told. */
void explain_failed(const struct options *o, struct row *row, const void *faults,
                    const struct logp_failed *f);
/* After the last: how many, and, also where none has, for people, what has struck. */
void sum_up_faults(const struct options *o, const struct row *row);

/* ---- predict.c ---- */

/* What is missing where there is no prediction, and what to do; may be overwritten. */
const char *why_unpredicted(const struct options *o, const struct logp_algorithm *algorithm);

/* Does the prediction say that the steps cannot be done: a deadlock, a message without a receive? */
bool has_wrong_steps(const struct logp_prediction *p);
/* Say what is wrong with the steps, as a run does. @return something is */
bool say_wrong_steps(const struct options *o, const struct logp_invocation *c,
                     const struct logp_algorithm *a);
/* The same; then the process ends, as one that has gone wrong. */
void end_if_wrong_steps(const struct options *o, const struct logp_invocation *c,
                        const struct logp_algorithm *a);
/* Say which rows are not predicted since their schedules are too long. */
void say_unpredicted_rows(const struct options *o, const struct logp_invocation *c,
                          const struct row *rows, size_t n);
/* As the options ask, under the delay model that they ask for. */
struct logp_prediction predict(const struct options *o, const struct logp_invocation *c,
                               const struct logp_algorithm *algorithm);
/* Of all runs of an algorithm on the host, as far as its formula knows; at most, by --limit. */
struct expected_time {
    double likely_ns, most_ns;
};
struct expected_time expect_time(const struct options *o, const struct logp_invocation *c,
                                 const struct logp_algorithm *algorithm);
/* What is left of all, after `done` has taken so long: as much longer than likely as that, but no
 * more than at most, unless that has taken more. */
double time_left_ns(struct expected_time all, struct expected_time done, double spent_ns);
/* What is likely. */
double estimate_ns(const struct options *o, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm);
/* When it has ended at the latest; -1: there is no prediction of that, or it does not apply. */
int64_t latest_end(const struct options *o, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm);
/* Of those that the options choose the one that ends first, of several the first; NULL: none has a
 * prediction. *ns: when; -1 */
const struct logp_algorithm *predicted_best(const struct options *o, const char *collective,
                                            const struct logp_invocation *c, int64_t *ns);
/* What no algorithm is faster than; -1: that is not known. */
int64_t lower_bound(const struct options *o, const char *collective,
                    const struct logp_invocation *c);

/* ---- trace.c ---- */

/* Run row->algorithm on a machine, traced: the last repetition is kept; most_events: 0: the
 * library's own. out: NULL: there is no trace. @return an exit code */
int trace_run(const struct options *o, struct logp_machine *m, const struct logp_invocation *c,
              struct row *row, int64_t most_events, struct logp_trace **out);
/* What its schedule does under the delay model that the options ask for; NULL: it has none, or more
 * messages than `most`, 0: any number. */
struct logp_trace *trace_prediction(const struct options *o, const struct logp_invocation *c,
                                    const struct logp_algorithm *algorithm, uint64_t most);

/* ---- explain.c ---- */

/* End the process where the time is no sum along a path. by: what asks for it */
void check_explained(const struct options *o, const char *by);

/* With --explain, explain what each row's algorithm is predicted to take; ends the process where
 * that cannot be: for what the options say, or of the only one. */
void explain_rows(const struct options *o, const struct logp_invocation *c, struct row *rows,
                  size_t n);
/* The same of one algorithm. NULL: it cannot be, and *why says in a few words why not. */
struct logp_explanation *explain_algorithm(const struct options *o, const struct logp_invocation *c,
                                           const struct logp_algorithm *algorithm,
                                           const char **why);
void forget_explanations(struct row *rows, size_t n);

/* ---- run.c ---- */

/* Run the algorithms of n rows one after the other and fill them, until one goes wrong; Ctrl-C ends
 * it, and all later ones. *done: how many were begun. @return an exit code */
int run_rows(const struct options *o, struct logp_machine *m, const struct logp_invocation *c,
             struct row *rows, size_t n, size_t *done);
/* The same, where runs need not take what is predicted. */
int run_unpromised(const struct options *o, struct logp_machine *m, const struct logp_invocation *c,
                   struct row *rows, size_t n, size_t *done);
/* Run row->algorithm on a machine of its own. @return an exit code */
int run_alone(const struct options *o, const struct logp_invocation *c, struct row *row);
/* As logp_machine_run(); Ctrl-C ends it. */
int run_program(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns);
/* Who waits for whom; through: also those that wait for all others. */
void explain_waits(const struct logp_report *report, bool through);
/* Show how far a row is with this function instead of a line of its own; and one that is done with
 * another, or, NULL, by nothing. */
void show_progress_with(void (*show)(const struct row *row, int done, int total),
                        void (*finished)(const struct options *o, const struct logp_invocation *c,
                                         const struct row *row));
/* Now, on a clock that only goes forward. */
int64_t host_ns(void);
/* Has Ctrl-C, in this process, ended all runs? */
bool runs_are_over(void);
/* As Ctrl-C does. */
void end_runs(void);

#endif

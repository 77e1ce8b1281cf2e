/* SPDX-License-Identifier: MIT */
/* An experiment under way, and what the files of this folder call of each other. */
#ifndef LPI_EXPERIMENT_H
#define LPI_EXPERIMENT_H

#include <logp/experiment.h>
#include <logp/machine.h>
#include <logp/vp.h>

#include <pthread.h>
#include <stdatomic.h>

/* Buf and recv_buf of the ranks. */
struct lpi_buffers {
    int P, first, n; /* ranks: n from first on */
    char *memory;
    size_t stride, buf_bytes;
    size_t *offsets; /* NULL; or by rank: where its buf begins */
};

/* The first rank of each process of a machine. */
struct lpi_leaders {
    const struct logp_machine *machine;
    int n;              /* processes */
    int first, n_local; /* the ranks of this one */
};

/* The times at which one vp ended one repetition; on a cache line each, because they are written at
 * the same time. */
struct ending {
    _Alignas(64) int64_t wall, emulated;
};

struct state {
    struct logp_experiment own; /* as far as the caller has it */
    const struct logp_experiment *experiment;
    const struct logp_collective *collective;
    int64_t *arrivals;    /* a copy, for a vp that comes back late; NULL: there are none */
    void *faults;         /* logp_machine_faults() */
    pthread_mutex_t lock; /* held by rank 0 as it judges, or by a waiter that times out: ... */
    bool parted;          /* ... after which the fields up to the empty line are the waiter's */
    struct logp_record *record;
    int64_t *wall, *emulated; /* by repetition */
    int64_t *absence;         /* by repetition: the longest of a core */
    int64_t *sorted;          /* space for as many times as wall */
    int total;
    int done; /* repetitions, of total: rank 0 writes it between the syncs */
    int64_t last_progress;
    int next_look;    /* repetitions after which the precision is computed next */
    int next_summary; /* repetitions after which they are summarised next */

    struct lpi_buffers buffers;
    struct lpi_leaders leaders;
    struct logp_invocation c; /* parameters chosen once, not by each rank; not planned */
    struct ending *endings;   /* wall clock: by rank */
    atomic_bool *wrong;       /* by rank, in any repetition: read after the run */
    int difference_rank;      /* the lowest rank that was wrong; -1: none, or with faults ... */
    char difference[sizeof(((struct logp_record *)0)->wrong)]; /* ... and where; under the lock */
    int *wrong_ranks; /* with faults: space for a list of them */
    int P;
    bool counted; /* not the warm-up */
    bool is_virtual;
    atomic_int *finished;     /* virtual clock, by rank: repetitions */
    _Atomic int64_t *latest;  /* by repetition: when the last ended */
    _Atomic int64_t *rank_ns; /* by rank: the sum of its times, counted; NULL: not wanted */
    int64_t start_ns;
    int64_t first_start_ns; /* of the counted repetitions */
};

/* The work of one vp. */
struct task {
    struct logp_invocation c; /* planned */
    void *buf, *recv_buf;
    void *operands, *result; /* in place: where those are, else as above */
};

/* ---- repetitions.c ---- */

/* The task of a rank, whose part is to be freed. 0; as lpi_plan() */
int lpi_task_of(const struct state *s, int rank, struct task *t);
/* Check this rank's result; a wrong one is recorded in s. 0: checked; -ENOMEM */
int lpi_verify(struct state *s, int rank, uint64_t seed, const struct task *t);
/* Whether this counted repetition is the last one. */
bool lpi_enough(struct state *s);
void lpi_report_progress(struct state *s);
/* The rest of the time limit of the experiment; 0: no limit. */
int64_t lpi_time_left(const struct logp_experiment *x, int64_t start);
/* As logp_machine_run(). -ETIMEDOUT: a vp that is still running may use s for ever, but nothing of
 * it that belongs to the caller. */
int lpi_run_program(struct logp_machine *machine, struct state *s, int64_t timeout_ns);

/* ---- marks.c ---- */

/* Keep the times of a repetition: it counts, or it is repeated. Called before reps or restarts is
 * raised, by rank 0 under the lock, or between runs. */
void lpi_keep_times(struct state *s, const struct logp_run_time *t);
/* Mark the counted repetitions, whose times are in the order of the runs. */
void lpi_mark_disturbed(struct state *s);

/* ---- results.c ---- */

/* Fill the record from the counted repetitions. */
void lpi_finish(struct state *s, struct logp_machine *machine, const struct logp_report *report);

/* ---- faulty.c ---- */

/* Run all repetitions, each in a run of its own. 0; or an error that the algorithm did not cause */
int lpi_run_faulty(struct logp_machine *machine, struct state *s);

/* ---- buffers.c ---- */

/* c: not planned. 0; -ENOMEM, or as logp_plan_create(). To be destroyed in any case. */
int lpi_buffers_create(struct lpi_buffers *b, const struct logp_collective *collective,
                       const struct logp_algorithm *algorithm, const struct logp_invocation *c,
                       int P, int first, int n);
/* Those of a rank, for which c is planned. */
void lpi_buffers_of(const struct lpi_buffers *b, const struct logp_collective *collective, int rank,
                    const struct logp_invocation *c, void **buf, void **recv_buf);
void lpi_buffers_destroy(struct lpi_buffers *b);

/* ---- leaders.c: messages between the first ranks of the processes ---- */

void lpi_leaders_of(struct lpi_leaders *l, const struct logp_machine *machine);
/* Gather the greatest of all values at rank 0; called by all leaders, outside the timed part. */
int lpi_leaders_gather(struct logp_vp *vp, const struct lpi_leaders *l, int64_t *values, int n);
/* Send the values of rank 0 to all leaders. Errors of both: as logp_send() and logp_recv() */
int lpi_leaders_tell(struct logp_vp *vp, const struct lpi_leaders *l, int64_t *values, int n);
/* The messages of one lpi_leaders_gather() and one lpi_leaders_tell() together. */
uint64_t lpi_leaders_messages(const struct lpi_leaders *l);

/* ---- barrier_check.c: runs in which one processor stays away ---- */

/* The number of these runs; 0 for collectives that hold no rank back. */
int lpi_absences(const struct logp_collective *collective, int P);
/* Do run i of them. c: not planned. got_through: by rank, set where a rank returned although
 * another had not entered; other entries do not change. 0; or an error: the run shows nothing. */
int lpi_run_without(struct logp_machine *machine, const struct logp_experiment *x, int i,
                    const struct logp_invocation *c, const struct lpi_buffers *buffers,
                    int64_t timeout_ns, atomic_bool *got_through);

#endif

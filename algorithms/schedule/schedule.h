/* SPDX-License-Identifier: MIT */
/* Schedules: plans, folds, checks and explanations. reader.h follows the steps of one rank. */
#ifndef LPI_SCHEDULE_H
#define LPI_SCHEDULE_H

#include "operand/operand.h"

#include <logp/algorithm.h>
#include <logp/collective.h>
#include <logp/delay.h>
#include <logp/explain.h>
#include <logp/trace.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lpi_overflow;
struct lpi_traced;

/* run_data.c: free a part that a plan function has made, or one that is 0 but for the parent; may
 * be called twice. */
void lpi_free_plan(struct logp_rank_plan *part);

/* fold.c: logp_schedule_fold(), but -ETIME as soon as a rank is busy beyond `until`, in ns: later
 * ends are of no interest. */
int lpi_fold_until(const struct logp_schedule *schedule, const struct logp_delay *delay,
                   uint64_t most, int64_t until, struct logp_fold *out);

/* fold.c: a delay model in which nothing takes time, for observers of a fold's messages: on_send
 * and on_recv are called as send and recv of any model; the arrival that on_send sets is on_recv's.
 */
struct logp_delay_ops
lpi_timeless(void (*on_send)(void *, struct logp_port *, struct logp_transfer *),
             void (*on_recv)(void *, struct logp_port *, struct logp_transfer *));

/* alone.c: the least time that a rank is busy; if that is more than `until`, perhaps a smaller time
 * that is, too. 0; as logp_delay_functions(), or the error of the plan */
int lpi_alone(const struct logp_schedule *schedule, const struct logp_delay *delay, int rank,
              int64_t until, int64_t *ns);

/* run_data.c: space for n pieces of size bytes, in huge pages where there are many: a fault costs a
 * microsecond; and the same, zeroed. NULL: no memory. */
void *lpi_alloc_pages(size_t n, size_t size);
void *lpi_zeroed(size_t n, size_t size);

/* run_data.c: the work of a compute that sets all scratch to 0. Where a schedule is checked, zeros are
 * neutral: combined with other data they leave it as it is. */
void lpi_clear_scratch(const struct logp_invocation *c, void *buf, void *recv_buf);

/* run_data.c: the steps of a rank, kept to be read many times if they are few and depend on the
 * plan alone. */
struct lpi_cached_choice {
    struct logp_step *steps; /* NULL: they are not kept */
    int64_t n;
};

void lpi_keep(struct lpi_cached_choice *kept, logp_steps steps, int64_t P, int64_t rank,
              const struct logp_invocation *c);
/* As logp_schedule_run(), with the steps that are kept. */
int lpi_run_planned(struct logp_vp *vp, const struct lpi_cached_choice *kept, logp_steps steps,
                    const struct logp_invocation *c, void *buf, void *recv_buf);

/* A rank whose turn is at a time. */
struct lpi_turn {
    int64_t at;
    uint32_t rank;
};

/* The order of the virtual clock. */
static inline bool lpi_turn_before(const struct lpi_turn *a, const struct lpi_turn *b)
{
    return a->at != b->at ? a->at < b->at : a->rank < b->rank;
}

LPI_HEAP(lpi_turn, struct lpi_turn, lpi_turn_before)

/* ---- progress.c: schedules that run concurrently with the program ---- */

/*
 * Start the algorithm's steps of a rank, which are of the group's next collective.
 * @param c      planned
 * @param owned  its part belongs to the request, or is freed after an error; else c stays the
 *               caller's, unchanged until the end, and can be started only once at a time
 * @return as logp_plan_start()
 */
int lpi_start(struct logp_vp *vp, const struct logp_algorithm *algorithm,
              const struct logp_invocation *c, bool owned, void *buf, void *recv_buf,
              struct logp_request **request);

/* Whether this has been started, but not waited for. */
bool lpi_is_started(const struct logp_vp *vp, const struct logp_invocation *c);

/* ---- traced.c: a fold as events. t is charged. @return 0, or an error ---- */

/* The trace of a fold's events. */
struct lpi_traced {
    struct logp_trace *trace;
    uint32_t label;
    int64_t *free_at; /* by rank: when the send that it is at could start, but for the capacity */
    int64_t *taker; /* out, of a list with edges: see logp_schedule_taker(); NULL: not asked for */
};

int lpi_traced_send(const struct lpi_traced *to, const struct logp_transfer *t, int tag,
                    int64_t begun);
int lpi_traced_receive(const struct lpi_traced *to, const struct logp_transfer *t, int tag);
int lpi_traced_compute(const struct lpi_traced *to, int64_t rank, int64_t start, int64_t ns);

/*
 * ---- label.c ----
 * The meaning of a byte of a buffer, where a schedule is checked without data: nothing, a byte of a
 * rank's operands, a byte that a rank has made, or a byte of a combination of elements.
 */

typedef uint64_t lpi_step_label; /* 0: nothing */

/* The elements that each combination is made of, in order. */
struct lpi_combinations {
    lpi_step_label *parts; /* of all, one after the other: first bytes of elements */
    size_t n_parts, capacity;
    size_t *begin; /* of each, and the end */
    size_t n, n_capacity;
};

/* The label of byte `offset` of a rank's operands, or of the data that it has made. */
lpi_step_label lpi_label_of(int64_t rank, size_t offset, bool made);
/* The rank of an operand, that is of a label of lpi_label_of(). */
int64_t lpi_label_rank(lpi_step_label operand);
/* A byte that is 0, which changes nothing that it is combined with. */
enum { LPI_LABEL_ZERO = 1 };
/* Whether these bytes are those of one element, in order. */
bool lpi_label_whole(const lpi_step_label *bytes, size_t element_bytes);
/* The elements left and then n others, `element_bytes` apart, become one, in bytes. 0; -ENOMEM */
int lpi_label_combine(struct lpi_combinations *all, const lpi_step_label *left,
                      const lpi_step_label *right, size_t n, size_t element_bytes,
                      lpi_step_label *bytes);
/* Find the parts of an element. @return how many */
size_t lpi_label_parts(const struct lpi_combinations *all, const lpi_step_label *element,
                       const lpi_step_label **parts);
void lpi_label_fini(struct lpi_combinations *all);

/*
 * ---- pairs.c ----
 * Matching in constant time: a message takes the first posted receive that fits, and a receive
 * takes the first message that fits.
 */

struct lpi_fifo_entry {
    uint32_t item, number;
    uint32_t next; /* from 1; 0: none */
};

struct lpi_fifo {
    uint64_t key;
    uint32_t first, last; /* entries, from 1; 0: none */
    bool used;
};

/* Queues, each of a source and a tag, or of any. */
struct lpi_fifos {
    struct lpi_fifo_entry *entries;
    uint32_t n, capacity, free;
    struct lpi_fifo *queues; /* a hash table of 2^x */
    uint32_t n_queues, queue_space;
};

struct lpi_pairs {
    struct lpi_fifos posted, come;
    bool any; /* receives may be from any source, or with any tag */
    uint32_t n_posted;
    bool *met; /* by message: it may still be in queues */
    uint32_t met_capacity;
};

enum { LPI_NONE = -1 };

void lpi_pairs_fini(struct lpi_pairs *p);
/* Post a receive; src and tag -1: any. *message: the one that it meets, or LPI_NONE: it is posted.
 * 0; -ENOMEM */
int lpi_pairs_post(struct lpi_pairs *p, int32_t src, int32_t tag, uint32_t receive,
                   int64_t *message);
/* A message has come: each has a number of its own, larger than those before. *receive: the one
 * that it meets, or LPI_NONE: it is kept. 0; -ENOMEM */
int lpi_pairs_come(struct lpi_pairs *p, int32_t src, int32_t tag, uint32_t message,
                   int64_t *receive);

/*
 * ---- mail.c ----
 * Messages under way in a fold. Messages of one receiver, source and tag are taken in the order in
 * which they were put.
 */

/* A message. Its indices are of messages; 0 is none. */
struct lpi_fold_message {
    int64_t arrival;
    size_t n_bytes;
    int32_t src, tag;
    uint32_t
        next; /* in a list: the next; in an entry: the next of this source and tag, also listed */
    uint32_t last; /* in an entry: the last of them */
};

/* The messages to one receiver: few in a list, many in an overflow of its own. */
struct lpi_fold_inbox {
    uint32_t first, last, listed;
    uint32_t overflow; /* its number; 0: it has never had one */
};

struct lpi_fold_mail {
    struct lpi_fold_message *blocks[32]; /* memory of all messages: blocks[b] has 2^b, or is NULL */
    uint32_t n;                          /* messages in blocks given out (see mail.c) */
    uint32_t blocks_used, messages;      /* first free ones */
    uint32_t next;                       /* index of the next single message in its block */
    struct lpi_overflow *overflows;
    uint32_t n_overflows, overflow_capacity;
    uint64_t left; /* how many messages have not been taken */
};

/* Put a copy. 0; -ENOMEM */
int lpi_mail_put(struct lpi_fold_mail *mail, struct lpi_fold_inbox *inbox,
                 const struct lpi_fold_message *message);
/* Take the first message from src with this tag. @return 0; -EAGAIN: there is none; -ENOMEM */
int lpi_mail_take(struct lpi_fold_mail *mail, struct lpi_fold_inbox *inbox, int32_t src,
                  int32_t tag, struct lpi_fold_message *out);
void lpi_mail_fini(struct lpi_fold_mail *mail);

/*
 * ---- wire.c ----
 * The number of messages of a fold on the wire, [enter, arrival): at most `capacity` from any rank
 * and to any rank.
 */

struct lpi_arrivals {
    int64_t *at; /* [first, end): in order; no more than the capacity */
    size_t first, end, space;
};

/*
 * The senders that wait for a place on the way to a rank. All wait for the same time, at which their
 * overheads end, so the order of their turns is that of (-overhead, rank), whatever that time is. The
 * first alone has a turn in the fold: the others would only find that they are late. Where links differ, overheads
 * differ, too: a message may enter the wire before another one whose send was tried earlier. Then each sender waits for
 * another time.
 */
struct lpi_waiting {
    bool any;
    struct lpi_turn first, *others; /* at: -overhead */
    size_t n, space;
};

struct lpi_wires {
    int64_t capacity;               /* 0: no limit, and nothing is kept */
    struct lpi_arrivals *from, *to; /* by rank */
    struct lpi_waiting *waiting;    /* by receiver */
    bool each_has_turn;             /* all that wait try again: links differ */
    size_t P;
};

/* 0; -ENOMEM. To be ended in any case. */
int lpi_wires_init(struct lpi_wires *w, size_t P, int64_t capacity, bool each_has_turn);
void lpi_wires_fini(struct lpi_wires *w);
/* Look for a place on the wire for t at t->done. If there is none yet, its sender waits; *turn is
 * its turn to try again, unless others come first (at: INT64_MAX). @return 0; 1: it waits, but not
 * for its receiver; -EAGAIN; -ENOMEM */
int lpi_wires_claim(struct lpi_wires *w, const struct logp_transfer *t, struct lpi_turn *turn);
/* The sender of t, which was tried at `enter` less its overhead, waits for its receiver no more. If
 * it was the first to wait, *turn is the turn of the next. @return false: there is no such turn */
bool lpi_wires_next(struct lpi_wires *w, const struct logp_transfer *t, int64_t enter,
                    struct lpi_turn *turn);
/* A message is on the wire until then. 0; -ENOMEM */
int lpi_wires_add(struct lpi_wires *w, size_t src, size_t dst, int64_t arrival);

/*
 * ---- fold_rendezvous.c ----
 * Sends of a fold that wait for their receivers. A request is a message of its own. A request or a
 * message matches the first posted receive of its source and tag. A receive that has matched a
 * request waits for the payload, which does not go through mail.c.
 */

enum lpi_posted_state { LPI_POSTED, LPI_CTS_SENT, LPI_MATCHED };

/* A receive that is posted. */
struct lpi_posted {
    int64_t posted; /* when */
    int64_t arrival;
    size_t n_bytes;
    int32_t src, tag;
    enum lpi_posted_state state;
};

/* Of a rank. */
struct lpi_posted_list {
    struct lpi_posted *all;     /* in the order of posting */
    uint32_t n, next, capacity; /* from next on they have not been received */
    bool blocked;               /* the rank waits for the next of them */
    bool exchanging;            /* at sends whose receives have been posted ahead */
    bool rts_sent;              /* its request is on its way, or answered */
    uint32_t matched;           /* by its request: which of the receiver's */
    int64_t cts_at;             /* when that is back; -1: not yet */
};

struct lpi_fold_rendezvous {
    struct lpi_posted_list *ranks;
    int64_t from; /* sends of this many bytes or more wait; 0: none, and nothing is kept */
    const struct logp_delay_ops *ops;
    void *model;
};

/* ops of a delay model: how long an answer takes. 0; -ENOMEM. To be ended in any case. */
int lpi_rendezvous_init(struct lpi_fold_rendezvous *rendezvous, size_t P, int64_t from,
                        const struct logp_delay_ops *ops, void *model);
void lpi_rendezvous_fini(struct lpi_fold_rendezvous *rendezvous, size_t P);

/* Whether a send waits for its receiver. */
static inline bool lpi_rendezvous_waits(const struct lpi_fold_rendezvous *rendezvous,
                                        size_t n_bytes)
{
    return rendezvous->from > 0 && (n_bytes > 0 ? n_bytes : 1) >= (uint64_t)rendezvous->from;
}

/* Rank r posts a receive at its time now. *wakes: the rank whose request the receive answers; -1:
 * none. @return 0; -ENOMEM */
int lpi_rendezvous_post(struct lpi_fold_rendezvous *rendezvous, struct lpi_fold_mail *mail,
                        struct lpi_fold_inbox *inbox, int64_t r, int32_t src, int32_t tag,
                        int64_t now, int64_t *wakes);
/* Put a message to dst; is_request: the request of a payload, which is to come. *wakes: whether dst
 * can then run. 0; -ENOMEM */
int lpi_rendezvous_send(struct lpi_fold_rendezvous *rendezvous, struct lpi_fold_mail *mail,
                        struct lpi_fold_inbox *inbox, int64_t dst,
                        const struct lpi_fold_message *message, bool is_request, bool *wakes);
/* Put the payload of a send that has its answer. @return dst can then run */
bool lpi_rendezvous_data(struct lpi_fold_rendezvous *rendezvous, int64_t src, int64_t dst,
                         int64_t arrival);
/* The next receive of a rank that has posted any. NULL: nothing has come for it */
const struct lpi_posted *lpi_rendezvous_take(struct lpi_fold_rendezvous *rendezvous, int64_t r);

/*
 * ---- graph.c ----
 * One rank of a list with edges: which of its steps are free to go, which receives are posted,
 * which messages have come, and which act is first. It knows no delay model: the fold
 * (graph_fold.c) and a vp (graph_run.c) pass the times at which acts could start, so both do the
 * same. The rank does one act at a time. Whatever can start first is done first. Of several at the
 * same time: a step that became free to go earlier before a later one; of those that become free
 * together sends before computations, and then in the order in which they were freed. A message
 * goes before a step if it was sent before the step became free.
 * LogGOPSim's rules are in graph/.
 */

/* A message that has come. */
struct lpi_parcel {
    int64_t arrival;
    int64_t sent; /* computed from arrival and parameters */
    size_t n_bytes;
    int32_t src, tag;
    int64_t step;                 /* the receive that it has met; LPI_NONE */
    struct logp_request *request; /* of a vp: it is to be completed */
};

enum lpi_act { LPI_SEND, LPI_COMPUTE, LPI_RECEIVE, LPI_ACTS, LPI_NOTHING = LPI_ACTS };

/* Steps, or parcels, in a row. */
struct lpi_row {
    uint32_t *items;
    uint32_t next, n;
    size_t capacity;
};

struct lpi_graph {
    const struct logp_step *steps;
    uint32_t n, n_done;
    uint32_t *first;    /* what waits for step i is to[first[i]] .. to[first[i + 1] - 1]: */
    uint32_t *to;       /* a step, times 2; + 1: it waits only for the beginning */
    uint32_t *waits;    /* by step: for how many */
    int64_t *free_from; /* by step: since when it is free to go; -1: from the beginning on */
    uint32_t
        *freed; /* those that have been freed, in this order; the last have not been taken up */
    uint32_t n_freed, n_taken;
    uint32_t *number;              /* by step: of those that are free to go */
    struct lpi_row rows[LPI_ACTS]; /* acts that could start next */
    struct lpi_pairs pairs;
    struct lpi_parcel *parcels;
    uint32_t n_parcels, n_met;
    size_t parcel_capacity;
    enum lpi_act doing;
    uint32_t item; /* of the act */
    int64_t since; /* when that began */
    int64_t wrong; /* -EMSGSIZE: the receive */
};

/* 0; -ENOMEM, -EINVAL (an edge, a step). To be ended in any case. */
int lpi_graph_init(struct lpi_graph *g, const struct logp_step_list *list, int64_t rank);
void lpi_graph_fini(struct lpi_graph *g);

/* A message is there. 0; -ENOMEM, -EMSGSIZE */
int lpi_graph_accept(struct lpi_graph *g, const struct lpi_parcel *parcel);

/* The next send or computation that could start; NULL: none. */
const struct logp_step *lpi_graph_step(const struct lpi_graph *g, enum lpi_act act);
/* The next message that could be received; NULL: none. */
const struct lpi_parcel *lpi_graph_parcel(const struct lpi_graph *g);
/* Choose the act that goes first if they could start at these times; INT64_MAX: there is none */
enum lpi_act lpi_graph_choose(const struct lpi_graph *g, const int64_t at[LPI_ACTS]);

/* It begins with that, at its time now. */
void lpi_graph_begin(struct lpi_graph *g, enum lpi_act act, int64_t now);
/* That is done, at its time now. 0; -ENOMEM, -EMSGSIZE */
int lpi_graph_end(struct lpi_graph *g, int64_t now);

static inline bool lpi_graph_is_through(const struct lpi_graph *g)
{
    return g->n_done == g->n;
}

/* A receive that has met no message; NULL: none. */
const struct logp_step *lpi_graph_waits_for(const struct lpi_graph *g);

/* The receive from any source or with any tag that has met a message for s; -1: none. */
int64_t lpi_graph_taker(const struct lpi_graph *g, const struct logp_step *s);

/* Return the time at which a message with this arrival was sent, by the parameters. */
int64_t lpi_graph_sent(const struct logp_params *params, int64_t arrival, size_t n_bytes);

/* graph_fold.c: as logp_schedule_fold(), of a list with edges. The model is there, and restarted.
 */
int lpi_graph_fold(const struct logp_schedule *schedule, const struct logp_delay_ops *ops,
                   void *model, uint64_t most, const struct lpi_traced *traced,
                   struct logp_fold *out);

/* graph_run.c: as logp_schedule_run(). -ENOTSUP: sends wait for their receivers, or LogGOPSim's rules
 * hold */
int lpi_graph_run(struct logp_vp *vp, const struct logp_invocation *c, void *recv_buf);

/*
 * ---- critical_path.c, pass.c ----
 * Shared by the files that explain a schedule: its tasks, each with the tasks that it waits for,
 * and the pass over them that computes when each starts. A task waits for tasks before it alone, so
 * a pass goes through them in their order.
 */

#define LPI_NO_TASK UINT32_MAX

/* Of a task the ones before it: of its rank (and port), and where it is a receive, the send. */
struct lpi_links {
    uint32_t before, send, receive; /* the last of all, and of its kind; LPI_NO_TASK: none */
    uint32_t match;
};

/* The private fields after the public struct. */
struct lpi_explanation {
    struct logp_explanation public;
    struct logp_task *tasks;
    struct lpi_links *links;
    struct lpi_edge *edges; /* of a graph, which has no links: first_edge[task] .. [task + 1] - 1 */
    size_t *first_edge;     /* NULL: it is a schedule */
    struct logp_link_costs *costs; /* by task: of its message's link; NULL: all links are alike */
    struct logp_path_segment *path;
    int64_t *slack_ns;
};

/* A condition: a task starts at least this time after a task before it. */
struct lpi_edge {
    uint32_t from;
    bool from_start;             /* else from its end */
    int L, o_send, o_recv, g;    /* how many of each */
    int64_t bytes, bytes_before; /* that are streamed, those of two messages apart */
    uint32_t link, link_before;  /* of this task's link: bytes; and all else */
};

enum { LPI_EDGES = 6 };

/* The edges that lead to a task, perhaps in `space`. *n: how many */
const struct lpi_edge *lpi_edges(const struct lpi_explanation *x, uint32_t task,
                                 struct lpi_edge space[LPI_EDGES], size_t *n);

/* The rule by which one of two paths is the longer. */
enum lpi_longer {
    LPI_BY_TIME_THEN_MORE, /* of the same time: the larger slope */
    LPI_BY_TIME_THEN_LESS,
    LPI_BY_SLOPE, /* and of the same slope by time */
};

/* The prices of all terms in a pass, and the terms that count for the slope. */
struct lpi_prices {
    struct logp_terms ps, slope; /* of one; slope: 0 or 1 */
    bool rounds_bytes, rounds_elements;
    bool counts_roundings; /* the slope is how many messages or combinations are rounded up */
    enum lpi_longer longer;
};

/* A time in ps, and how often the parameter in question is in it. */
struct lpi_at {
    __int128 ps;
    int64_t slope;
};

/* The parameters in force: exactly. */
struct lpi_prices lpi_prices_of(const struct logp_params *params);
/* The bytes of a message that take G each, in its gap or on the wire. */
int64_t lpi_streamed(const struct lpi_explanation *x, uint32_t task);
/* The bytes that stream in while a task is busy: of a receive under loggops. */
int64_t lpi_streamed_in(const struct lpi_explanation *x, uint32_t task);
struct lpi_at lpi_edge_length(const struct lpi_explanation *x, const struct lpi_prices *p,
                              const struct lpi_edge *edge);
/* From the end of its send to its arrival, with O from its start: of the message of this task. */
struct lpi_edge lpi_wire(const struct lpi_explanation *x, uint32_t task);
/* The costs that the link of a task's message gives itself; LOGP_AS_BEFORE where the parameters
 * apply. */
const struct logp_link_costs *lpi_costs_of(const struct lpi_explanation *x, uint32_t task);
struct lpi_at lpi_task_length(const struct lpi_explanation *x, const struct lpi_prices *p,
                              uint32_t task);
/* Find when each task starts. why: which edge decides, -1: none, or NULL.
 * @return the end of the last task; *last: the first that ends then, or LPI_NO_TASK */
struct lpi_at lpi_pass(const struct lpi_explanation *x, const struct lpi_prices *p,
                       struct lpi_at *starts, int32_t *why, uint32_t *last);

/* Take the port of each message, of n: with these prices. 0; -ENOMEM */
int lpi_take_ports(struct lpi_explanation *x, const struct lpi_prices *p, int n);

/* record.c: tasks and links, from the steps of all ranks. As logp_explanation_create() */
int lpi_record(const struct logp_schedule *schedule, struct lpi_explanation *x);
/* graph_record.c: tasks and edges, from the acts of a graph. As logp_explanation_of_graph() */
int lpi_record_graph(const struct logp_graph *graph, const struct logp_network *network,
                     struct lpi_explanation *x);

#endif

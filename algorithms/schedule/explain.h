/* SPDX-License-Identifier: MIT */
/*
 * What the files that explain a schedule share: its tasks with what each waits for, and the pass
 * over them that says when each starts. A task waits for tasks before it alone, so a pass goes
 * through them in their order.
 */
#ifndef LPI_SCHEDULE_EXPLAIN_H
#define LPI_SCHEDULE_EXPLAIN_H

#include <logp/explain.h>
#include <logp/delay.h>

#define LPI_NO_TASK UINT32_MAX

/* Of a task the ones before it: of its rank, and where it is a receive, the send. */
struct lpi_links {
    uint32_t before, send, receive; /* the last of all, and of its kind; LPI_NO_TASK: none */
    uint32_t match;
};

/* What is behind the public struct. */
struct lpi_explanation {
    struct logp_explanation public;
    struct logp_task *tasks;
    struct lpi_links *links;
    struct logp_link_costs *costs; /* by task: of its message's link; NULL: all links are alike */
    struct logp_path_segment *path;
    int64_t *slack_ns;
};

/* That a task starts no earlier than so long after a task before it. */
struct lpi_edge {
    uint32_t from;
    bool from_start;             /* else from its end */
    int L, o_send, o_recv, g;    /* so many times */
    int64_t bytes, bytes_before; /* that are streamed, those of two messages apart */
    uint32_t link, link_before;  /* of this task's link: bytes; and all else */
};

enum { LPI_EDGES = 6 };

/* The edges that lead to a task. @return how many */
int lpi_edges(const struct lpi_explanation *x, uint32_t task, struct lpi_edge out[LPI_EDGES]);

/* Which of two paths is the longer. */
enum lpi_longer {
    LPI_BY_TIME_THEN_MORE, /* of the same time: the larger slope */
    LPI_BY_TIME_THEN_LESS,
    LPI_BY_SLOPE, /* and of the same slope by time */
};

/* What everything costs in a pass, and what of it counts for the slope. */
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
struct lpi_at lpi_edge_length(const struct lpi_explanation *x, const struct lpi_prices *p,
                              const struct lpi_edge *edge);
/* From the end of its send to its arrival: of the message of this task. */
struct lpi_edge lpi_wire(const struct lpi_explanation *x, uint32_t task);
/* What the link of a task's message says itself; LOGP_AS_BEFORE of what the parameters say. */
const struct logp_link_costs *lpi_costs_of(const struct lpi_explanation *x, uint32_t task);
struct lpi_at lpi_task_length(const struct lpi_explanation *x, const struct lpi_prices *p,
                              uint32_t task);
/* When each task starts. why: which edge decides, -1: none, or NULL.
 * @return the end of the last task; *last: the first that ends then, or LPI_NO_TASK */
struct lpi_at lpi_pass(const struct lpi_explanation *x, const struct lpi_prices *p,
                       struct lpi_at *starts, int8_t *why, uint32_t *last);

/* record.c: tasks and links, from the steps of all ranks. As logp_explanation_create() */
int lpi_record(const struct logp_schedule *schedule, struct lpi_explanation *x);

#endif

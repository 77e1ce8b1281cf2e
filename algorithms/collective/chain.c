/* SPDX-License-Identifier: MIT */
/*
 * Vectors along a chain of processors in segments: each is combined where it comes, and sent on
 * while the next is on its way. A reduction, a scan and an exscan take this chain; in the exscan
 * the last processor only receives.
 *
 * With a and B of a segment as in reduce/steps.c and c the time to combine one, a processor is
 * through with a segment at least a period after the one before it:
 *
 *      first: max(o_send, gap), others: max(o_recv + c + o_send, gap), last: B
 *
 * The first segment takes a for each processor, and the last one (segments - 1) times the longest
 * period more. Exact for any segments, if the gap is not shared.
 */
#include "collective/collective.h"
#include "schedule/reader.h"

/* ---- its time ---- */

/* What a segment takes. */
struct segment {
    int64_t leaf;    /* period of the first processor; the least time between two sends */
    int64_t through; /* o_recv + c + o_send */
    int64_t gap;
    int64_t a;                 /* to the next processor, and combined there */
    int64_t a_last, busy_last; /* to the last processor; o_recv + c there */
};

static struct segment segment_of(const struct logp_invocation *c, int64_t elements,
                                 bool last_combines)
{
    const struct logp_params *p = &c->model.params;
    const size_t bytes = lpi_bytes((size_t)elements, lpi_element_bytes(c));
    const int64_t gap = logp_params_gap_ns(p, bytes), combine = lpi_combine_ns(p, elements);
    const int64_t way = p->o_send_ns + logp_params_stream_ns(p, bytes) + p->L_ns;
    const int64_t busy_last = p->o_recv_ns + (last_combines ? combine : 0);

    return (struct segment){.leaf = lpi_max(p->o_send_ns, gap),
                            .through = p->o_recv_ns + combine + p->o_send_ns,
                            .gap = gap,
                            .a = way + p->o_recv_ns + combine,
                            .a_last = way + busy_last,
                            .busy_last = busy_last};
}

/*
 * P >= 2; n segments, the last one `end`. It comes to the last processor from its own start at the
 * first one, or a period after the segment before it: a processor that passes it on may start when
 * it has received it after that send, or when the gap of the send is over; the last one when it may
 * receive it.
 */
static __int128 time_of(int64_t P, int64_t n, const struct segment *s, const struct segment *end)
{
    const int64_t through = P > 2 ? s->through : 0;
    const __int128 period = lpi_later(lpi_later(through, s->leaf), lpi_max(s->busy_last, s->gap));
    const __int128 far = (n - 1) * (__int128)s->leaf + (P - 2) * (__int128)end->a;
    const __int128 to_last = (P - 2) * (__int128)s->a + (n - 2) * period;
    const __int128 passed = P > 2 ? to_last + lpi_max(s->leaf, end->through) : 0;

    if (n == 1)
        return (P - 2) * (__int128)s->a + s->a_last;
    return lpi_later(lpi_later(far, passed) + end->a_last,
                     to_last + s->a_last + lpi_max(0, end->gap - s->busy_last) + end->busy_last);
}

struct choice {
    const struct logp_invocation *c;
    int64_t P;
    bool last_combines;
};

/* As if the last were as large as the others. */
static __int128 even_time(int64_t n, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;
    const struct segment s = segment_of(choice->c, size, choice->last_combines);

    (void)last;
    return time_of(choice->P, n, &s, &s);
}

int64_t lpi_chain_elements(int64_t P, const struct logp_invocation *c, bool last_combines)
{
    const int64_t count = lpi_max(c->args.count, 0), asked = lpi_elements_asked(c);

    if (asked > 0 || count == 0 || P == 1)
        return asked > 0 && asked < count ? asked : count;
    return lpi_best_part(count, even_time, &(struct choice){c, P, last_combines});
}

struct logp_prediction lpi_chain_predict(int64_t P, const struct logp_invocation *c,
                                         bool last_combines)
{
    const int64_t count = lpi_max(c->args.count, 0);
    const int64_t size = lpi_chain_elements(P, c, last_combines);
    const int64_t n = size > 0 ? lpi_ceil_div(count, size) : 1;
    const struct segment s = segment_of(c, size, last_combines);
    const struct segment end = segment_of(c, count - (n - 1) * size, last_combines);

    if (P == 1)
        return lpi_exact(0);
    return c->model.params.gap_shared ? lpi_no_prediction() : lpi_exact(time_of(P, n, &s, &end));
}

/* ---- scan and exscan ---- */

/* Elements begin .. begin + n - 1. */
struct range {
    int64_t n;
    size_t begin, bytes;
};

/* @return false: there is no such segment */
static bool range_of(const struct logp_invocation *c, int64_t segment, struct range *out)
{
    const int64_t size = c->plan.block, begin = segment * size;

    if (segment > 0 && (size == 0 || begin >= c->args.count))
        return false;
    out->n = c->args.count - begin < size ? c->args.count - begin : size;
    out->begin = (size_t)begin * lpi_element_bytes(c);
    out->bytes = (size_t)out->n * lpi_element_bytes(c);
    return true;
}

static bool combine(struct logp_step *out, const struct logp_invocation *c,
                    struct logp_buffer_ref at, const struct range *r)
{
    return logp_step_combine(out, at, (struct logp_buffer_ref){LOGP_RECV_BUF, r->begin},
                             (struct logp_buffer_ref){LOGP_BUF, r->begin}, r->n,
                             lpi_combine_ns(&c->model.params, r->n));
}

static bool scan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t a_segment = rank == 0 ? 1 : rank < P - 1 ? 3 : 2;
    const enum logp_buffer from = rank == 0 ? LOGP_BUF : LOGP_RECV_BUF;
    int64_t k;
    struct range r;

    if (rank == 0 && i-- == 0)
        return logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                              (struct logp_buffer_ref){LOGP_BUF, 0}, lpi_vector_bytes(c));
    if (P == 1 || !range_of(c, i / a_segment, &r))
        return false;
    k = i % a_segment;
    if (rank > 0 && k == 0)
        return logp_step_receive(out, rank - 1, c->args.tag, LOGP_RECV_BUF, r.begin, r.bytes);
    if (rank > 0 && k == 1)
        return combine(out, c, (struct logp_buffer_ref){LOGP_RECV_BUF, r.begin}, &r);
    return logp_step_send(out, rank + 1, c->args.tag, from, r.begin, r.bytes);
}

LPI_READER(scan_run, scan_steps)

/* A message has the own vector as well; it is made in scratch. */
static bool exscan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const int64_t a_segment = rank > 0 && rank < P - 1 ? 3 : 1, k = i % a_segment;
    struct range r;

    if (P == 1 || !range_of(c, i / a_segment, &r))
        return false;
    if (rank > 0 && k == 0)
        return logp_step_receive(out, rank - 1, c->args.tag, LOGP_RECV_BUF, r.begin, r.bytes);
    if (rank == 0)
        return logp_step_send(out, 1, c->args.tag, LOGP_BUF, r.begin, r.bytes);
    return k == 1 ? combine(out, c, (struct logp_buffer_ref){LOGP_SCRATCH, 0}, &r)
                  : logp_step_send(out, rank + 1, c->args.tag, LOGP_SCRATCH, 0, r.bytes);
}

LPI_READER(exscan_run, exscan_steps)

/* ---- the rows ---- */

static int scan_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.block = lpi_chain_elements(P, c, true);
    return lpi_vector_valid(c);
}

static int exscan_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.block = lpi_chain_elements(P, c, false);
    c->plan.scratch_bytes = lpi_bytes((size_t)c->plan.block, lpi_element_bytes(c));
    return lpi_vector_valid(c);
}

static int64_t scan_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, lpi_chain_elements(P, c, true));
}

LPI_VECTOR_BLOCK(tried_scan_block, scan_block)

static int64_t exscan_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, lpi_chain_elements(P, c, false));
}

LPI_VECTOR_BLOCK(tried_exscan_block, exscan_block)

static struct logp_prediction scan_predict(int64_t P, const struct logp_invocation *c)
{
    return lpi_chain_predict(P, c, true);
}

static struct logp_prediction exscan_predict(int64_t P, const struct logp_invocation *c)
{
    return lpi_chain_predict(P, c, false);
}

static const char derived[] = "derived here";

static const struct logp_algorithm scans[] = {
    {LOGP_ALGORITHM("scan", "chain-pipelined", "along the chain in segments (--block)", derived),
     .plan = scan_plan, .steps = scan_steps, .run = scan_run, .predict = scan_predict,
     .knobs = {LOGP_KNOB(block_bytes, tried_scan_block)}},
};

static const struct logp_algorithm exscans[] = {
    {LOGP_ALGORITHM("exscan", "chain-pipelined", "along the chain in segments (--block)", derived),
     .plan = exscan_plan, .steps = exscan_steps, .run = exscan_run, .predict = exscan_predict,
     .knobs = {LOGP_KNOB(block_bytes, tried_exscan_block)}},
};

const struct lpi_rows lpi_scan_chain = LPI_ROWS(scans), lpi_exscan_chain = LPI_ROWS(exscans);

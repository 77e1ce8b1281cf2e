/* SPDX-License-Identifier: MIT */
/*
 * The two programs that observe a machine: see logp/experiment.h. One, the client, has the clock
 * and sends commands; the other, the server, executes them. Before each repetition the client waits
 * for a quiet time, until no gap of an earlier one can be in force: twice as long as two messages
 * took. A busy host makes that long, so it is measured again before each timing, and a shorter time
 * counts at once; where nothing is emulated, the pauses of a timing are limited as its time is.
 */
#include "operand/operand.h"

#include <logp/collective.h>
#include <logp/experiment.h>
#include <logp/machine.h>
#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1, CLIENT = 0, SERVER = 1, CONTEXT = 1 << 29, MANY_SIZES = 64 };
enum { SPACED = 4, BURST = 8, LEAST_REPS = 3, ENOUGH_REPS = 10 };
static const size_t always_seen = 4096; /* bytes, whatever a round trip takes */

enum act {
    ACT_END,
    ACT_ANSWER, /* receive n messages, wait, answer */
    ACT_SEND,   /* be asked, then send n messages */
    ACT_TURN,   /* be asked, then send one, and receive one */
    ACT_REDUCE, /* be asked, then take part in a reduction of n doubles */
};

/* An act that the client asks of the server, `reps` times. */
struct command {
    int64_t act, n, n_bytes, reps, wait_ns;
};

/* One of the two. */
struct end {
    struct logp_vp *pair; /* the group of the two */
    char *buf;            /* n_bytes to send or receive, and as many to receive meanwhile */
    size_t n_bytes;
    struct logp_plan *plan; /* of ACT_REDUCE */
    double *operands;       /* two vectors */
};

static int grow(struct end *e, size_t n_bytes)
{
    char *more;

    if (n_bytes <= e->n_bytes)
        return 0;
    more = realloc(e->buf, 2 * n_bytes);
    if (more == NULL)
        return -ENOMEM;
    memset(more, 1, 2 * n_bytes);
    e->buf = more;
    e->n_bytes = n_bytes;
    return 0;
}

static int wait(struct logp_vp *vp, int64_t ns)
{
    return ns > 0 ? logp_sleep_until(vp, logp_now(vp) + ns) : 0;
}

static int send_many(struct end *e, int to, size_t n_bytes, int64_t n, int64_t wait_ns)
{
    int rc = 0;

    for (int64_t i = 0; rc == 0 && i < n; i++) {
        if (i > 0)
            rc = wait(e->pair, wait_ns);
        if (rc == 0)
            rc = logp_send(e->pair, to, TAG, e->buf, n_bytes);
    }
    return rc;
}

static int receive_many(struct end *e, int from, int64_t n, int64_t wait_ns)
{
    int rc = 0;

    for (int64_t i = 0; rc == 0 && i < n; i++) {
        if (i > 0)
            rc = wait(e->pair, wait_ns);
        if (rc == 0)
            rc = logp_recv(e->pair, from, TAG, e->buf, e->n_bytes, NULL);
    }
    return rc;
}

/* ---- reductions ---- */

static int plan_reduction(struct end *e, int64_t count)
{
    const struct logp_args args = {.count = count, .op = logp_op_find("sum", "double")};
    struct logp_network model = {0};

    logp_vp_params(e->pair, &model.params);
    e->operands = calloc((size_t)count * 2, sizeof(double));
    if (e->operands == NULL)
        return -ENOMEM;
    return logp_plan_create(logp_algorithm_find("reduce", "binomial"), 2, logp_vp_rank(e->pair),
                            &args, &model, &e->plan);
}

static int reduce(struct end *e, int64_t count)
{
    return logp_plan_run(e->pair, e->plan, e->operands, e->operands + count);
}

static void forget_reduction(struct end *e)
{
    logp_plan_destroy(e->plan);
    free(e->operands);
    e->plan = NULL;
    e->operands = NULL;
}

/* ---- the server ---- */

/* Receive while sending. Where sends wait for their receiver, so does the client's, while this one
 * sends. */
static int swap(struct end *e, size_t n_bytes)
{
    struct logp_request *r;
    int rc = logp_irecv(e->pair, CLIENT, TAG, e->buf + e->n_bytes, e->n_bytes, &r);

    if (rc == 0)
        rc = logp_send(e->pair, CLIENT, TAG, e->buf, n_bytes);
    return rc == 0 ? logp_wait(e->pair, r, NULL) : rc;
}

static int serve_once(struct end *e, const struct command *c)
{
    int rc = receive_many(e, CLIENT, c->act == ACT_ANSWER ? c->n : 1, 0);

    if (rc != 0)
        return rc;
    switch (c->act) {
    case ACT_ANSWER:
        rc = wait(e->pair, c->wait_ns);
        return rc == 0 ? logp_send(e->pair, CLIENT, TAG, e->buf, (size_t)c->n_bytes) : rc;
    case ACT_SEND:
        return send_many(e, CLIENT, (size_t)c->n_bytes, c->n, 0);
    case ACT_TURN:
        return swap(e, (size_t)c->n_bytes);
    default:
        return reduce(e, c->n);
    }
}

static int serve(struct end *e)
{
    struct command c = {.act = ACT_ANSWER};
    int rc = 0;

    while (rc == 0) {
        rc = logp_recv(e->pair, CLIENT, TAG, &c, sizeof(c), NULL);
        if (rc != 0 || c.act == ACT_END)
            break;
        rc = grow(e, (size_t)c.n_bytes);
        if (rc == 0 && c.act == ACT_REDUCE)
            rc = plan_reduction(e, c.n);
        for (int64_t i = 0; rc == 0 && i < c.reps; i++)
            rc = serve_once(e, &c);
        forget_reduction(e);
    }
    return rc;
}

/* The group of the two, in which the client is the first. */
static int begin(struct end *e, struct logp_vp *vp, int client, int server)
{
    const int members[] = {client, server};
    int rc;

    *e = (struct end){0};
    rc = logp_group_create(vp, CONTEXT, members, 2, &e->pair);
    return rc == 0 ? grow(e, sizeof(struct command)) : rc;
}

static void end(struct end *e)
{
    forget_reduction(e);
    free(e->buf);
    logp_group_destroy(e->pair);
}

int logp_observe_serve(struct logp_vp *vp, int peer)
{
    struct end e;
    int rc = begin(&e, vp, peer, logp_vp_rank(vp));

    if (rc == 0)
        rc = serve(&e);
    end(&e);
    return rc;
}

/* ---- the client ---- */

struct client {
    struct end end;
    struct logp_observe how;
    struct logp_observed *seen;
    int64_t reading_ns; /* of the clock */
    int64_t call_ns;    /* of a call that does nothing */
    int64_t late_ns;    /* how much longer a wait takes than asked for */
    int64_t spaced_ns;  /* SPACED calls that do nothing, with waits between, and a reading; less
                           the waits. Not a sum of medians, because few are late, but by much */
    int steps;          /* sizes and reductions */
    int64_t quiet_ns;   /* for messages of this size: no gap is longer, none is on its way longer */
};

/* A repetition: a command, and the actions of the client meanwhile. */
struct plan {
    enum act act;
    int n;
    bool spaced;                    /* its messages are a quiet time apart */
    enum logp_timing first, second; /* which timings these are; LOGP_TIMINGS: not wanted */
};

static int64_t median(int64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), lpi_compare);
    return values[(n - 1) / 2];
}

/* SPACED calls that do nothing, as messages are sent: *ns. */
static int space_nothing(struct logp_vp *vp, int64_t wait_ns, int64_t *ns)
{
    const int64_t t = logp_now(vp);
    int rc = 0;

    for (int i = 0; rc == 0 && i < SPACED; i++) {
        if (i > 0)
            rc = wait(vp, wait_ns);
        if (rc == 0)
            rc = logp_compute(vp, 0, NULL, NULL);
    }
    *ns = logp_now(vp) - t - (SPACED - 1) * wait_ns;
    return rc;
}

/* Measure how long the clock takes to be read, how long a call takes that does nothing, and how
 * much later than asked for a wait ends; each after a wait, as in the timings. */
static int calibrate(struct client *c, int64_t wait_ns)
{
    enum { N = 31 };
    struct logp_vp *vp = c->end.pair;
    const int64_t long_enough_ns = 50000;
    int64_t reading[N], call[N], late[N], spaced[N], t;
    int rc = 0;

    wait_ns = wait_ns < long_enough_ns ? wait_ns : long_enough_ns;
    for (int i = 0; rc == 0 && i < N; i++) {
        rc = wait(vp, wait_ns);
        t = logp_now(vp);
        reading[i] = logp_now(vp) - t;
        if (rc == 0)
            rc = wait(vp, wait_ns);
        t = logp_now(vp);
        logp_compute(vp, 0, NULL, NULL);
        call[i] = logp_now(vp) - t;
        t = logp_now(vp);
        if (rc == 0)
            rc = wait(vp, wait_ns);
        late[i] = logp_now(vp) - t - wait_ns;
        if (rc == 0)
            rc = wait(vp, wait_ns);
        if (rc == 0)
            rc = space_nothing(vp, wait_ns, &spaced[i]);
    }
    if (rc != 0)
        return rc;
    c->reading_ns = median(reading, N);
    c->call_ns = median(call, N) - c->reading_ns;
    c->call_ns = c->call_ns > 0 ? c->call_ns : 0;
    c->late_ns = median(late, N) - c->reading_ns;
    median(spaced, N);            /* which sorts */
    c->spaced_ns = spaced[N / 8]; /* the lower octile, as of timings: estimate.c */
    return 0;
}

/* ns: from the first reading of the clock to the first and second of interest */
static int time_once(struct client *c, const struct plan *p, size_t n_bytes, int64_t ns[2])
{
    struct end *e = &c->end;
    const int64_t apart_ns = p->spaced ? c->quiet_ns : 0;
    const int64_t nothing_ns =
        apart_ns > 0 ? (p->n - 1) * apart_ns + c->spaced_ns : c->reading_ns + p->n * c->call_ns;
    int rc = wait(e->pair, c->quiet_ns);
    int64_t t;

    if (rc == 0 && p->act != ACT_ANSWER) { /* ask, and wait until all is there */
        rc = logp_send(e->pair, SERVER, TAG, e->buf, 0);
        if (rc == 0)
            rc = wait(e->pair, c->quiet_ns * (2 + (p->act == ACT_SEND ? p->n : 1)));
    }
    t = logp_now(e->pair);
    if (rc == 0 && p->act == ACT_REDUCE)
        rc = reduce(e, p->n);
    else if (rc == 0 && p->act == ACT_SEND)
        rc = receive_many(e, SERVER, p->n, apart_ns);
    else if (rc == 0)
        rc = send_many(e, SERVER, n_bytes, p->act == ACT_TURN ? 1 : p->n, apart_ns);
    if (p->act != ACT_TURN)
        ns[0] = logp_now(e->pair) - t - nothing_ns;
    if (rc == 0 && (p->act == ACT_ANSWER || p->act == ACT_TURN))
        rc = logp_recv(e->pair, SERVER, TAG, e->buf, e->n_bytes, NULL);
    ns[1] = logp_now(e->pair) - t - c->reading_ns;
    if (p->act == ACT_ANSWER) /* and what the server does between the last message and its own */
        ns[1] -= c->quiet_ns + c->late_ns + 3 * c->call_ns;
    if (p->act == ACT_TURN)
        ns[1] -= 2 * c->call_ns;
    return rc;
}

/* `reps` repetitions; *first, *second: their times, NULL: not wanted. */
static int repeat(struct client *c, const struct plan *p, size_t n_bytes, int64_t reps,
                  int64_t *first, int64_t *second)
{
    const struct command command = {p->act, p->n, (int64_t)n_bytes, reps, c->quiet_ns};
    int rc = logp_send(c->end.pair, SERVER, TAG, &command, sizeof(command));

    for (int64_t i = 0; rc == 0 && i < reps; i++) {
        int64_t ns[2] = {0, 0};

        rc = time_once(c, p, n_bytes, ns);
        if (first != NULL)
            first[i] = ns[0];
        if (second != NULL)
            second[i] = ns[1];
    }
    return rc;
}

/* Find how many repetitions there is time for, from two that do not count. */
static int warm_up(struct client *c, const struct plan *p, size_t n_bytes, int64_t *reps)
{
    const int64_t from = logp_now(c->end.pair);
    const int rc = repeat(c, p, n_bytes, 2, NULL, NULL);
    const int64_t each = (logp_now(c->end.pair) - from) / 2;

    *reps = c->how.reps;
    if (c->how.limit_ns > 0 && each > 0 && c->how.limit_ns / each < *reps)
        *reps = c->how.limit_ns / each < ENOUGH_REPS ? ENOUGH_REPS : c->how.limit_ns / each;
    *reps = *reps < c->how.reps ? *reps : c->how.reps;
    return rc;
}

static int64_t *space_for(struct logp_observation *o, enum logp_timing timing, int64_t reps)
{
    if (timing == LOGP_TIMINGS)
        return NULL;
    o->n[timing] = (size_t)reps;
    o->times_ns[timing] = calloc((size_t)reps, sizeof(int64_t));
    return o->times_ns[timing];
}

static int observe(struct client *c, const struct plan *p, struct logp_observation *o)
{
    int64_t reps, *first, *second;
    int rc = warm_up(c, p, o->n_bytes, &reps);

    if (rc != 0)
        return rc;
    first = space_for(o, p->first, reps);
    second = space_for(o, p->second, reps);
    if ((first == NULL && p->first != LOGP_TIMINGS) ||
        (second == NULL && p->second != LOGP_TIMINGS))
        return -ENOMEM;
    return repeat(c, p, o->n_bytes, reps, first, second);
}

/* Where nothing is emulated, no more than a part of what a timing may take: a message of 4 KiB, and
 * each 4 KiB of a longer one, is there by then. Longer times are the host's, not the network's. */
static int64_t most_quiet(const struct client *c, size_t n_bytes)
{
    const int64_t each_ns = c->how.limit_ns / ENOUGH_REPS;
    const int64_t pages = (int64_t)(n_bytes / always_seen) + 1;

    return each_ns == 0 || logp_machine_delayed(logp_vp_machine(c->end.pair)) ||
                   pages > INT64_MAX / each_ns
               ? INT64_MAX
               : each_ns * pages;
}

static void set_quiet(struct client *c, size_t n_bytes, int64_t round_ns)
{
    const int64_t most_ns = most_quiet(c, n_bytes);

    c->quiet_ns = 2 * round_ns < most_ns ? 2 * round_ns : most_ns;
}

/* Send two messages of this size at once, n times; a time that is less than the quiet time allows
 * shortens it before the next. *round_ns: the shortest; no gap delayed the others */
static int renew_quiet(struct client *c, size_t n_bytes, int n, int64_t *round_ns)
{
    const struct plan two = {.act = ACT_ANSWER, .n = 2};
    int rc = 0;

    *round_ns = INT64_MAX;
    for (int i = 0; rc == 0 && i < n; i++) {
        int64_t ns;

        rc = repeat(c, &two, n_bytes, 1, NULL, &ns);
        ns += c->reading_ns + c->late_ns + 3 * c->call_ns; /* long where the host was busy, too */
        if (rc != 0 || ns >= *round_ns)
            continue;
        *round_ns = ns;
        if (ns < c->quiet_ns / 2)
            set_quiet(c, n_bytes, ns);
    }
    return rc;
}

/* Set the quiet time for messages of this size; *round_ns: the time of two of them when no gap is
 * in force. The quiet time of smaller ones is too short for these, so the first of them lengthen
 * it. Commands leave gaps, too. */
static int resolve_quiet(struct client *c, size_t n_bytes, int64_t *round_ns)
{
    const size_t size = n_bytes > sizeof(struct command) ? n_bytes : sizeof(struct command);
    int rc = grow(&c->end, size);

    for (int i = 0; rc == 0 && i < 2; i++) {
        rc = renew_quiet(c, size, ENOUGH_REPS, round_ns);
        if (rc == 0 && (i > 0 || *round_ns > c->quiet_ns / 2))
            set_quiet(c, size, *round_ns);
    }
    return rc == 0 ? calibrate(c, c->quiet_ns) : rc;
}

static bool too_long(const struct client *c, int64_t round_ns)
{
    return c->how.size_limit_ns > 0 && round_ns > c->how.size_limit_ns;
}

static int observe_size(struct client *c, struct logp_observation *o)
{
    const struct plan plans[] = {
        {ACT_ANSWER, 1, false, LOGP_TIMINGS, LOGP_TIMING_ROUND},
        {ACT_ANSWER, SPACED, true, LOGP_TIMING_SPACED, LOGP_TIMINGS},
        {ACT_ANSWER, BURST, false, LOGP_TIMING_SENT, LOGP_TIMING_BURST},
        {ACT_SEND, SPACED, true, LOGP_TIMING_TAKEN, LOGP_TIMINGS},
        {ACT_SEND, BURST, false, LOGP_TIMING_RECEIVED, LOGP_TIMINGS},
        {ACT_TURN, 1, false, LOGP_TIMINGS, LOGP_TIMING_TURN},
    };
    const size_t command = sizeof(struct command);
    int64_t round_ns;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof(plans) / sizeof(plans[0]); i++) {
        rc = renew_quiet(c, o->n_bytes > command ? o->n_bytes : command, 1, &round_ns);
        if (rc == 0)
            rc = observe(c, &plans[i], o);
    }
    return rc;
}

/* done: sizes and reductions */
static void tell_progress(const struct client *c, int done)
{
    if (c->how.progress != NULL)
        c->how.progress(c->how.progress_arg, done, c->steps);
}

/* After a reduction of so many elements */
static int64_t next_count(int64_t count)
{
    return count == 1 ? 1000 : 4 * count;
}

/* How many there are */
static int reductions(const struct logp_observe *how)
{
    int n = 0;

    for (int64_t count = 1; count <= how->combine_high; count = next_count(count))
        n++;
    return n;
}

/* Observe 1, and thousands, whose times are whole ns even before the model rounds them up. */
static int observe_reductions(struct client *c)
{
    struct logp_observed *seen = c->seen;
    int rc = 0;

    for (int64_t count = 1; rc == 0 && count <= c->how.combine_high; count = next_count(count)) {
        struct logp_combined *x = &seen->combined[seen->n_combined];
        const struct plan p = {ACT_REDUCE, (int)count, false, LOGP_TIMINGS, LOGP_TIMING_ROUND};
        struct logp_observation o = {.n_bytes = (size_t)count * sizeof(double)};
        int64_t round_ns;

        tell_progress(c, c->steps - reductions(&c->how) + (int)seen->n_combined);
        rc = resolve_quiet(c, o.n_bytes, &round_ns);
        if (rc == 0 && too_long(c, round_ns) && seen->n_combined > 1)
            break;
        seen->n_combined++;
        if (rc == 0)
            rc = plan_reduction(&c->end, count);
        if (rc == 0)
            rc = observe(c, &p, &o);
        forget_reduction(&c->end);
        *x = (struct logp_combined){count, o.n[LOGP_TIMING_ROUND], o.times_ns[LOGP_TIMING_ROUND]};
    }
    return rc;
}

/* The sizes to look at, ascending. */
static size_t choose_sizes(const struct logp_observe *how, size_t out[MANY_SIZES])
{
    size_t n = 0;

    out[n++] = how->bytes_low;
    for (size_t s = 16; s < how->bytes_high && n < MANY_SIZES - 1; s *= 2)
        if (s > how->bytes_low)
            out[n++] = s;
    if (how->bytes_high > how->bytes_low)
        out[n++] = how->bytes_high;
    return n;
}

static int observe_all(struct client *c)
{
    const struct command last = {.act = ACT_END};
    struct logp_observed *seen = c->seen;
    size_t sizes[MANY_SIZES];
    const size_t n = choose_sizes(&c->how, sizes);
    int rc = 0;

    c->steps = (int)n + reductions(&c->how);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        int64_t round_ns;

        tell_progress(c, (int)i);
        rc = resolve_quiet(c, sizes[i], &round_ns);
        if (i > 0 && sizes[i] > always_seen && too_long(c, round_ns))
            break;
        seen->sizes[i].n_bytes = sizes[i];
        seen->n_sizes = i + 1;
        if (rc == 0)
            rc = observe_size(c, &seen->sizes[i]);
    }
    c->quiet_ns = 0;
    if (rc == 0)
        rc = observe_reductions(c);
    return rc == 0 ? logp_send(c->end.pair, SERVER, TAG, &last, sizeof(last)) : rc;
}

static int take_how(struct logp_observe *out, const struct logp_observe *given)
{
    const int rc =
        logp_struct_take(out, sizeof(*out), LOGP_UP_TO(struct logp_observe, combine_high), given);

    if (rc != 0)
        return rc;
    out->bytes_low = out->bytes_low > 0 ? out->bytes_low : 1;
    out->bytes_high = out->bytes_high > 0 ? out->bytes_high : 1 << 20;
    out->reps = out->reps != 0 ? out->reps : 100;
    return out->bytes_high < out->bytes_low || out->bytes_high > SIZE_MAX / 64 ||
                   out->reps < LEAST_REPS || out->limit_ns < 0 || out->size_limit_ns < 0 ||
                   out->combine_high < 0 || out->combine_high > INT32_MAX
               ? -EINVAL
               : 0;
}

static struct logp_observed *make_observed(void)
{
    struct logp_observed *seen = calloc(1, sizeof(*seen));

    if (seen == NULL)
        return NULL;
    *seen = (struct logp_observed){.size = sizeof(*seen), .n_spaced = SPACED, .n_burst = BURST};
    seen->sizes = calloc(MANY_SIZES, sizeof(*seen->sizes));
    seen->combined = calloc(MANY_SIZES, sizeof(*seen->combined));
    if (seen->sizes != NULL && seen->combined != NULL)
        return seen;
    logp_observed_free(seen);
    return NULL;
}

void logp_observed_free(struct logp_observed *seen)
{
    if (seen == NULL)
        return;
    for (size_t i = 0; i < seen->n_sizes; i++)
        for (int k = 0; k < LOGP_TIMINGS; k++)
            free(seen->sizes[i].times_ns[k]);
    for (size_t i = 0; i < seen->n_combined; i++)
        free(seen->combined[i].times_ns);
    free(seen->sizes);
    free(seen->combined);
    free(seen);
}

int logp_observe(struct logp_vp *vp, int peer, const struct logp_observe *how,
                 struct logp_observed **out)
{
    struct client c = {0};
    int rc = take_how(&c.how, how);

    *out = NULL;
    if (rc != 0)
        return rc;
    if (peer == logp_vp_rank(vp))
        return -EINVAL;
    c.seen = make_observed();
    rc = c.seen != NULL ? begin(&c.end, vp, logp_vp_rank(vp), peer) : -ENOMEM;
    if (rc == 0)
        rc = observe_all(&c);
    end(&c.end);
    if (rc == 0)
        *out = c.seen;
    else
        logp_observed_free(c.seen);
    return rc;
}

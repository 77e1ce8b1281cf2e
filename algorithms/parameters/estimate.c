/* SPDX-License-Identifier: MIT */
/*
 * Estimates of parameters from observed times: see logp/experiment.h. The values are computed from
 * the medians of the timings, those of overheads alone from lower octiles: a processor by itself is
 * only ever held up. Their intervals come from 200 draws from the same times, together with the
 * residuals of the lines.
 */
#include "parameters/parameters.h"

#include <logp/experiment.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { DRAWS = 200, MOST_SIZES = 64, MOST_PROTOCOLS = 8 };

/* The observations of one size: the samples, and their medians, or those of a draw. */
struct size_known {
    struct lpi_sample samples[LOGP_TIMINGS];
    double medians[LOGP_TIMINGS];
    double spreads[LOGP_TIMINGS]; /* of the medians; 0: all times were the same */
    struct logp_size_seen seen;
    double apart; /* as a gap holds messages up; < 0: an overhead hides it */
    double apart_sigma;
};

/* The estimates of one draw. */
enum { LATENCY, O_SEND, O_RECV, GAP, BYTE, GAMMA, N_VALUES };

struct work {
    const struct logp_observed *observed;
    struct size_known *sizes;
    size_t n;
    struct lpi_sample *combined;
    double combined_medians[MOST_SIZES];
    size_t ends[MOST_PROTOCOLS]; /* one past the last size of each protocol */
    size_t n_protocols;
    bool store_forward, g_hidden, L_hidden;
    struct logp_protocol protocols[MOST_PROTOCOLS];
    double values[N_VALUES];
    double misfits[N_VALUES]; /* half of 95 % intervals by what lines leave; 0: no more than times
                                 vary */
    bool exact;
};

/* ---- a size ---- */

static void work_out_size(const struct logp_observed *o, struct size_known *k)
{
    const double *m = k->medians, spaced = o->n_spaced, more = o->n_burst - 1;
    struct logp_size_seen *s = &k->seen;

    s->one_way = m[LOGP_TIMING_ROUND] / 2;
    s->o_send = m[LOGP_TIMING_SPACED] / spaced;
    s->o_recv = m[LOGP_TIMING_TAKEN] / spaced;
    s->apart = (m[LOGP_TIMING_BURST] - m[LOGP_TIMING_ROUND]) / more;
    s->sent_apart = (m[LOGP_TIMING_SENT] - s->o_send) / more;
    s->received_apart = (m[LOGP_TIMING_RECEIVED] - s->o_recv) / more;
}

/* Two that differ by less may be the same. */
static double slack(const struct size_known *k, enum logp_timing a, enum logp_timing b, double of)
{
    return k->spreads[a] + k->spreads[b] > 0 ? k->spreads[a] + k->spreads[b] + of / 50 + 5 : 0;
}

/* A rate that a gap rules: of messages from end to end; or, where the other end's overhead hides
 * it, at one end. One overhead for all sizes, as the model has it. */
static void find_gap(struct work *w, struct size_known *k)
{
    const struct logp_size_seen *s = &k->seen;
    const double o_send = w->values[O_SEND], o_recv = w->values[O_RECV];
    const double o = fmax(o_send, o_recv);
    const double more = w->observed->n_burst - 1;
    const double noise = (k->spreads[LOGP_TIMING_BURST] + k->spreads[LOGP_TIMING_ROUND]) / more;
    const double sent_noise = k->spreads[LOGP_TIMING_SENT] / more;

    k->apart = -1;
    k->apart_sigma = noise;
    if (s->apart > o + slack(k, LOGP_TIMING_BURST, LOGP_TIMING_SPACED, o)) {
        k->apart = s->apart;
        if (sent_noise < noise && fabs(s->apart - s->sent_apart) <= noise) { /* the same, surer */
            k->apart = s->sent_apart;
            k->apart_sigma = sent_noise;
        }
    } else if (s->sent_apart > o_send + slack(k, LOGP_TIMING_SENT, LOGP_TIMING_SPACED, o_send)) {
        k->apart = s->sent_apart;
        k->apart_sigma = sent_noise;
    } else if (s->received_apart >
               o_recv + slack(k, LOGP_TIMING_RECEIVED, LOGP_TIMING_TAKEN, o_recv)) {
        k->apart = s->received_apart;
        k->apart_sigma = k->spreads[LOGP_TIMING_RECEIVED] / more;
    }
}

/* ---- over sizes ---- */

/* The error of a median is its spread, and that of a line through a curve a fiftieth of the value.
 * Where all times of a kind are the same, they come from a model, rounded to whole ns. */
static double sigma_of(const struct work *w, double spread, double value)
{
    return w->exact ? 1 : fmax(spread + value / 50, 1);
}

static void make_dots(const struct work *w, struct lpi_dot *wire, struct lpi_dot *apart)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct size_known *k = &w->sizes[i];
        const double x = (double)k->seen.n_bytes - 1;

        wire[i] = (struct lpi_dot){x, k->seen.one_way,
                                   sigma_of(w, k->spreads[LOGP_TIMING_ROUND] / 2, k->seen.one_way)};
        apart[i] =
            (struct lpi_dot){x, k->apart, k->apart < 0 ? 0 : sigma_of(w, k->apart_sigma, k->apart)};
    }
}

static double worst(const struct lpi_dot *d, size_t n, const struct lpi_fitted *line)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        if (d[i].sigma > 0 && d[i].y > 0)
            most = fmax(most, fabs(d[i].y - line->base - line->slope * d[i].x) / d[i].y);
    return most;
}

static int count_dots(const struct lpi_dot *d, size_t n)
{
    int dots = 0;

    for (size_t i = 0; i < n; i++)
        dots += d[i].sigma > 0;
    return dots;
}

static void fit_protocols(struct work *w, const struct lpi_dot *wire, const struct lpi_dot *apart)
{
    for (size_t p = 0, from = 0; p < w->n_protocols; from = w->ends[p++]) {
        const size_t n = w->ends[p] - from;
        const struct lpi_fitted latency = lpi_fit(wire + from, n), rate = lpi_fit(apart + from, n);
        const int seen = count_dots(apart + from, n);

        w->protocols[p] = (struct logp_protocol){
            .from = w->sizes[from].seen.n_bytes,
            .to = w->sizes[w->ends[p] - 1].seen.n_bytes,
            .L_ns = latency.base - w->values[O_SEND] - w->values[O_RECV],
            .wire_G_ns = fmax(latency.slope, 0),
            .g_ns = seen > 1 ? rate.base : -1,
            .G_ns = seen > 1 ? fmax(rate.slope, 0) : -1,
            .error = fmax(worst(wire + from, n, &latency), worst(apart + from, n, &rate))};
    }
}

/* Return the time (k-1)G, or kG, as the model rounds it. */
static double stream_ns(const struct work *w, double G_ns, size_t n_bytes)
{
    const struct logp_params p = {.G_ps = llround(G_ns * 1000), .store_forward = w->store_forward};

    return (double)logp_params_stream_ns(&p, n_bytes);
}

/* With G in whole ps, the times of the first protocol less their stream times: the mean, weighted
 * as dots are. */
static double base_of(const struct work *w, const struct lpi_dot *dots, double G_ns)
{
    double sum = 0, weights = 0;

    for (size_t i = 0; i < w->ends[0]; i++)
        if (dots[i].sigma > 0) {
            const double weight = 1 / (dots[i].sigma * dots[i].sigma);

            sum += weight * (dots[i].y - stream_ns(w, G_ns, w->sizes[i].seen.n_bytes));
            weights += weight;
        }
    return weights > 0 ? sum / weights : -1;
}

/* G of the largest sizes, from messages one after the other, or where that is hidden, from end to
 * end; a gap that does not grow with sizes while latencies do is that of store and forward. */
static void find_G(struct work *w)
{
    const struct logp_protocol *last = &w->protocols[w->n_protocols - 1];
    const double bytes = (double)(last->to - last->from);

    w->store_forward = last->G_ns >= 0 && last->to > last->from && last->wire_G_ns > 0 &&
                       last->G_ns < last->wire_G_ns / 20 &&
                       last->wire_G_ns * bytes > w->values[LATENCY] / 20;
    w->values[BYTE] = last->G_ns < 0 || w->store_forward ? last->wire_G_ns : last->G_ns;
    if (w->values[BYTE] * bytes < 1) /* no more than is rounded up */
        w->values[BYTE] = 0;
    w->values[BYTE] = (double)llround(w->values[BYTE] * 1000) / 1000;
}

/* Whether both are the same within the error of a line through a curve. */
static bool alike(double a, double b)
{
    return fabs(a - b) <= fmax(fmax(a, b) / 50, 0.001);
}

/* Find g and L of the first protocol; by G, if that is its own slope but for rounding. Where no gap
 * is seen of the smallest message, it is no longer than an overhead, even if long messages suggest
 * more. */
static void find_gap_and_latency(struct work *w, const struct lpi_dot *wire,
                                 const struct lpi_dot *apart)
{
    const double G = w->values[BYTE], wire_G = w->protocols[0].wire_G_ns;
    const double rate_G = w->store_forward ? 0 : w->protocols[0].G_ns;
    const double o = w->values[O_SEND] + w->values[O_RECV];
    const double least_o = fmin(w->values[O_SEND], w->values[O_RECV]);
    const struct size_known *first = &w->sizes[0];
    const double L = base_of(w, wire, alike(wire_G, G) ? G : wire_G) - o;
    double g = first->apart;

    w->values[LATENCY] = fmax(L, 0);
    w->L_hidden = L < 0;
    if (g < 0 || first->seen.n_bytes > 1)
        g = w->store_forward ? lpi_fit(apart, w->ends[0]).base
                             : base_of(w, apart, rate_G < 0 || alike(rate_G, G) ? G : rate_G);
    if (first->apart < 0 && g > least_o)
        g = least_o;
    w->g_hidden = g < 0;
    w->values[GAP] = w->g_hidden ? least_o : g;
}

static void find_gamma(struct work *w)
{
    struct lpi_dot dots[MOST_SIZES];

    for (size_t i = 0; i < w->observed->n_combined; i++)
        dots[i] = (struct lpi_dot){(double)w->observed->combined[i].count, w->combined_medians[i],
                                   sigma_of(w, 0, w->combined_medians[i])};
    w->values[GAMMA] = fmax(lpi_fit(dots, w->observed->n_combined).slope, 0);
}

static struct lpi_fitted errors_of(const struct lpi_dot *dots, size_t n)
{
    const struct lpi_fitted line = lpi_fit(dots, n);

    return lpi_fit_errors(dots, n, &line);
}

/* By the lines that the values are of: find_G(), find_gap_and_latency(). */
static void find_misfits(struct work *w, const struct lpi_dot *wire, const struct lpi_dot *apart)
{
    const size_t last = w->n_protocols > 1 ? w->ends[w->n_protocols - 2] : 0;
    const bool by_wire = w->protocols[w->n_protocols - 1].G_ns < 0 || w->store_forward;
    const bool seen_alone = w->sizes[0].apart >= 0 && w->sizes[0].seen.n_bytes == 1;

    w->misfits[LATENCY] = errors_of(wire, w->ends[0]).base;
    w->misfits[GAP] = seen_alone ? 0 : errors_of(apart, w->ends[0]).base;
    w->misfits[BYTE] = errors_of((by_wire ? wire : apart) + last, w->n - last).slope;
}

/* All values from the medians; anew: the protocols, too. */
static void work_out(struct work *w, bool anew)
{
    struct lpi_dot wire[MOST_SIZES], apart[MOST_SIZES];

    for (size_t i = 0; i < w->n; i++)
        work_out_size(w->observed, &w->sizes[i]);
    w->values[O_SEND] = fmax(w->sizes[0].seen.o_send, 0);
    w->values[O_RECV] = fmax(w->sizes[0].seen.o_recv, 0);
    w->values[LATENCY] = fmax(w->sizes[0].seen.one_way - w->values[O_SEND] - w->values[O_RECV], 0);
    for (size_t i = 0; i < w->n; i++)
        find_gap(w, &w->sizes[i]);
    make_dots(w, wire, apart);
    if (anew)
        w->n_protocols = lpi_cut(wire, apart, w->n, w->ends, MOST_PROTOCOLS);
    fit_protocols(w, wire, apart);
    find_G(w);
    find_gap_and_latency(w, wire, apart);
    find_gamma(w);
    if (anew)
        find_misfits(w, wire, apart);
}

/* ---- how sure it is ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void draw(struct work *w, uint64_t *random, int64_t *capacity)
{
    for (size_t i = 0; i < w->n; i++)
        for (int k = 0; k < LOGP_TIMINGS; k++)
            w->sizes[i].medians[k] = lpi_sample_again(&w->sizes[i].samples[k], random, capacity);
    for (size_t i = 0; i < w->observed->n_combined; i++)
        w->combined_medians[i] = lpi_sample_again(&w->combined[i], random, capacity);
}

/* Set the intervals: those of 95 of 100 draws, extended by the residuals of the lines. */
static void say_intervals(struct work *w, uint64_t seed, int64_t *capacity,
                          struct logp_estimated *const out[N_VALUES])
{
    const struct work as_seen = *w;
    double drawn[N_VALUES][DRAWS];
    uint64_t random = seed * 2 + 1;

    for (int i = 0; i < DRAWS; i++) {
        draw(w, &random, capacity);
        work_out(w, false);
        for (int v = 0; v < N_VALUES; v++)
            drawn[v][i] = w->values[v];
    }
    *w = as_seen;
    for (int v = 0; v < N_VALUES; v++) {
        qsort(drawn[v], DRAWS, sizeof(double), compare);
        out[v]->low_ns = fmin(drawn[v][DRAWS / 40], fmax(out[v]->ns - w->misfits[v], 0));
        out[v]->high_ns = fmax(drawn[v][DRAWS - 1 - DRAWS / 40], out[v]->ns + w->misfits[v]);
    }
}

/* ---- the whole ---- */

/* Of the largest size: where a gap holds between them, a receive right after a send starts later
 * than the send has ended, by more than the shared gap that is known; or else nothing is to be
 * seen. */
static enum logp_gap_seen find_kind(const struct work *w)
{
    const struct size_known *k = &w->sizes[w->n - 1];
    const double both = k->seen.o_send + k->seen.o_recv;
    const double grows = w->store_forward || w->protocols[w->n_protocols - 1].G_ns < 0
                             ? 0
                             : stream_ns(w, w->values[BYTE], k->seen.n_bytes);
    const double apart = fmax(k->apart, w->g_hidden ? 0 : w->values[GAP]);
    const double later = fmax(k->seen.o_send, apart) + grows - k->seen.o_send;
    const double seen = k->medians[LOGP_TIMING_TURN] - both;
    const double doubt = w->exact ? 0 : both / 10;

    if (seen > fmax(later / 2, doubt))
        return LOGP_GAP_SHARED;
    return later > doubt ? LOGP_GAP_SEPARATE : LOGP_GAP_UNSEEN;
}

static void fill(const struct work *w, struct logp_found *f)
{
    const double *v = w->values;

    f->delay = w->store_forward ? "store-forward" : "loggp";
    f->params = (struct logp_params){.L_ns = llround(v[LATENCY]),
                                     .o_send_ns = llround(v[O_SEND]),
                                     .o_recv_ns = llround(v[O_RECV]),
                                     .g_ns = llround(v[GAP]),
                                     .G_ps = llround(v[BYTE] * 1000),
                                     .gamma_ps = llround(v[GAMMA] * 1000)};
    f->gap = find_kind(w);
    f->params.gap_shared = f->gap == LOGP_GAP_SHARED;
    logp_delay_params(f->delay, &f->params, &f->params);
    f->has_gamma = w->observed->n_combined > 1;
    f->L_hidden = w->L_hidden;
    f->g_hidden = w->g_hidden;
    f->exact = w->exact;
    f->n_protocols = (int)w->n_protocols;
    for (size_t p = 0; p < w->n_protocols; p++) {
        f->protocols[p] = w->protocols[p];
        f->error = fmax(f->error, w->protocols[p].error);
    }
}

/* Set times of this size that are 0 within their error to 0, and doubt those below. */
static void resolve_size(const struct work *w, const struct size_known *k, struct logp_size_seen *s,
                         char why[LOGP_DOUBT])
{
    const double *spread = k->spreads, spaced = w->observed->n_spaced,
                 more = w->observed->n_burst - 1;
    const struct {
        const char *what;
        double *ns, noise;
    } times[] = {
        {"half a round trip", &s->one_way, spread[LOGP_TIMING_ROUND] / 2},
        {"o_send", &s->o_send, spread[LOGP_TIMING_SPACED] / spaced},
        {"o_recv", &s->o_recv, spread[LOGP_TIMING_TAKEN] / spaced},
        {"the time from one message to the next", &s->apart,
         (spread[LOGP_TIMING_BURST] + spread[LOGP_TIMING_ROUND]) / more},
        {"the time from one send to the next", &s->sent_apart, spread[LOGP_TIMING_SENT] / more},
        {"the time from one receive to the next", &s->received_apart,
         spread[LOGP_TIMING_RECEIVED] / more},
    };

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (!lpi_fit_time(times[i].ns, times[i].noise, s->one_way))
            lpi_doubt_size(s, times[i].what, *times[i].ns, why);
}

/* After fill(). */
static void doubt(const struct work *w, struct logp_found *f, struct logp_size_seen *by_size)
{
    struct logp_size_seen settled;

    for (size_t i = 0; i < w->n; i++) {
        settled = w->sizes[i].seen;
        resolve_size(w, &w->sizes[i], &settled, f->doubtful);
        if (by_size != NULL)
            by_size[i] = settled;
    }
    for (int p = 0; p < f->n_protocols && !w->exact; p++)
        lpi_doubt_protocol(&f->protocols[p], f->doubtful);
}

static int take_sample(struct lpi_sample *s, const int64_t *times, size_t n, double *median,
                       struct work *w, struct logp_found *f, size_t *most)
{
    int rc;

    if (n == 0 || times == NULL)
        return -EINVAL;
    rc = lpi_sample_create(s, times, n);
    if (rc != 0)
        return rc;
    *median = lpi_sample_typical(s);
    w->exact &= n > 1 && s->left_out == 0 && s->sorted[0] == s->sorted[s->n - 1];
    f->n_times += n;
    f->n_left_out += s->left_out;
    *most = s->n > *most ? s->n : *most;
    return 0;
}

static int take_samples(struct work *w, struct logp_found *f, size_t *most)
{
    const struct logp_observed *o = w->observed;
    int rc = 0;

    w->exact = true;
    for (size_t i = 0; i < o->n_combined && rc == 0; i++)
        rc = take_sample(&w->combined[i], o->combined[i].times_ns, o->combined[i].n,
                         &w->combined_medians[i], w, f, most);
    for (size_t i = 0; i < w->n; i++) {
        struct size_known *k = &w->sizes[i];

        k->seen.n_bytes = o->sizes[i].n_bytes;
        for (int t = 0; t < LOGP_TIMINGS && rc == 0; t++) {
            k->samples[t].is_low = t == LOGP_TIMING_SPACED || t == LOGP_TIMING_TAKEN;
            rc = take_sample(&k->samples[t], o->sizes[i].times_ns[t], o->sizes[i].n[t],
                             &k->medians[t], w, f, most);
            k->spreads[t] = rc == 0 ? lpi_sample_spread(&k->samples[t]) : 0;
        }
    }
    return rc;
}

static int estimate(struct work *w, uint64_t seed, struct logp_found *f,
                    struct logp_size_seen *by_size)
{
    struct logp_estimated *const out[N_VALUES] = {&f->L, &f->o_send, &f->o_recv,
                                                  &f->g, &f->G,      &f->gamma};
    size_t most = 0;
    int64_t *capacity;
    int rc = take_samples(w, f, &most);

    if (rc != 0)
        return rc;
    capacity = malloc(most * sizeof(*capacity));
    if (capacity == NULL)
        return -ENOMEM;
    work_out(w, true);
    fill(w, f);
    for (int v = 0; v < N_VALUES; v++)
        *out[v] = (struct logp_estimated){w->values[v], w->values[v], w->values[v]};
    doubt(w, f, by_size);
    if (!w->exact)
        say_intervals(w, seed, capacity, out);
    free(capacity);
    return 0;
}

int logp_observed_estimate(const struct logp_observed *o, uint64_t seed, struct logp_found *f,
                           struct logp_size_seen *by_size)
{
    struct work w = {.observed = o, .n = o->n_sizes};
    int rc = -ENOMEM;

    *f = (struct logp_found){.size = sizeof(*f)};
    if (w.n == 0 || w.n > MOST_SIZES || o->n_combined > MOST_SIZES || o->n_spaced < 1 ||
        o->n_burst < 2)
        return -EINVAL;
    w.sizes = calloc(w.n, sizeof(*w.sizes));
    w.combined = calloc(o->n_combined + 1, sizeof(*w.combined));
    if (w.sizes != NULL && w.combined != NULL)
        rc = estimate(&w, seed, f, by_size);
    for (size_t i = 0; w.sizes != NULL && i < w.n; i++)
        for (int t = 0; t < LOGP_TIMINGS; t++)
            free(w.sizes[i].samples[t].sorted);
    for (size_t i = 0; w.combined != NULL && i < o->n_combined; i++)
        free(w.combined[i].sorted);
    free(w.sizes);
    free(w.combined);
    return rc;
}

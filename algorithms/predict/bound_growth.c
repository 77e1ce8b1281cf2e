/* SPDX-License-Identifier: MIT */
/*
 * A lower bound of the broadcast of n bytes: how fast their copies and their holders multiply. d,
 * w(k) and e are those of bound.c, and D = d - e; for d < g let g be d, which only shortens w(k).
 *
 * Until T. Of all processors but the root N(t) know anything at t, and together they know Y(t)
 * bytes; both are 0 at the beginning. A message of k bytes that starts at s keeps its sender from
 * the next until s + w(k), and is there at s + w(k) + D or later. Let messages be under way until
 * s + w(k). At any time one at most is under way from the root. Those under way from others have
 * different senders, each of which knows any bytes, so they are N(t) at most; and each knows all
 * that it sends, so together they are Y(t) bytes at most.
 *
 * Prices. Per unit of time while it is under way, let a message of the root pay a(t), and a message
 * of k bytes of another b(t) + k c(t). a, b and c are any functions >= 0 that are 0 from T - D on. A
 * byte that is known at t is worth V(t) = 1 + the integral of c from t to T, and a processor that
 * then knows something W(t), the integral of b. Let each message pay k V + max(W - h, 0) at least,
 * for some h >= 0, with V and W as of when it is there. All together pay at most A, the integral of
 * a, and that of b N + c Y. Now N and Y are the counts of what messages brought until then (those to
 * the root bring nothing, and can be left out): each brings a processor that knew nothing at most
 * once, and that P - 1 times in all. So the integral of b N + c Y is at most the sum of W over the
 * messages that bring one + sum of k (V - 1) over all. The W and V cancel:
 *
 *     (P-1) n = sum of k <= A + (P-1) h.
 *
 * If that does not hold, no broadcast ends by T. (This is the dual of a linear program, whose prices
 * prove the bound whatever they are: so the search for good ones needs no proof.)
 *
 * Steps. b and c are constant in steps of time, which divide e. w(k) and D are rounded down to
 * steps; of many k with equal w(k) so rounded, only the least and the largest need to pay, as both
 * sides are linear in k. A start within a step pays enough if the starts at both its ends do,
 * because V is linear there and max(W - h, 0) is convex. So the prices are made step by step,
 * backwards from T - D: in each step a, b and c are so high that all messages that start with it
 * pay enough, and, of these, b N' + c Y' is the least, for a guess of N and Y.
 *
 * The last bytes. Of n bytes take the m that leave the root last; each leaves when the first
 * message that has it starts. Let M be the first message with any of these, and let it start at s
 * with m' of these and y others. The n - m - y bytes that are not in M left before,
 * so s >= (n - m - y) G for g >= G. With x = max(o - g, 0) neither the m' bytes arrive anywhere
 * sooner, nor the next message of the root starts sooner, than if they alone left at s + y G - x.
 * Before that only the root knew any of the m. So the broadcast of m bytes begins at (n - m) G - x
 * or later.
 *
 * Backwards in time the same holds for a reduction (bound.c).
 */
#include "memory/thread_memory.h"
#include "predict/predict.h"
#include <logp/paper.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 2560,  /* of T */
    CLASSES = 256, /* messages that take as many steps */
    FEWEST = 16,   /* steps of e at first, */
    FINEST_OF = 4, /* and at last this many times as many, */
    FINEST = 120,  /* unless these make more steps of (n - 1) G */
    SPREAD = 4,    /* (m - 1) G is at most this many d, */
    LONGEST = 96   /* and this many e */
};

static const int64_t most = INT64_C(1) << 40; /* of P */

static const double slow[] = {0.6, 0.8}; /* guessed */

enum { GUESSES = sizeof(slow) / sizeof(slow[0]) };

static const double FAR = 1.3; /* that no h proves it */

/* The condition on the price of a message. */
struct line {
    double at_least, k; /* b + k c >= at_least, per step */
};

/* All in steps, bytes and processors. */
struct growth {
    double P, n, step_ps;
    double slow; /* how slowly the guessed bytes come */
    int e, D;
    int n_classes; /* the first has w = e, and each of the others one more */
    double least[CLASSES], largest[CLASSES]; /* bytes of the messages of a class */
    double N[STEPS], Y[STEPS];               /* guessed, for each step, with the root and its n; */
    double c[STEPS + 1], b[STEPS + 1];       /* the price from a step on: V - 1, and W; */
    double a[STEPS + 1];                     /* of the root's messages */
    struct line lines[2 * CLASSES];          /* of the messages that start with a step */
    struct line hull[2 * CLASSES + 1];
};

/* Fill x->lines with the least that messages starting with step s have to pay in it; and *root with
 * that of messages of the root. */
static int lines_at(struct growth *x, int s, int end, double h, double *root)
{
    int n = 0;

    *root = 0;
    for (int i = 0; i < x->n_classes && s + x->e + i <= end; i++) {
        const int gone = s + x->e + i, there = gone + x->D;
        const double b = x->b[s + 1] - x->b[gone], c = x->c[s + 1] - x->c[gone];
        const double W = x->b[there] > h ? x->b[there] - h : 0;
        const double V = 1 + x->c[there];
        const double a = W + x->largest[i] * V - (x->a[s + 1] - x->a[gone]);

        *root = a > *root ? a : *root;
        x->lines[n++] = (struct line){W + x->least[i] * (V - c) - b, x->least[i]};
        x->lines[n++] = (struct line){W + x->largest[i] * (V - c) - b, x->largest[i]};
    }
    return n;
}

/* Whether q is on or below the line from p to r, which are in the order of k. */
static bool is_below(const struct line *p, const struct line *q, const struct line *r)
{
    return (q->at_least - p->at_least) * (r->k - p->k) <=
           (r->at_least - p->at_least) * (q->k - p->k);
}

/* Find the least N b + Y c with b + k c at_least or more for all lines, which are in the order of k.
 * As points (k, at_least) all are below a line, of which b is the height at 0 and c the slope. It is
 * lowest at k = Y / N if it is the edge there of their upper hull, which begins at (0, 0). */
static void price(struct growth *x, int n, double N, double Y, double *b, double *c)
{
    const struct line *lines = x->lines;
    struct line *hull = x->hull;
    int size = 1;

    hull[0] = (struct line){0, 0};
    for (int i = 0; i < n; i++) {
        if (lines[i].at_least <= hull[size - 1].at_least)
            continue; /* c is not below 0 */
        if (lines[i].k <= hull[size - 1].k)
            size--;
        while (size > 1 && is_below(&hull[size - 2], &hull[size - 1], &lines[i]))
            size--;
        hull[size++] = lines[i];
    }
    while (size > 1 && N * hull[size - 2].k > Y)
        size--;
    *c = 0;
    *b = hull[size - 1].at_least;
    if (size > 1 && N * hull[size - 1].k > Y) {
        *c = (hull[size - 1].at_least - hull[size - 2].at_least) /
             (hull[size - 1].k - hull[size - 2].k);
        *b = fmax(*b - *c * hull[size - 1].k, 0);
    }
}

/* A(0) + (P-1) h for T in steps, by (P-1) n */
static double worth(struct growth *x, int T, double h)
{
    const int end = T - x->D;

    memset(x->b, 0, sizeof(x->b));
    memset(x->c, 0, sizeof(x->c));
    memset(x->a, 0, sizeof(x->a));
    for (int s = end - 1; s >= 0; s--) {
        double a, b, c;
        const int n = lines_at(x, s, end, h, &a);

        price(x, n, x->N[s] - 1, x->Y[s] - x->n, &b, &c);
        x->b[s] = x->b[s + 1] + b;
        x->c[s] = x->c[s + 1] + c;
        x->a[s] = x->a[s + 1] + a;
    }
    return (x->a[0] + (x->P - 1) * h) / ((x->P - 1) * x->n);
}

/* Whether it is proven that T steps are too few. h, in n: as before, or near that. */
static bool are_too_few(struct growth *x, int T, double *h)
{
    static const double tried[] = {1, 0.75, 1.3};
    double best = 2, best_h = *h;

    if (T <= x->D)
        return true;
    for (int i = 0; i < 3; i++) {
        const double it = worth(x, T, *h * tried[i] * x->n);

        if (it < best) {
            best = it;
            best_h = *h * tried[i];
        }
        if (best < 1 - 1e-6 || best > FAR)
            break;
    }
    *h = best_h;
    return best < 1 - 1e-6;
}

/* Guess N + 1 as in the optimal tree; Y + n as if messages came bit by bit, and this perhaps more
 * slowly than they do. @return the time when all is then known */
static int guess(struct growth *x, const struct logp_params *p, int64_t o, int64_t d, int64_t g)
{
    const double G = (double)p->G_ps / x->step_ps;
    const double less = ((double)g * 1000 - (double)p->G_ps) / x->step_ps;
    double Y = x->n;
    int i = 0;

    for (; i < STEPS && Y < x->P * x->n; i++) {
        const int64_t ns = (int64_t)(i * x->step_ps / 1000);

        x->N[i] = i > 0 && x->N[i - 1] >= x->P
                      ? x->P
                      : (double)logp_tree_count(ns, d, lpi_max(o, p->g_ns));
        x->N[i] = x->N[i] < x->P ? x->N[i] : x->P;
        Y = Y < x->N[i] * x->n ? Y : x->N[i] * x->n;
        x->Y[i] = Y;
        if (i >= x->D) {
            const double N = x->N[i - x->D], known = x->Y[i - x->D], w = less + known / N * G;

            Y += x->slow * known /
                 (w * x->step_ps > (double)o * 1000 ? w : (double)o * 1000 / x->step_ps);
        }
    }
    for (int rest = i; rest < STEPS; rest++) {
        x->N[rest] = x->P;
        x->Y[rest] = x->P * x->n;
    }
    return i;
}

/* Sort messages into classes that take the same number of steps. @return false: there are too
 * many */
static bool classes_of(struct growth *x, int64_t g, int64_t G_ps)
{
    const double g_ps = (double)g * 1000, G = (double)G_ps;

    for (int i = 0; i < CLASSES; i++) {
        const double first = 1 + ((x->e + i) * x->step_ps - g_ps) / G, end = first + x->step_ps / G;

        x->least[i] = i == 0 || first < 1 ? 1 : first;
        x->largest[i] = end < x->n ? end : x->n;
        x->n_classes = i + 1;
        if (end >= x->n)
            return true;
    }
    return false;
}

/* Return T in steps: the last of low .. high that are proven to be too few. low is proven. */
static int search_steps(struct growth *x, int low, int high, double *h)
{
    high = high < STEPS ? high : STEPS - 1;
    while (low + 1 < high) {
        const int T = low + (high - low) / 2;

        if (are_too_few(x, T, h))
            low = T;
        else
            high = T;
    }
    return low;
}

/* Cut time into steps, `steps` of them in e. @return the guessed steps of T; STEPS: T has more */
static int cut(struct growth *x, int steps, const struct logp_params *p, int64_t o, int64_t d,
               int64_t g)
{
    const double e = (double)lpi_max(o, g) * 1000, D = ((double)d * 1000 - e) / e * steps + 1e-9;

    x->e = steps;
    x->step_ps = e / steps;
    x->D = D < STEPS / 2 ? (int)D : STEPS / 2;
    if (x->e + x->D < STEPS / 2 && classes_of(x, g, p->G_ps))
        return guess(x, p, o, d, g);
    return STEPS;
}

/* Return the bound for n bytes; 0: none is proved, or there is no memory. d >= e > 0, g <= d. The
 * time that coarse steps prove is the start of the search in steps of half their length, twice, each
 * with all guesses. */
static int64_t time_of(const struct logp_params *p, int64_t o, int64_t d, int64_t g, int64_t P,
                       int64_t n)
{
    const double e = (double)lpi_max(o, g) * 1000, st = (double)(n - 1) * (double)p->G_ps;
    struct growth *x = malloc(sizeof(*x)); /* too large for the stack of a fiber */
    int steps = FEWEST, guessed, low;
    double h = 0.4, ps = 0;

    if (x == NULL)
        return 0;
    x->P = (double)P;
    x->n = (double)n;
    x->slow = slow[0];
    if (st * FEWEST > e * FINEST)
        steps = (int)lpi_max((int64_t)(e * FINEST / st), 1);
    while ((guessed = cut(x, steps, p, o, d, g)) == STEPS && steps > 1)
        steps = steps * 3 / 4;
    if (guessed < STEPS && are_too_few(x, guessed / 2, &h)) {
        low = search_steps(x, guessed / 2, 2 * guessed, &h);
        ps = low * x->step_ps;
        for (int times = 2; times <= FINEST_OF && cut(x, times * steps, p, o, d, g) < STEPS;
             times *= 2) {
            low = search_steps(x, 2 * low, 2 * low + low / 3 + 2, &h);
            for (int i = 1; i < GUESSES; i++) {
                x->slow = slow[i];
                if (guess(x, p, o, d, g) < STEPS)
                    low = search_steps(x, low, low + low / 32 + 2, &h);
            }
            ps = low * x->step_ps;
            x->slow = slow[0];
        }
    }
    free(x);
    return (int64_t)(ps / 1000);
}

/* A question and its answer. */
struct asked {
    int64_t o, d, g, G_ps, P, n;
};

/* The questions that this thread asked before, each at the place of its hash: rows of a collective,
 * and patterns of arrivals, ask the same in turn. */
enum { KEPT = 32 };

static size_t place_of(const struct asked *q)
{
    const int64_t parts[] = {q->o, q->d, q->g, q->G_ps, q->P, q->n};
    uint64_t h = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        h = (h ^ (uint64_t)parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return h >> 59; /* of 32 */
}

struct kept {
    struct asked asked; /* n 0: none */
    int64_t ns;
};

/* NULL: no memory */
static struct kept *kept_by_thread(void)
{
    static _Thread_local void *memory;

    return lpi_thread_memory(&memory, KEPT * sizeof(struct kept));
}

int64_t lpi_bound_growth(const struct logp_params *p, int64_t o, int64_t P, int64_t bytes)
{
    struct kept *all, *kept;
    const int64_t d = p->o_send_ns + p->L_ns + p->o_recv_ns, g = p->g_ns < d ? p->g_ns : d;
    const int64_t e = lpi_max(o, g);
    const __int128 spread = (__int128)(SPREAD * d < LONGEST * e ? SPREAD * d : LONGEST * e) * 1000;
    struct asked asked = {o, d, p->g_ns, p->G_ps, P, bytes};
    __int128 T;

    if (p->store_forward || P < 2 || P > most || p->G_ps == 0 || e == 0 || bytes < 2)
        return 0;
    if (spread / p->G_ps < bytes - 1)
        asked.n = (int64_t)(spread / p->G_ps) + 1;
    all = kept_by_thread();
    kept = all != NULL ? &all[place_of(&asked)] : NULL;
    if (kept != NULL && memcmp(&asked, &kept->asked, sizeof(asked)) == 0) {
        T = kept->ns;
    } else {
        T = time_of(p, o, d, g, P, asked.n);
        if (kept != NULL)
            *kept = (struct kept){asked, (int64_t)T};
    }
    if (p->G_ps <= (__int128)p->g_ns * 1000)
        T += lpi_later((__int128)(bytes - asked.n) * p->G_ps / 1000 - lpi_max(o - p->g_ns, 0), 0);
    return T < INT64_MAX / 8 ? (int64_t)T : INT64_MAX / 8;
}

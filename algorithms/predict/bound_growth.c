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
 * steps, the longer w(k) to some of them: a class of messages. Of all k of a class only the least and
 * the largest need to pay, as both sides are linear in k; and the least does if the largest of the
 * class below it does, for which w(k) is less. A start within a step pays enough if the starts at both its ends do,
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
    CLASSES = 256, /* messages that take about as many steps: */
    ALIKE = 48,    /* exactly as many, up to so many more than e; then twice, three times these */
    FEWEST = 16,   /* steps of e at first, */
    FINEST_OF = 4, /* and at last this many times as many, */
    FINEST = 120,  /* unless these make more steps of (n - 1) G */
    TRIES = 4,     /* of other h, each with finer steps */
    SPREAD = 4,    /* (m - 1) G is at most this many d, */
    LONGEST = 96   /* and this many e */
};

static const int64_t most = INT64_C(1) << 40; /* of P */

static const double slow[] = {0.7, 0.6, 0.85}; /* guessed, */

static const double share[] = {0.4, 0.6, 0.8, 0.25, 0.1, 0.03}; /* and h, in n, */

enum { GUESSES = sizeof(slow) / sizeof(slow[0]), SHARES = sizeof(share) / sizeof(share[0]) };

static const double NEAR = 1.12; /* and the next h */

static const double FAR = 1.3; /* that no h proves it */

static const double ENOUGH = 1 - 1e-6; /* to be below 1 in spite of rounding */

/* The condition on the price of a message. */
struct line {
    double at_least, k; /* b + k c >= at_least, per step */
};

/* All in steps, bytes and processors. */
struct growth {
    double P, n, step_ps;
    double slow; /* how slowly the guessed bytes come */
    int e, D;
    int n_classes;
    int w[CLASSES];                    /* of the messages of a class; the first has e */
    double largest[CLASSES];           /* of their bytes */
    double N[STEPS], Y[STEPS];         /* guessed, for each step, with the root and its n; */
    double c[STEPS + 1], b[STEPS + 1]; /* the price from a step on: V - 1, and W; */
    double a[STEPS + 1];               /* of the root's messages */
    struct line lines[CLASSES + 1];    /* of the messages that start with a step */
    struct line hull[CLASSES + 2];
};

/* Fill x->lines with the least that messages starting with step s have to pay in it; and *root with
 * that of messages of the root. */
static int lines_at(struct growth *x, int s, int end, double h, double *root)
{
    int n = 0;

    *root = 0;
    for (int i = 0; i < x->n_classes && s + x->w[i] <= end; i++) {
        const int gone = s + x->w[i], there = gone + x->D;
        const double b = x->b[s + 1] - x->b[gone], c = x->c[s + 1] - x->c[gone];
        const double W = x->b[there] > h ? x->b[there] - h : 0;
        const double V = 1 + x->c[there];
        const double a = W + x->largest[i] * V - (x->a[s + 1] - x->a[gone]);

        *root = a > *root ? a : *root;
        if (i == 0)
            x->lines[n++] = (struct line){W + V - c - b, 1};
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

/* A(0) + (P-1) h for T in steps, by (P-1) n; or some of it, if that is more than enough. */
static double worth(struct growth *x, int T, double h, double enough)
{
    const double all = (x->P - 1) * x->n, ends = (x->P - 1) * h;
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
        if (x->a[s] + ends > enough * all)
            return (x->a[s] + ends) / all;
    }
    return (x->a[0] + ends) / all;
}

/* What the prices are worth for T steps; below 1 it is proven that these are too few. *h, in n: first as
 * it is, then up to so many `tries` of others near it. */
static double least_worth(struct growth *x, int T, double *h, int tries)
{
    double by = NEAR, least;

    if (T <= x->D)
        return 0;
    least = worth(x, T, *h * x->n, 2 * FAR);
    for (int i = 0; i < tries && least >= ENOUGH && least <= FAR; i++) {
        const double it = worth(x, T, *h * by * x->n, least);

        if (it < least) {
            least = it;
            *h *= by;
        } else if (i == 0) {
            by = 1 / by;
        } else {
            break;
        }
    }
    return least;
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

/* Sort messages into classes. @return false: there are too many */
static bool classes_of(struct growth *x, int64_t g, int64_t G_ps)
{
    const double g_ps = (double)g * 1000, G = (double)G_ps;
    int next = x->e;

    for (int i = 0; i < CLASSES; i++) {
        const int w = next;
        double end;

        next += 1 + (w - x->e) / ALIKE;
        end = 1 + (next * x->step_ps - g_ps) / G;
        x->w[i] = w;
        x->largest[i] = end < x->n ? end : x->n;
        x->n_classes = i + 1;
        if (end >= x->n)
            return true;
    }
    return false;
}

/* How to look for the last T that is proven to be too few steps. */
struct look {
    double h;     /* in n */
    int tries;    /* of other h */
    int step;     /* to the first T that is looked at */
    double least; /* out: the worth at the first T that is not proven; 0: all are */
};

/* Return the last of low .. high that is found. low is proven. Near it the logarithm of what the prices
 * are worth is about linear in T. */
static int search_steps(struct growth *x, int low, int high, struct look *look)
{
    double below = -0.01, above = 0; /* 0: not known */
    int step = look->step;

    look->least = 0;
    high = high < STEPS ? high : STEPS - 1;
    while (low + 1 < high) {
        int T = above > 0 ? low + (int)((high - low) * below / (below - above)) : low + step;
        double it;

        T = T <= low ? low + 1 : T >= high ? high - 1 : T;
        it = least_worth(x, T, &look->h, look->tries);
        if (it < ENOUGH) {
            below = fmax(log(it + 1e-9), -1);
            low = T;
            step *= 2;
        } else {
            above = fmax(fmin(log(it), 1), 1e-9);
            high = T;
            look->least = it;
        }
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

/* The bound so far, and how it was found. */
struct found {
    int steps;
    int best;                  /* the guess that proved it */
    struct look look[GUESSES]; /* with the best h of each guess */
};

/* In the coarsest steps, each guess with each h. guessed: the steps of T */
static void search_coarsely(struct growth *x, struct found *f, int guessed,
                            const struct logp_params *p, int64_t o, int64_t d, int64_t g)
{
    f->steps = guessed / 2;
    for (int i = 0; i < GUESSES; i++) {
        double least = INFINITY;

        x->slow = slow[i];
        f->look[i].h = share[0];
        if (guess(x, p, o, d, g) == STEPS)
            continue;
        for (int j = 0; j < SHARES; j++) {
            struct look look = {.h = share[j], .step = i == 0 && j == 0 ? guessed / 4 + 1 : 1};
            const int T = search_steps(x, f->steps, 2 * guessed, &look);

            if (T > f->steps || look.least < least) {
                f->look[i] = look;
                least = T > f->steps ? 0 : look.least;
            }
            f->best = T > f->steps ? i : f->best;
            f->steps = T;
        }
    }
}

/* In steps of half their length: the best guess, then whether another is better. */
static void search_finely(struct growth *x, struct found *f, const struct logp_params *p, int64_t o,
                          int64_t d, int64_t g)
{
    const int first = f->best;

    f->steps *= 2;
    for (int n = 0; n < GUESSES; n++) {
        const int i = (first + n) % GUESSES;
        struct look *look = &f->look[i];
        int T;

        x->slow = slow[i];
        if (guess(x, p, o, d, g) == STEPS)
            continue;
        look->tries = TRIES;
        look->step = n == 0 ? f->steps / 100 + 1 : 1;
        T = search_steps(x, f->steps, f->steps + f->steps / 6 + 2, look);
        if (T > f->steps)
            f->best = i;
        f->steps = T;
    }
}

/* Return the bound for n bytes; 0: none is proved, or there is no memory. d >= e > 0, g <= d. The
 * time that coarse steps prove is the start of the search in steps of half their length, twice. */
static int64_t time_of(const struct logp_params *p, int64_t o, int64_t d, int64_t g, int64_t P,
                       int64_t n)
{
    const double e = (double)lpi_max(o, g) * 1000, st = (double)(n - 1) * (double)p->G_ps;
    struct growth *x = malloc(sizeof(*x)); /* too large for the stack of a fiber */
    struct found f = {.best = 0};
    int steps = FEWEST, guessed;
    double h = share[0], ps = 0;

    if (x == NULL)
        return 0;
    x->P = (double)P;
    x->n = (double)n;
    x->slow = slow[0];
    if (st * FEWEST > e * FINEST)
        steps = (int)lpi_max((int64_t)(e * FINEST / st), 1);
    while ((guessed = cut(x, steps, p, o, d, g)) == STEPS && steps > 1)
        steps = steps * 3 / 4;
    if (guessed < STEPS && least_worth(x, guessed / 2, &h, TRIES) < ENOUGH) {
        search_coarsely(x, &f, guessed, p, o, d, g);
        ps = f.steps * x->step_ps;
        for (int times = 2; times <= FINEST_OF; times *= 2) {
            x->slow = slow[f.best];
            if (cut(x, times * steps, p, o, d, g) == STEPS)
                break;
            search_finely(x, &f, p, o, d, g);
            ps = f.steps * x->step_ps;
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

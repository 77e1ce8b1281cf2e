/* SPDX-License-Identifier: MIT */
/*
 * The cores that a machine takes, a pure function of the allowed cores and of those in use:
 *
 *   - One hardware thread of a core: two that spin on one core take each other's time.
 *   - No more cores than the quota has processors. From MANY cores on one is left to the system, to
 *     whose daemons and interrupts a core that spins would otherwise lose time now and then.
 *   - Cores without a holder. If all have one, those with the fewest.
 *   - Cores of one kind, and of those that share a cache, else a NUMA node, else a package, the
 *     first group that is large enough. Faster kinds come first. Kinds are mixed if no kind has
 *     enough cores: the fastest first.
 *
 * The order of the cores is that of the topology, so neighbours by index are neighbours there.
 */
#include "host/cores.h"

enum { MANY = 8 };

/* Whether cpus[i] is the first thread of its core. Those of one core follow each other. */
static bool is_first(const struct lpi_cpu *cpus, int i)
{
    return i == 0 || cpus[i - 1].core != cpus[i].core;
}

/* The holders of the core whose first thread is cpus[i]: those of its most held thread. */
static int held(const struct lpi_cpu *cpus, int n, const int *holders, int i)
{
    int most = holders[i];

    for (int k = i + 1; k < n && !is_first(cpus, k); k++)
        most = holders[k] > most ? holders[k] : most;
    return most;
}

int lpi_within_quota(double quota, int n)
{
    if (quota > 0 && quota < n)
        n = (int)quota;
    return n > 0 ? n : 1;
}

/* The most cores that a machine takes by itself. */
static int limit(const struct lpi_cpu *cpus, int n, double quota)
{
    int n_cores = 0;

    for (int i = 0; i < n; i++)
        n_cores += is_first(cpus, i);
    return lpi_within_quota(quota, n_cores >= MANY ? n_cores - 1 : n_cores);
}

/* The cores with this number of holders, of a kind and of a group. */
struct subset {
    int holders;
    int kind;         /* -1: any */
    int level, group; /* LPI_LEVELS: any group */
};

/* Write at most `most` cores of the subset to out. @return how many */
static int take(const struct lpi_cpu *cpus, int n, const int *holders, struct subset s, int most,
                int *out)
{
    int k = 0;

    for (int i = 0; i < n && k < most; i++)
        if (is_first(cpus, i) && (s.kind < 0 || cpus[i].kind == s.kind) &&
            (s.level == LPI_LEVELS || cpus[i].group[s.level] == s.group) &&
            held(cpus, n, holders, i) == s.holders)
            out[k++] = cpus[i].number;
    return k;
}

/* Take `most` cores of the first group that has so many free ones of this kind. @return false: none
 * has */
static bool take_near(const struct lpi_cpu *cpus, int n, const int *holders, int kind, int most,
                      int *out)
{
    for (int level = 0; level <= LPI_LEVELS; level++)
        for (int i = 0, last = -1; i < n; i++) {
            const int group = level < LPI_LEVELS ? cpus[i].group[level] : 0;

            if (group >= 0 && group != last &&
                take(cpus, n, holders, (struct subset){0, kind, level, group}, most, out) == most)
                return true;
            last = group;
        }
    return false;
}

/* Return the number of free cores. If all cores have holders, set *fewest to the least number of
 * holders of a core. */
static int count_free(const struct lpi_cpu *cpus, int n, const int *holders, int *fewest)
{
    int n_free = 0;

    *fewest = held(cpus, n, holders, 0);
    for (int i = 0; i < n; i++)
        if (is_first(cpus, i)) {
            const int h = held(cpus, n, holders, i);

            n_free += h == 0;
            *fewest = h < *fewest ? h : *fewest;
        }
    return n_free;
}

static int n_kinds_of(const struct lpi_cpu *cpus, int n)
{
    int last = 0;

    for (int i = 0; i < n; i++)
        last = cpus[i].kind > last ? cpus[i].kind : last;
    return last + 1;
}

static int take_free(const struct lpi_cpu *cpus, int n, const int *holders, int most, int *out)
{
    const int n_kinds = n_kinds_of(cpus, n);
    int k = 0;

    for (int kind = 0; kind < n_kinds; kind++)
        if (take_near(cpus, n, holders, kind, most, out))
            return most;
    for (int kind = 0; kind < n_kinds; kind++)
        k += take(cpus, n, holders, (struct subset){0, kind, LPI_LEVELS, 0}, most - k, out + k);
    return k;
}

struct lpi_taken lpi_cores_choose(const struct lpi_cpu *cpus, int n, const int *holders,
                                  double quota, int most, int *out)
{
    const int by_host = limit(cpus, n, quota);
    int fewest, k = 0;
    const int n_free = count_free(cpus, n, holders, &fewest);

    most = most < by_host ? most : by_host;
    if (n_free > 0)
        k = take_free(cpus, n, holders, most < n_free ? most : n_free, out);
    for (int h = fewest; k < most && n_free == 0; h++)
        k += take(cpus, n, holders, (struct subset){h, -1, LPI_LEVELS, 0}, most - k, out + k);
    return lpi_cores_describe(cpus, n, holders, out, k);
}

int lpi_cores_order(const struct lpi_cpu *cpus, int n, int *out)
{
    int k = 0, n_cores = 0;

    for (int round = 0; k < n; round++) {
        for (int i = 0, thread = 0; i < n; i++) {
            thread = is_first(cpus, i) ? 0 : thread + 1;
            if (thread == round)
                out[k++] = cpus[i].number;
        }
        n_cores = round == 0 ? k : n_cores;
    }
    return n_cores;
}

static bool is_among(int number, const int *numbers, int n)
{
    int i = 0;

    while (i < n && numbers[i] != number)
        i++;
    return i < n;
}

/* The core of this thread. */
static int core_of(const struct lpi_cpu *cpus, int n, int number)
{
    int i = 0;

    while (i < n - 1 && cpus[i].number != number)
        i++;
    return cpus[i].core;
}

void lpi_cores_divide(const struct lpi_cpu *cpus, int n, const int *own, int n_own, int most,
                      int *out)
{
    int *filled = out;

    for (int c = 0; c < n_own; c++, out += most) { /* an own thread, and the others of its core */
        const int core = core_of(cpus, n, own[c]);
        int k = 0;

        out[k++] = own[c];
        for (int i = 0; i < n && k < most; i++)
            if (cpus[i].core == core && !is_among(cpus[i].number, own, n_own))
                out[k++] = cpus[i].number;
        while (k < most)
            out[k++] = -1;
    }
    for (int i = 0, at = 0; i < n && at < n_own * most; i++) /* the others, in order */
        if (!is_among(cpus[i].number, filled, n_own * most)) {
            while (at < n_own * most && filled[at] >= 0)
                at++;
            if (at < n_own * most)
                filled[at] = cpus[i].number;
        }
}

/* Whether the core whose first thread is cpus[i] has one of the given threads. */
static bool has_given(const struct lpi_cpu *cpus, int n, int i, const int *given, int n_given)
{
    const int core = cpus[i].core;

    for (; i < n && cpus[i].core == core; i++)
        if (is_among(cpus[i].number, given, n_given))
            return true;
    return false;
}

struct lpi_taken lpi_cores_describe(const struct lpi_cpu *cpus, int n, const int *holders,
                                    const int *given, int n_given)
{
    struct lpi_taken c = {.n = n_given};
    int first_kind = -1;

    for (int i = 0; i < n; i++) {
        if (!is_first(cpus, i) || !has_given(cpus, n, i, given, n_given))
            continue;
        for (int k = i; k < n && cpus[k].core == cpus[i].core; k++)
            c.n_threads++;
        c.is_shared |= held(cpus, n, holders, i) > 0;
        c.is_mixed |= first_kind >= 0 && cpus[i].kind != first_kind;
        first_kind = cpus[i].kind;
    }
    return c;
}

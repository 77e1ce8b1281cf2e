/* SPDX-License-Identifier: MIT */
/*
 * How long a cache line travels between two cores of this host, there and back: what a core pays to
 * write a line that another one reads. Two threads pass a word to and fro.
 *
 * It is measured once in a process. If one of the two threads does not run meanwhile, the time is
 * not known, and a long one is taken.
 */
#include "host/clock.h"
#include "host/cores.h"
#include "host/host.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    ROUNDS = 32,
    TRIES = 4,        /* the least of so many counts */
    UNKNOWN_NS = 500, /* more than was measured on any host */
    MOST_NS = 200000, /* for all of it */
};

struct pair {
    _Alignas(128) atomic_uint word;
    _Alignas(128) atomic_bool is_over;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of line_ns */
static int64_t line_ns;

static void *answer(void *arg)
{
    struct pair *x = arg;

    /* relaxed, all here and in ask(): the word alone travels, nothing else is published */
    while (!atomic_load_explicit(&x->is_over, memory_order_relaxed)) {
        const unsigned word = atomic_load_explicit(&x->word, memory_order_relaxed);

        if (word % 2 != 0)
            atomic_store_explicit(&x->word, word + 1, memory_order_relaxed);
    }
    return NULL;
}

/* @return false: no answer came in time */
static bool ask(struct pair *x, unsigned word, int64_t end_ns)
{
    atomic_store_explicit(&x->word, word, memory_order_relaxed);
    for (unsigned i = 1; atomic_load_explicit(&x->word, memory_order_relaxed) == word; i++)
        if (i % 64 == 0 && lpi_monotonic_ns() > end_ns)
            return false;
    return true;
}

static void *measure(void *arg)
{
    struct pair *x = arg;
    const int64_t end_ns = lpi_monotonic_ns() + MOST_NS;
    int64_t least = UNKNOWN_NS;
    bool good = ask(x, 1, end_ns); /* both threads run */
    unsigned word = 3;

    for (int i = 0; i < TRIES && good; i++) {
        const int64_t begun_ns = lpi_monotonic_ns();
        int64_t each;

        for (int k = 0; k < ROUNDS && good; k++, word += 2)
            good = ask(x, word, end_ns);
        each = (lpi_monotonic_ns() - begun_ns) / ROUNDS;
        least = good && each < least ? each : least;
    }
    atomic_store_explicit(&x->is_over, true, memory_order_relaxed);
    line_ns = least > 0 ? least : 1;
    return NULL;
}

static bool start(pthread_t *thread, int cpu, void *(*main)(void *), struct pair *x)
{
    pthread_attr_t attr;
    bool good = pthread_attr_init(&attr) == 0;

    if (!good)
        return false;
    good = lpi_pin(&attr, cpu) == 0 && pthread_create(thread, &attr, main, x) == 0;
    pthread_attr_destroy(&attr);
    return good;
}

int64_t lpi_line_ns(int a, int b)
{
    struct pair x = {.word = 0};
    pthread_t asking, answering;
    int64_t ns;

    pthread_mutex_lock(&lock);
    if (line_ns == 0) {
        line_ns = UNKNOWN_NS;
        if (start(&answering, b, answer, &x)) {
            if (start(&asking, a, measure, &x))
                pthread_join(asking, NULL);
            /* relaxed: see answer() */
            atomic_store_explicit(&x.is_over, true, memory_order_relaxed);
            pthread_join(answering, NULL);
        }
    }
    ns = line_ns;
    pthread_mutex_unlock(&lock);
    return ns;
}

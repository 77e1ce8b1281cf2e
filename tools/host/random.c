/* SPDX-License-Identifier: MIT */
/* Random numbers of the C library, with a state for each rank; and those of the kernel, where the guest draws them. */
#include "host.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* The states that a guest can choose from: few, so that all can be tried. */
enum { N_STATES = 64 };

/* ---- random() and rand() ---- */

static struct random_data *random_of(struct host_rank *h)
{
    if (h->random.state == NULL)
        initstate_r(1 + (the_guest.draw != NULL ? (unsigned)the_guest.draw(h, N_STATES) : 0),
                    h->random_state, sizeof(h->random_state), &h->random);
    return &h->random;
}

/* The first state is not chosen if it is not used. */
static void srandom_of(struct host_rank *h, unsigned seed)
{
    if (h->random.state == NULL)
        initstate_r(seed, h->random_state, sizeof(h->random_state), &h->random);
    else
        srandom_r(seed, &h->random);
}

EXPORT long random(void)
{
    struct host_rank *h = host_here();
    int32_t n = 0;

    if (h == NULL)
        return NEXT(random)();
    random_r(random_of(h), &n);
    return n;
}

EXPORT int rand(void)
{
    return (int)random();
}

EXPORT void srandom(unsigned seed)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        NEXT(srandom)(seed);
    else
        srandom_of(h, seed);
}

EXPORT void srand(unsigned seed)
{
    srandom(seed);
}

/* Both return the state before, as the C library does: its first word is the kind of it. */
EXPORT char *initstate(unsigned seed, char *state, size_t size)
{
    struct host_rank *h = host_here();
    char *before;

    if (h == NULL)
        return NEXT(initstate)(seed, state, size);
    before = (char *)&random_of(h)->state[-1];
    return initstate_r(seed, state, size, &h->random) == 0 ? before : NULL;
}

EXPORT char *setstate(char *state)
{
    struct host_rank *h = host_here();
    char *before;

    if (h == NULL)
        return NEXT(setstate)(state);
    before = (char *)&random_of(h)->state[-1];
    return setstate_r(state, &h->random) == 0 ? before : NULL;
}

/* ---- getrandom() and its relatives ---- */

/* The rank of the caller, if its guest draws these numbers; NULL: the kernel does. */
static struct host_rank *drawer(void)
{
    return the_guest.draw != NULL ? host_of_process() : NULL;
}

/* Bytes of a sequence that the run has chosen (splitmix64: Steele, Lea, Flood, OOPSLA 2014). */
static void draw_bytes(struct host_rank *h, unsigned char *out, size_t n)
{
    uint64_t state = (uint64_t)the_guest.draw(h, N_STATES) << 32 | h->n_drawn++ << 8 |
                     (uint64_t)(h - the_job->hosts);

    for (size_t i = 0; i < n; i++) {
        uint64_t x = state += UINT64_C(0x9e3779b97f4a7c15);

        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        out[i] = (unsigned char)(x ^ x >> 31);
    }
}

EXPORT ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
    struct host_rank *h = drawer();

    if (h == NULL)
        return NEXT(getrandom)(buf, n, flags);
    draw_bytes(h, buf, n);
    return (ssize_t)n;
}

EXPORT int getentropy(void *buf, size_t n)
{
    struct host_rank *h = drawer();

    if (h == NULL || n > 256)
        return NEXT(getentropy)(buf, n);
    draw_bytes(h, buf, n);
    return 0;
}

/* glibc 2.36 */
EXPORT void arc4random_buf(void *buf, size_t n);
EXPORT uint32_t arc4random(void);
EXPORT uint32_t arc4random_uniform(uint32_t n);

EXPORT void arc4random_buf(void *buf, size_t n)
{
    struct host_rank *h = drawer();

    if (h == NULL)
        ((void (*)(void *, size_t))host_next_of("arc4random_buf"))(buf, n);
    else
        draw_bytes(h, buf, n);
}

EXPORT uint32_t arc4random(void)
{
    uint32_t x;

    arc4random_buf(&x, sizeof(x));
    return x;
}

EXPORT uint32_t arc4random_uniform(uint32_t n)
{
    return n > 1 ? arc4random() % n : 0;
}

/* ---- drand48() and the others of 48 bits ---- */

#define NUMBER48(name, type)                                                                       \
    EXPORT type name(void)                                                                         \
    {                                                                                              \
        struct host_rank *h = host_here();                                                         \
        type x = 0;                                                                                \
                                                                                                   \
        if (h == NULL)                                                                             \
            return NEXT(name)();                                                                   \
        name##_r(&h->drand48, &x);                                                                 \
        return x;                                                                                  \
    }
NUMBER48(drand48, double)
NUMBER48(lrand48, long)
NUMBER48(mrand48, long)

/* lcong48() changes these, too. */
#define NUMBER48_OF(name, type)                                                                    \
    EXPORT type name(unsigned short state[3])                                                      \
    {                                                                                              \
        struct host_rank *h = host_here();                                                         \
        type x = 0;                                                                                \
                                                                                                   \
        if (h == NULL)                                                                             \
            return NEXT(name)(state);                                                              \
        name##_r(state, &h->drand48, &x);                                                          \
        return x;                                                                                  \
    }
NUMBER48_OF(erand48, double)
NUMBER48_OF(nrand48, long)
NUMBER48_OF(jrand48, long)

EXPORT void srand48(long seed)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        NEXT(srand48)(seed);
    else
        srand48_r(seed, &h->drand48);
}

EXPORT unsigned short *seed48(unsigned short seed[3])
{
    struct host_rank *h = host_here();

    if (h == NULL)
        return NEXT(seed48)(seed);
    seed48_r(seed, &h->drand48);
    return h->drand48.__old_x;
}

EXPORT void lcong48(unsigned short parameters[7])
{
    struct host_rank *h = host_here();

    if (h == NULL)
        NEXT(lcong48)(parameters);
    else
        lcong48_r(parameters, &h->drand48);
}

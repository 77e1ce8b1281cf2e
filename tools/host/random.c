/* SPDX-License-Identifier: MIT */
/* Random numbers of the C library, with a state for each rank. */
#include "host.h"

#include <errno.h>
#include <string.h>

/* ---- random() and rand() ---- */

static struct random_data *random_of(struct host_rank *h)
{
    if (h->random.state == NULL)
        initstate_r(1, h->random_state, sizeof(h->random_state), &h->random);
    return &h->random;
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
        srandom_r(seed, random_of(h));
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

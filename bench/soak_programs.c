/* SPDX-License-Identifier: MIT */
/*
 * bench_soak --programs: random programs (tests/support/random_program.h). Each one runs under the virtual
 * clock with fibers, threads and several cores at once; all must equal a plain simulation and, if
 * the program can be folded, the fold. Then it runs in random orders of the test kit, and on the
 * wall clock, where each receive must take the next message of those that it fits
 * (random_unsound()).
 */
#include "random_program.h"
#include "soak.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PER_PART = 100, ORDERS = 3 /* random ones, of each program */ };

/* The machines that run each program. */
enum place { FIBERS, THREADS, PARALLEL, EXPLORED, WALL_FIBERS, WALL_THREADS, N_PLACES };

static const struct logp_config places[N_PLACES] = {
    [FIBERS] = {.clock = LOGP_CLOCK_VIRTUAL, .executor = "fiber"},
    [THREADS] = {.clock = LOGP_CLOCK_VIRTUAL, .executor = "thread"},
    [PARALLEL] = {.clock = LOGP_CLOCK_VIRTUAL, .executor = "fiber", .parallel = true},
    [EXPLORED] = {.clock = LOGP_CLOCK_VIRTUAL, .executor = "fiber"},
    [WALL_FIBERS] = {.clock = LOGP_CLOCK_WALL, .executor = "fiber", .yield_seed = 1},
    [WALL_THREADS] = {.clock = LOGP_CLOCK_WALL, .executor = "thread", .yield_seed = 1},
};
static const char *const names[N_PLACES] = {"fibers",   "threads",     "parallel",
                                            "explored", "wall fibers", "wall threads"};

static struct logp_machine *machines[N_PLACES][MOST_P + 1]; /* created on first use */

static int choose(void *arg, const struct logp_alternative *alternatives, int n)
{
    (void)alternatives;
    return (int)soak_below(arg, (uint64_t)n);
}

/* Get the machine of a place for this program, with its model. @return 0; a negative errno */
static int machine(enum place place, const struct random_program *g, struct soak_part *part,
                   struct logp_machine **out)
{
    const struct logp_explorer explorer = {.size = sizeof(explorer),
                                           .choose = choose,
                                           .arg = part,
                                           .order = true,
                                           .messages = true,
                                           .untimed = true};
    struct logp_config config = places[place];
    struct logp_delay delay = logp_delay_none();
    int rc = 0;

    config.size = sizeof(config);
    config.n_processors = g->P;
    config.delay = logp_delay_none();
    if (machines[place][g->P] == NULL)
        rc = logp_machine_create(&config, &machines[place][g->P]);
    *out = machines[place][g->P];
    if (rc == 0 && places[place].clock == LOGP_CLOCK_VIRTUAL)
        rc = random_delay(g, &delay);
    if (rc == 0)
        rc = logp_machine_set_delay(*out, delay, 0);
    if (rc == 0 && place == EXPLORED)
        rc = logp_machine_explore(*out, &explorer);
    return rc;
}

/* @return 0; -EBADMSG: a wrong outcome; another negative errno */
static int run_in(enum place place, const struct random_program *g,
                  const struct random_outcome *expected, struct soak_part *part)
{
    struct random_run run = {.g = g};
    struct logp_core_use cores;
    struct logp_machine *m;
    int rc = machine(place, g, part, &m), rank;

    if (rc != 0)
        return rc;
    rc = soak_run(m, random_run, &run);
    logp_machine_core_use(m, &cores);
    if (place == PARALLEL && cores.n_cores > 1 && !random_has_lookahead(g))
        return rc == -ENOTSUP ? 0 : -EBADMSG;
    if (rc == 0 && (logp_machine_report(m)->unreceived != 0 ||
                    logp_machine_report(m)->messages != (uint64_t)g->n_messages))
        return -EBADMSG;
    if (rc != 0)
        return rc;
    rank = place <= PARALLEL ? random_differ(g, &run.out, expected) : random_unsound(g, &run.out);
    return rank == NONE ? 0 : -EBADMSG;
}

static int fold(const struct random_program *g, const struct random_outcome *expected)
{
    struct logp_delay delay = {0};
    int64_t ns = 0, last = 0;
    int rc = random_delay(g, &delay);

    if (rc != 0)
        return rc;
    rc = random_fold(g, &delay, &ns);
    logp_delay_destroy(&delay);
    for (int i = 0; i < g->P; i++)
        last = expected->end[i] > last ? expected->end[i] : last;
    if (rc == -ENOTSUP)
        return 0;
    return rc == 0 && ns != last ? -EBADMSG : rc;
}

static int one(struct soak_part *part, struct random_program *g, int k)
{
    const int P = 1 + (int)soak_below(part, MOST_P);
    struct random_outcome expected;
    int rc;

    part->random |= 1;
    random_generate(g, &part->random, P);
    snprintf(part->what, sizeof(part->what), "program %d of the part, P %d, simulated", k, P);
    rc = random_simulate(g, &expected);
    for (int place = 0; rc == 0 && place < N_PLACES; place++) {
        snprintf(part->what, sizeof(part->what), "program %d of the part, P %d, %s", k, P,
                 names[place]);
        for (int i = 0; rc == 0 && i < (place == EXPLORED ? ORDERS : 1); i++)
            rc = run_in((enum place)place, g, &expected, part);
    }
    if (rc != 0)
        return rc;
    snprintf(part->what, sizeof(part->what), "program %d of the part, P %d, folded", k, P);
    return fold(g, &expected);
}

static int64_t programs(struct soak_part *part)
{
    struct random_program *g = malloc(sizeof(*g));
    int rc = g != NULL ? 0 : -ENOMEM;

    for (int k = 0; rc == 0 && k < PER_PART; k++)
        rc = one(part, g, k);
    free(g);
    return rc == 0 ? PER_PART : rc;
}

static void end(void)
{
    for (int i = 0; i < N_PLACES; i++)
        for (int P = 0; P <= MOST_P; P++)
            logp_machine_destroy(machines[i][P]);
}

const struct soak_kind soak_programs = {
    .name = "programs", .usual = 100000, .run = programs, .end = end};

/* SPDX-License-Identifier: MIT */
/*
 * Test the runtime for hours: messages under stress, random programs, lives of machines. Best in a
 * build with -DLOGP_PAUSES=ON, which pauses at random wherever something is handed over.
 *
 *     bench_soak --messages 1e9 --state messages.state
 *     bench_soak --programs 1e5 | --lives 1e5  [--seconds T] [--seed S] [--state FILE] [--part I]
 *                [--timeout T]
 *
 * Progress is on stderr. With --state it resumes where the last call ended, by itself, by --seconds
 * or by a signal. A failure is printed with its seed and part; --part runs this part alone. A run
 * of more than --timeout seconds (default: 300) counts as a failure.
 * Exit code: 0 all done, 1 a failure, 2 bad usage, 3 ended before it was done.
 */
#include "sample.h"
#include "soak.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct soak_kind *const kinds[] = {&soak_messages, &soak_programs, &soak_lives};
enum {
    N_KINDS = sizeof(kinds) / sizeof(kinds[0]),
    PROGRESS_EVERY_S = 10,
    MOST_TIMEOUT_S = 1000000000
};

static int64_t run_timeout_ns = INT64_C(300000000000);

struct soak {
    const struct soak_kind *kind;
    uint64_t wanted, done, part, seed;
    double seconds, spent; /* spent: by earlier calls, from the state */
    const char *state_path;
    int64_t only_part; /* -1: all */
};

/* ---- interruption ---- */

static _Atomic(struct logp_machine *) running;
static atomic_bool interrupted;

static void interrupt(int signal)
{
    struct logp_machine *m = atomic_load(&running);

    (void)signal;
    atomic_store(&interrupted, true);
    if (m != NULL)
        logp_machine_stop(m, -EINTR);
}

bool soak_interrupted(void)
{
    return atomic_load(&interrupted);
}

int soak_run(struct logp_machine *m, logp_program program, void *arg)
{
    int rc;

    atomic_store(&running, m);
    rc = soak_interrupted() ? -EINTR : logp_machine_run(m, program, arg, run_timeout_ns);
    atomic_store(&running, NULL);
    return rc;
}

/* ---- parts ---- */

/* splitmix64 */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t soak_below(struct soak_part *part, uint64_t n)
{
    part->random = mixed(part->random);
    return part->random % n;
}

/* @return as soak_kind.run() */
static int64_t run_part(const struct soak *s, uint64_t number)
{
    struct soak_part part = {
        .seed = s->seed, .number = number, .random = mixed(mixed(s->seed) ^ number)};
    const int64_t n = s->kind->run(&part);

    if (n < 0 && n != -EINTR)
        fprintf(stderr, "\nwrong: --%s, --seed %" PRIu64 " --part %" PRIu64 ": %s: %s\n",
                s->kind->name, s->seed, number, part.what, strerror((int)-n));
    else if (s->only_part >= 0)
        fprintf(stderr, "%s: %" PRId64 " %s, all well\n", part.what, n, s->kind->name);
    return n;
}

/* ---- the state: one line ---- */

static bool read_state(struct soak *s)
{
    FILE *f = fopen(s->state_path, "re");
    char name[16];
    uint64_t seed;
    bool good;

    if (f == NULL)
        return errno == ENOENT;
    good = fscanf(f, "soak %15s seed %" SCNu64 " part %" SCNu64 " done %" SCNu64 " seconds %lf",
                  name, &seed, &s->part, &s->done, &s->spent) == 5 &&
           strcmp(name, s->kind->name) == 0 && seed == s->seed;
    fclose(f);
    errno = EINVAL;
    return good;
}

/* Write a new file and rename it, so that the state is whole or unchanged. */
static bool write_state(const struct soak *s, double spent)
{
    char path[4096];
    FILE *f;
    bool good;

    if ((size_t)snprintf(path, sizeof(path), "%s.new", s->state_path) >= sizeof(path))
        return false;
    f = fopen(path, "we");
    if (f == NULL)
        return false;
    good = fprintf(f, "soak %s seed %" PRIu64 " part %" PRIu64 " done %" PRIu64 " seconds %.1f\n",
                   s->kind->name, s->seed, s->part, s->done, spent) > 0;
    good = fclose(f) == 0 && good;
    return good && rename(path, s->state_path) == 0;
}

/* ---- the loop ---- */

static double now_s(void)
{
    return 1e-9 * (double)bench_now_ns();
}

static void say(const struct soak *s, double spent)
{
    const double rate = spent > 0 ? (double)s->done / spent : 0;

    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " %s, %.0f a second", s->done, s->wanted,
            s->kind->name, rate);
    if (rate > 0 && s->done < s->wanted)
        fprintf(stderr, ", %.0f s left", (double)(s->wanted - s->done) / rate);
    fputc('\n', stderr);
}

static int soak(struct soak *s)
{
    const double start = now_s(), before = s->spent;
    double said = start, spent = before;
    int64_t n = 0;

    while (s->done < s->wanted && !soak_interrupted() && now_s() - start < s->seconds) {
        n = run_part(s, s->part);
        if (n < 0)
            break;
        s->done += (uint64_t)n;
        s->part++;
        spent = before + now_s() - start;
        if (s->done < s->wanted && now_s() - said < PROGRESS_EVERY_S)
            continue;
        said = now_s();
        say(s, spent);
        if (s->state_path != NULL && !write_state(s, spent)) {
            perror(s->state_path);
            return 1;
        }
    }
    if (s->state_path != NULL && !write_state(s, spent)) {
        perror(s->state_path);
        return 1;
    }
    if (n < 0 && n != -EINTR)
        return 1;
    if (s->done < s->wanted)
        say(s, spent);
    return s->done < s->wanted ? 3 : 0;
}

/* ---- the command line ---- */

static int bad(const char *option, const char *value, const char *allowed)
{
    fprintf(stderr, "bench_soak: %s: '%s' is not %s\n", option, value, allowed);
    return 2;
}

/* Parse a whole number; 1e9 is one, too. */
static bool number(const char *text, double most, uint64_t *out)
{
    char *end;
    const double x = strtod(text, &end);

    if (end == text || *end != '\0' || !(x >= 0 && x <= most) || x != floor(x))
        return false;
    *out = (uint64_t)x;
    return true;
}

static int parse(struct soak *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        const struct soak_kind *kind = NULL;
        uint64_t x = 0;

        for (int k = 0; k < N_KINDS; k++)
            if (strncmp(option, "--", 2) == 0 && strcmp(option + 2, kinds[k]->name) == 0)
                kind = kinds[k];
        if (strcmp(option, "--state") == 0) {
            s->state_path = value;
            if (*value == '\0')
                return bad(option, value, "a file");
            continue;
        }
        if (kind == NULL && strcmp(option, "--seconds") != 0 && strcmp(option, "--seed") != 0 &&
            strcmp(option, "--part") != 0 && strcmp(option, "--timeout") != 0)
            return bad("option", option,
                       "--messages, --programs, --lives, --seconds, --seed, "
                       "--state, --part or --timeout");
        if (!number(value, 1e15, &x))
            return bad(option, value, "a whole number, 0 to 1e15");
        if (kind != NULL && s->kind != NULL)
            return bad("option", option, "allowed beside another of what is to be done");
        if (kind != NULL) {
            s->kind = kind;
            s->wanted = x;
        } else if (strcmp(option, "--seconds") == 0) {
            s->seconds = (double)x;
        } else if (strcmp(option, "--seed") == 0) {
            s->seed = x;
        } else if (strcmp(option, "--timeout") == 0) {
            if (x < 1 || x > MOST_TIMEOUT_S)
                return bad(option, value, "a number of seconds, 1 to 1e9");
            run_timeout_ns = (int64_t)x * 1000000000;
        } else {
            s->only_part = (int64_t)x;
        }
    }
    if (s->kind == NULL) {
        s->kind = &soak_messages;
        s->wanted = s->kind->usual;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct soak s = {.seed = 1, .seconds = INFINITY, .only_part = -1};
    const struct sigaction action = {.sa_handler = interrupt};
    int rc = parse(&s, argc, argv);

    if (rc != 0)
        return rc;
    if (s.state_path != NULL && !read_state(&s))
        return bad("--state", s.state_path,
                   errno == EINVAL ? "the state of such a soak with this seed" : "readable");
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (s.only_part >= 0)
        rc = run_part(&s, (uint64_t)s.only_part) < 0;
    else
        rc = soak(&s);
    if (s.kind->end != NULL)
        s.kind->end();
    return rc;
}

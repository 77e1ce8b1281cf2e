/* SPDX-License-Identifier: MIT */
/*
 * Preloaded, a host and a library that are as the tests of the command need them, where it calls
 * them. QUOTA is what control groups allow:
 *  - "50000 100000": half a processor, in the words of cpu.max; the group of the process has no
 *    limit of its own, the one above it has this one
 *  - missing: there are none, as where no kernel has them
 * MEMORY is what they allow in the words of memory.max, where QUOTA is something: in the group
 * above, the others have no such file. FEIGN is what happens:
 *  - wrong: an experiment ends well, with a wrong result on rank 3
 *  - deadlock: ... with a deadlock, and 18 processors that wait, in all ways there are
 *  - error: ... with ENOTSUP, returned by rank 2
 *  - late: ... twice as late as predicted, after a run that was repeated; on fibers, half as late
 *  - prompt: ... as predicted
 *  - behind: ... 20 us later than predicted, on fibers 2 us
 *  - early: ... in less than it can
 *  - placed: a machine says how it was told to place its ranks
 *  - stalled: ... of the optimal tree, half of whose repetitions took 20 times the shortest
 *  - off: ... a nanosecond beside the prediction
 *  - none: there is no memory for a machine's threads
 *  - fibers: there is none for threads, but for fibers there is
 *  - maps: a process has at most 40 mappings
 *  - tour: a machine's own program ends with ENOTSUP
 *  - signal: SIGTERM comes as soon as a machine is gone
 *  - named: the file system has no files without names
 *  - away: a processor of the machine does not come home
 *  - cores: 64 cores carry the machine
 *  - busy: what is measured of messages of 64 bytes was held up, so that one took longer than eight
 */
#define _GNU_SOURCE
#include <logp/logp.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEN __attribute__((visibility("default")))

/* The function of this name behind this one. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static bool feigned(const char *what)
{
    const char *wanted = getenv("FEIGN");

    return wanted != NULL && strcmp(wanted, what) == 0;
}

SEEN int open(const char *path, int flags, ...)
{
    const bool makes = (flags & (O_CREAT | __O_TMPFILE)) != 0;
    va_list args;
    int mode;

    va_start(args, flags);
    mode = makes ? va_arg(args, int) : 0;
    va_end(args);
    errno = EOPNOTSUPP;
    return (flags & O_TMPFILE) == O_TMPFILE && feigned("named") ? -1
                                                                : REAL(open)(path, flags, mode);
}

static FILE *text(char *contents)
{
    return fmemopen(contents, strlen(contents), "r");
}

SEEN FILE *fopen(const char *restrict path, const char *restrict mode)
{
    static char groups[] = "1:cpu:/elsewhere\n0::/outer/inner\n", no_limit[] = "max 100000\n",
                all[] = "400000 100000\n", maps[] = "40\n";
    char *quota = getenv("QUOTA"), *memory = getenv("MEMORY");

    if (feigned("maps") && strcmp(path, "/proc/sys/vm/max_map_count") == 0)
        return text(maps);
    if (quota != NULL && strcmp(path, "/proc/self/cgroup") == 0 && strcmp(quota, "missing") == 0) {
        errno = ENOENT;
        return NULL;
    }
    if (quota != NULL && strcmp(path, "/proc/self/cgroup") == 0)
        return text(groups);
    if (quota != NULL && strcmp(path, "/sys/fs/cgroup/outer/inner/cpu.max") == 0)
        return text(no_limit);
    if (quota != NULL && strcmp(path, "/sys/fs/cgroup/outer/cpu.max") == 0)
        return text(quota);
    if (quota != NULL && strcmp(path, "/sys/fs/cgroup/cpu.max") == 0)
        return text(all);
    if (memory != NULL && strcmp(path, "/sys/fs/cgroup/outer/memory.max") == 0)
        return text(memory);
    if (memory != NULL && strstr(path, "/memory.max") != NULL) {
        errno = ENOENT;
        return NULL;
    }
    return REAL(fopen)(path, mode);
}

static struct logp_config last; /* of the machine made last */

static bool on_fibers(void)
{
    return last.executor != NULL && strcmp(last.executor, "fiber") == 0;
}

SEEN int logp_machine_create(const struct logp_config *config, struct logp_machine **out)
{
    if (feigned("none"))
        return -EAGAIN;
    last = *config;
    if (feigned("placed")) {
        fprintf(stderr, "placed %d%s", (int)config->placement, config->core_of != NULL ? ":" : "");
        for (int i = 0; config->core_of != NULL && i < config->n_processors; i++)
            fprintf(stderr, " %d", config->core_of[i]);
        fputc('\n', stderr);
    }
    if (feigned("fibers") && !on_fibers())
        return -EAGAIN;
    return REAL(logp_machine_create)(config, out);
}

SEEN int logp_machine_destroy(struct logp_machine *m)
{
    const int rc = feigned("away") ? -EBUSY : REAL(logp_machine_destroy)(m);

    if (feigned("signal"))
        raise(SIGTERM);
    return rc;
}

SEEN void logp_machine_stop(struct logp_machine *m, int error)
{
    if (feigned("signal")) {
        fputs("feign: a machine is stopped that is gone\n", stderr);
        return;
    }
    REAL(logp_machine_stop)(m, error);
}

SEEN int logp_machine_run(struct logp_machine *m, logp_program program, void *arg,
                          int64_t timeout_ns)
{
    return feigned("tour") ? -ENOTSUP : REAL(logp_machine_run)(m, program, arg, timeout_ns);
}

SEEN const struct logp_report *logp_machine_report(const struct logp_machine *m)
{
    static struct logp_wait_info waits[18] = {
        {1, LOGP_WAIT_RECV, 0, 5},    {2, LOGP_WAIT_RECV, LOGP_ANY_SOURCE, LOGP_ANY_TAG},
        {3, LOGP_WAIT_SYNC, 0, 0},    {4, LOGP_WAIT_POLL, 0, 0},
        {5, LOGP_WAIT_RUNNING, 0, 0},
    };
    static const struct logp_report deadlock = {.error_rank = -1, .waits = waits, .n_waits = 18},
                                    error = {.error_rank = 2};

    for (int i = 5; i < 18; i++)
        waits[i] = (struct logp_wait_info){i + 1, LOGP_WAIT_SYNC, 0, 0};
    return feigned("deadlock") ? &deadlock
           : feigned("error")  ? &error
                               : REAL(logp_machine_report)(m);
}

SEEN int logp_observed_estimate(const struct logp_observed *o, uint64_t seed, struct logp_found *f,
                                struct logp_size_seen *by_size)
{
    for (size_t i = 0; feigned("busy") && i < o->n_sizes; i++)
        for (size_t k = 0; o->sizes[i].n_bytes == 64 && k < o->sizes[i].n[LOGP_TIMING_ROUND]; k++)
            o->sizes[i].times_ns[LOGP_TIMING_ROUND][k] *= 20 + (int64_t)k % 2;
    return REAL(logp_observed_estimate)(o, seed, f, by_size);
}

SEEN int logp_machine_cores(const struct logp_machine *m)
{
    return feigned("cores") ? 64 : REAL(logp_machine_cores)(m);
}

/* The host was there all the time, whatever it was. */
static void be_undisturbed(struct logp_record *r)
{
    r->disturbed = 0;
    r->undisturbed = r->measured;
}

/* The measured times of a record, in per cent of what is predicted. */
static void be_late(struct logp_record *r, int64_t percent)
{
    const int64_t ns = r->prediction.ns * percent / 100;

    r->measured = (struct logp_summary){ns, ns, ns, ns, ns};
    be_undisturbed(r);
}

SEEN int logp_experiment_run(struct logp_machine *m, const struct logp_experiment *x,
                             struct logp_record *r)
{
    const int rc = REAL(logp_experiment_run)(m, x, r);

    if (feigned("wrong")) {
        r->verified = false;
        r->wrong_rank = 3;
    } else if (feigned("late")) {
        be_late(r, strcmp(x->algorithm->name, "binary") == 0 ? 100 : on_fibers() ? 150 : 200);
        r->restarts = 1;
    } else if (feigned("prompt")) {
        be_late(r, 100);
    } else if (feigned("behind")) {
        const int64_t ns = r->prediction.ns + (on_fibers() ? 2000 : 20000);

        r->measured = (struct logp_summary){ns, ns, ns, ns, ns};
        be_undisturbed(r);
    } else if (feigned("early")) {
        be_late(r, 98);
    } else if (feigned("stalled") && strcmp(x->algorithm->name, "optimal") == 0) {
        r->emulated.median_ns = 20 * r->emulated.min_ns;
    } else if (feigned("off")) {
        r->emulated.median_ns++;
    }
    return feigned("deadlock") ? -EDEADLK : feigned("error") ? -ENOTSUP : rc;
}

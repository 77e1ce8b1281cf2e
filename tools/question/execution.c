/* SPDX-License-Identifier: MIT */
/* The options that a run depends on. */
#define _GNU_SOURCE /* strptime(), timegm() */
#include "file/file.h"
#include "question/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct problem *apply_clock(struct question *q, const char *option, const char *text)
{
    bool is_virtual;

    TRY(either(option, text, "wall", "virtual", &is_virtual));
    q->how.clock = is_virtual ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL;
    return NULL;
}

static struct names executor_names(void)
{
    struct names names = {0};

    for (size_t i = 0; logp_executor_at(i) != NULL; i++)
        add_name(&names, logp_executor_at(i));
    return names;
}

bool use_executor(struct question *q, const char *name)
{
    const struct names names = executor_names();
    const int i = find_name(&names, name);

    if (i < 0)
        return false;
    q->how.executor = names.name[i];
    q->how.fibers = i == find_name(&names, "fiber");
    return true;
}

static struct problem *apply_executor(struct question *q, const char *option, const char *text)
{
    const struct names names = executor_names();

    if (!use_executor(q, text))
        return name_problem(option, text, &names);
    return NULL;
}

static const char *all_executors(const struct question *q, char buf[MAX_LIST])
{
    const struct names names = executor_names();

    (void)q;
    return list_names(&names, ", ", buf);
}

/* "mpi", or "mpi:" and of which kind: the code that makes the machine needs to know. */
static struct problem *apply_transport(struct question *q, const char *option, const char *text)
{
    struct names names = {0};
    char plain[16];

    for (size_t i = 0; logp_transport_at(i) != NULL; i++)
        add_name(&names, logp_transport_at(i));
    snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(text, ":"), text);
    if (find_name(&names, text) < 0 && strcmp(plain, "mpi") != 0)
        return name_problem(option, text, &names);
    q->how.transport = text;
    return NULL;
}

bool over_processes(const struct question *q)
{
    return q->how.transport != NULL && strcmp(q->how.transport, "mailbox") != 0;
}

/* Refuse options on which all processes would have to agree, or that apply to one host only. */
struct problem *check_transport(const struct question *q)
{
    const char *with = !over_processes(q)                                   ? NULL
                       : q->how.clock == LOGP_CLOCK_VIRTUAL                 ? "the virtual clock"
                       : q->model.network.topology != NULL                  ? "a topology"
                       : logp_params_capacity(&q->model.network.params) > 0 ? "a capacity"
                       : is_faulty(q)                                       ? "faults or noise"
                       : q->model.gamma_host                                ? "--gamma host"
                       : q->model.unit_auto                                 ? "--unit auto"
                       : q->form.output != NULL && (q->line.sets & OPTIONS_NETWORK) == 0
                           ? "--output: redirect stdout"
                       : q->form.plot != NULL                            ? "--plot"
                       : q->how.place == PLACE_PARTNERS                  ? "--place partners"
                       : q->form.raw != NULL                             ? "--raw"
                       : q->form.save != NULL || q->form.against != NULL ? "--save or --against"
                                                                         : NULL;

    if (with != NULL)
        return option_problem("--transport", q->how.transport,
                              "not together with %s; remove one of the two", with);
    return NULL;
}

/* Parse the number of a core. @return the text after it; NULL: it is not a number */
static const char *parse_core(const char *s, int *core)
{
    const int most = 1000000; /* more than any kernel has */

    if (*s < '0' || *s > '9')
        return NULL;
    for (*core = 0; *s >= '0' && *s <= '9' && *core <= most; s++)
        *core = 10 * *core + (*s - '0');
    return *core <= most ? s : NULL;
}

/* "0,2-5" */
static struct problem *apply_cores(struct question *q, const char *option, const char *text)
{
    q->how.n_cores = 0;
    if (strcmp(text, "all") == 0)
        return NULL;
    for (const char *s = text;; s++) {
        int first = 0, last = 0;

        s = parse_core(s, &first);
        last = first;
        if (s != NULL && *s == '-')
            s = parse_core(s + 1, &last);
        if (s == NULL || (*s != ',' && *s != '\0') || last < first ||
            last - first >= MAX_CORES - q->how.n_cores)
            return must_be(option, text, "a list of core numbers, e.g. 0,2-5");
        for (int i = first; i <= last; i++)
            q->how.cores[q->how.n_cores++] = i;
        if (*s == '\0')
            return NULL;
    }
    return NULL;
}

static struct problem *apply_place(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"block", "round-robin", "partners"}, 3};
    const char *const suffix = suffix_of(text);
    const int which = find_name(&names, text);

    q->how.place_text = text;
    if ((q->line.sets & (OPTIONS_RUN | OPTIONS_MPIRUN)) == 0)
        return strcmp(text, "block") == 0
                   ? NULL
                   : either(option, text, "apart", "shared", &q->how.shares_hosts);
    q->how.traffic_file = which < 0 && suffix != NULL && strcmp(suffix, "json") == 0 ? text : NULL;
    if (which < 0 && q->how.traffic_file == NULL)
        return must_be(option, text,
                       "block, round-robin, partners, or a report of logp mpirun (FILE.json)");
    q->how.place = which == 0 ? PLACE_BLOCK : which == 1 ? PLACE_ROUND_ROBIN : PLACE_PARTNERS;
    return NULL;
}

static struct problem *apply_timeout(struct question *q, const char *option, const char *text)
{
    int64_t ps;

    if (!logp_time_parse(text, INT64_C(1000000000000), &ps) || ps < 1000)
        return must_be(
            option, text,
            "a time, 1 ns .. 106 days, in seconds or with a suffix ns, us, ms or s, as 1.5s");
    q->how.timeout_ns = ps / 1000;
    return NULL;
}

/* A time without a suffix could be of any unit. */
static struct problem *apply_disturbed_by(struct question *q, const char *option, const char *text)
{
    int64_t ps;

    if (*text == '\0')
        return NULL;
    if (!logp_time_parse(text, 0, &ps) || ps < 1000)
        return must_be(option, text,
                       "a time with a suffix ns, us, ms or s, 1ns .. 106 days, e.g. 5us");
    q->how.disturbed_by_ns = ps / 1000;
    return NULL;
}

static struct problem *apply_progress(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"auto", "on", "off"}, 3};
    int which;

    TRY(which_name(option, text, &names, &which));
    q->form.progress = which == 0 ? isatty(STDERR_FILENO) : which == 1;
    return NULL;
}

static struct problem *apply_check(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"on", "off", "fail"}, 3};
    int which;

    TRY(which_name(option, text, &names, &which));
    q->mpi.unchecked = which == 1;
    q->mpi.checks_fail = which == 2;
    return NULL;
}

static struct problem *take_libraries(const char *option, const char *text, const char **out)
{
    if (strchr(text, ',') != NULL)
        return must_be(option, text, "the name of a library, such as libx or libx.so.1");
    *out = *text != '\0' ? text : NULL;
    return NULL;
}

static struct problem *apply_share(struct question *q, const char *option, const char *text)
{
    return take_libraries(option, text, &q->mpi.shared);
}

static struct problem *apply_private(struct question *q, const char *option, const char *text)
{
    return take_libraries(option, text, &q->mpi.own);
}

static struct problem *apply_report(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"html", "json", "txt"}, 3};
    const char *const suffix = suffix_of(text);

    q->mpi.report = NULL;
    if (*text == '\0')
        return NULL;
    if (suffix == NULL || find_name(&names, suffix) < 0)
        return option_problem(option, text,
                              "a report is a file whose name ends in .html, .json or .txt");
    TRY(check_place(option, text));
    q->mpi.report = text;
    return NULL;
}

static struct problem *apply_compute(struct question *q, const char *option, const char *text)
{
    char *end = NULL;

    q->mpi.compute = strcmp(text, "measured") == 0 ? 1
                     : text[0] == 'x'              ? strtod(text + 1, &end)
                                                   : 0;
    if (strcmp(text, "none") != 0 &&
        (!(q->mpi.compute > 0 && q->mpi.compute <= 1e6) || (end != NULL && *end != '\0')))
        return must_be(option, text,
                       "none, measured, or a factor: x0.5 is half of the measured time");
    return NULL;
}

/* "now", seconds since 1970, "2024-02-29" or "2024-02-29 12:00:00", in UTC */
static struct problem *apply_epoch(struct question *q, const char *option, const char *text)
{
    static const char *const forms[] = {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
                                        "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"};
    const int64_t second = 1000000000;
    struct timespec now;
    int64_t seconds = -1;

    if (strcmp(text, "now") == 0) {
        clock_gettime(CLOCK_REALTIME, &now);
        q->mpi.epoch_ns = now.tv_sec * second + now.tv_nsec;
        return NULL;
    }
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && seconds < 0; i++) {
        struct tm t = {0};
        const char *end = strptime(text, forms[i], &t);

        if (end != NULL && *end == '\0')
            seconds = timegm(&t);
    }
    if (seconds < 0 && !parse_number(text, false, 0, INT64_C(4102444800), &seconds))
        seconds = -1;
    if (seconds < 0 || seconds > INT64_C(4102444800))
        return must_be(option, text,
                       "now, seconds since 1970, or a time of UTC as 2020-01-01 or "
                       "\"2020-01-01 12:00:00\", 1970 .. 2100");
    q->mpi.epoch_ns = seconds * second;
    return NULL;
}

const struct option_row run_options[] = {
    {"clock", "KIND", "wall: every wait is real; virtual: time jumps", "wall", "",
     OPTIONS_RUN | OPTIONS_MPIRUN, .apply = apply_clock, .words = "wall, virtual"},
    {"executor", "NAME", "executor of processors: %s", "thread", "fiber",
     OPTIONS_RUN | OPTIONS_MPIRUN | OPTIONS_PAPER | OPTIONS_AGAIN, .apply = apply_executor,
     .series = SERIES_WORDS, .choices = all_executors},
    {"transport", "NAME", "mpi: the processes of mpirun; mpi:openmpi, mpi:mpich: of this MPI",
     "mailbox", "", OPTIONS_PROCESSES, .apply = apply_transport, .words = "mailbox, mpi"},
    {"reps", "N", "counted runs", "100", "1", OPTIONS_RUN | OPTIONS_PAPER | OPTIONS_SWEEP,
     NUMBER(how.reps, false, 1, 10000000, "a number of runs, 1 .. 10000000")},
    {"warmup", "N", "uncounted runs before the counted runs", "5", "0", OPTIONS_RUN | OPTIONS_PAPER,
     NUMBER(how.warmup, false, 0, 10000000, "a number of runs, 0 .. 10000000")},
    {"cores", "LIST", "cores to use, e.g. 0,2-5", "all", "", OPTIONS_RUN | OPTIONS_MPIRUN,
     .apply = apply_cores},
    {"place", "HOW",
     "which ranks share a core: block, round-robin, partners, or by the messages of a report "
     "(FILE.json); predict: files of --schedule have hosts apart, or shared by rank",
     "block", "", OPTIONS_RUN | OPTIONS_MPIRUN | OPTIONS_EXPLAIN, .apply = apply_place,
     .series = SERIES_WORDS, .words = "block, round-robin, partners, apart, shared"},
    {"plugin", "FILE.so[:ARGS]",
     "a delay model or algorithms of your own (logp/algorithm.h); repeatable", "none", "",
     OPTIONS_RUN | OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_PLUGIN, .apply = apply_plugin,
     .several = true},
    {"queue-limit", "BYTES", "limit of bytes in queues; sends above it fail", "1GiB", "",
     OPTIONS_RUN | OPTIONS_MPIRUN,
     NUMBER(how.queue_limit, true, 1, INT64_MAX, "a number of bytes, 1 .. 2^63-1")},
    {"timeout", "T", "time limit of a run", "60s", "",
     OPTIONS_RUN | OPTIONS_MPIRUN | OPTIONS_EXPLORE, .apply = apply_timeout},
    {"disturbed-by", "T", "a run is disturbed if a core was away for longer, e.g. 5us", "",
     "1% of the prediction, 2us or more", OPTIONS_RUN, .apply = apply_disturbed_by},
    {"seed", "N", "seed of all random draws", "1", "",
     OPTIONS_RUN | OPTIONS_MPIRUN | OPTIONS_EXPLORE | OPTIONS_FAULT | OPTIONS_SEARCH | OPTIONS_TUNE,
     NUMBER(how.seed, false, 0, INT64_MAX, "a whole number, 0 .. 2^63-1"),
     .series = SERIES_NUMBERS},
    {"progress", "WHEN", "progress on stderr: auto (on a terminal), on, off", "auto", "",
     OPTIONS_RUN | OPTIONS_TUNE | OPTIONS_SEARCH | OPTIONS_EXPLAIN, .apply = apply_progress,
     .words = "auto, on, off"},
    {"watch", NULL, "live table of ratios and lags on stderr, also of a sweep", "off", "",
     OPTIONS_WATCH, SWITCH(form.watch)},
    {"dry-run", NULL,
     "do not run the program, but list the functions of MPI that it needs and that are not there",
     "off", "", OPTIONS_MPIRUN, SWITCH(mpi.only_lists)},
    {"tag-output", NULL, "put the rank before each line of output", "off", "", OPTIONS_MPIRUN,
     SWITCH(mpi.tags_output)},
    {"check", "WHEN",
     "name collectives that differ, and requests left or used twice: on, off, fail (exit code 1)",
     "on", "", OPTIONS_MPIRUN, .apply = apply_check, .words = "on, off, fail"},
    {"checksum", NULL, "compare all bytes of buffers that may be written too early", "off", "",
     OPTIONS_MPIRUN, SWITCH(mpi.checksums)},
    {"report", "FILE", "what calls took, waits, messages: .html, .json, .txt", "", "none",
     OPTIONS_MPIRUN, .apply = apply_report},
    {"compute", "HOW",
     "virtual clock: time of the program's own computing: none, measured, x0.5 (half)", "none", "",
     OPTIONS_MPIRUN, .apply = apply_compute, .words = "none, measured"},
    {"epoch", "TIME", "virtual clock: the time of day at its start, UTC: now, or a time",
     "2020-01-01 00:00:00", "", OPTIONS_MPIRUN | OPTIONS_EXPLORE, .apply = apply_epoch,
     .words = "now"},
    {"real-clocks", NULL,
     "virtual clock: gettimeofday(), clock_gettime() and their relatives read the host's clocks",
     "off", "", OPTIONS_MPIRUN | OPTIONS_EXPLORE, SWITCH(mpi.real_clocks)},
    {"storage", "SPEC",
     "time of file operations: latency=T,bandwidth=B,servers=N (B in bytes per second of a server)",
     "none", "", OPTIONS_MPIRUN, .apply = apply_storage, .words = "none"},
    {"share", "LIB", "all ranks share the globals of this library of the program: libx, libx.so.1",
     "", "none", OPTIONS_MPIRUN | OPTIONS_EXPLORE, .apply = apply_share, .several = true},
    {"private", "LIB", "each rank has its own globals of this library, although --share names it",
     "", "all but the system's", OPTIONS_MPIRUN | OPTIONS_EXPLORE, .apply = apply_private,
     .several = true},
    {"stack", "BYTES", "stack of each rank", "8MiB", "", OPTIONS_MPIRUN | OPTIONS_EXPLORE,
     NUMBER(how.stack_bytes, true, 16 << 10, INT64_C(1) << 40, "a number of bytes, 16KiB .. 1TiB")},
    {"gdb", NULL, "run in gdb: ranks are threads, and `rank 3` chooses one", "off", "",
     OPTIONS_MPIRUN, SWITCH(mpi.gdb)},
    {0},
};

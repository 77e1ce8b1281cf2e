/* SPDX-License-Identifier: MIT */
/*
 * Schedules that a search found, as the algorithm `search` of their collective: those of a folder
 * (--schedules), of which the best predicted is taken, or one that is searched for here (--algo
 * search). A file of the folder is for a collective and a number of processors by its name; it is
 * used where its steps compute the collective with these arguments.
 */
#include "choice/choice.h"
#include "file/file.h"
#include "schedule/schedule.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_FILES = 1024 };

static const int64_t own_search_ns = INT64_C(2000000000);

/* What the row does at the point of the options that was settled last. */
static struct {
    const struct logp_step_list *list; /* NULL: there is none */
    struct logp_args args;             /* that it is for */
} now;

/* ---- the row ---- */

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const bool fits = now.list != NULL && now.list->P == P && c->args.root == now.args.root &&
                      c->args.n_bytes == now.args.n_bytes && c->args.count == now.args.count &&
                      c->args.op == now.args.op && c->args.rows == now.args.rows &&
                      c->args.cols == now.args.cols && c->args.blocks == NULL;

    return fits ? NULL : "a schedule for these processors and sizes; logp search finds one";
}

/* Each rank notes which list it follows: another point may have another. */
static int plan(int P, int rank, struct logp_invocation *c)
{
    const struct logp_step_list **list = malloc(sizeof(struct logp_step_list *));
    struct logp_invocation with = *c;

    if (list == NULL)
        return -ENOMEM;
    *list = now.list;
    with.args.list = now.list;
    logp_step_list_plan(P, rank, &with);
    c->plan.scratch_bytes = with.plan.scratch_bytes;
    c->plan.state = (void *)list;
    return 0;
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct logp_step_list *list = *(const struct logp_step_list *const *)c->plan.state;

    (void)P;
    if (i >= list->n[rank])
        return false;
    *out = list->steps[rank][i];
    return true;
}

/* Once in a process, of the one collective that its words name. */
static void add_the_row(const char *collective)
{
    static struct logp_algorithm row;

    if (row.name != NULL)
        return;
    row = (struct logp_algorithm){
        LOGP_ALGORITHM(collective, "search", "a schedule found by logp search", "this library"),
        .needs = needs, .plan = plan, .steps = steps};
    if (logp_algorithm_add(&row) != 0)
        bad_usage("the schedules of %s cannot be added to its algorithms", collective);
}

/* ---- the folder ---- */

static struct {
    const struct logp_step_list *list[MOST_FILES];
    int n;
    bool is_read;
} folder;

static int of_collective(const char *name, const char *collective)
{
    const size_t n = strlen(collective);

    return strncmp(name, collective, n) == 0 && strncmp(name + n, "-P", 2) == 0 &&
           strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".json") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_folder(const char *dir, const char *collective)
{
    DIR *d = opendir(dir);
    char *names[MOST_FILES];
    struct dirent *e;
    int n = 0;

    folder.is_read = true;
    if (d == NULL)
        bad_option("--schedules", dir, "a folder that can be read: %s; logp search makes it",
                   strerror(errno));
    while ((e = readdir(d)) != NULL && n < MOST_FILES)
        if (of_collective(e->d_name, collective))
            names[n++] = or_end(strdup(e->d_name));
    closedir(d);
    qsort(names, (size_t)n, sizeof(names[0]), by_name);
    for (int i = 0; i < n; i++) {
        char *path = or_end(malloc(strlen(dir) + strlen(names[i]) + 2));

        sprintf(path, "%s/%s", dir, names[i]);
        free(names[i]);
        folder.list[folder.n++] = read_found("--schedules", path); /* which names it */
    }
}

/* What a list takes on this network; -1: it cannot be folded. */
static int64_t time_of(const struct logp_step_list *list, const struct logp_invocation *c)
{
    struct logp_schedule s = {.P = list->P,
                              .steps = logp_algorithm_find("schedule", "listed")->steps,
                              .args = c->args,
                              .model = c->model};
    struct logp_delay delay;
    struct logp_fold fold;
    int rc;

    s.args.list = list;
    if (logp_network_delay(&c->model, list->P, NULL, &delay, NULL) != 0)
        return -1;
    rc = logp_schedule_fold(&s, &delay, 0, &fold);
    logp_delay_destroy(&delay);
    return rc == 0 ? fold.ns : -1;
}

const struct logp_step_list *found_before(const struct options *o, const char *collective,
                                          const struct logp_invocation *c, int64_t *ns)
{
    const struct logp_collective *as = logp_collective_find(collective);
    const struct logp_step_list *best = NULL;
    int64_t t;

    if (!folder.is_read)
        read_folder(o->schedules, collective);
    for (int i = 0; i < folder.n; i++) {
        if (folder.list[i]->P != o->P || !list_computes(folder.list[i], c, as))
            continue;
        t = time_of(folder.list[i], c);
        if (t >= 0 && (best == NULL || t < *ns)) {
            best = folder.list[i];
            *ns = t;
        }
    }
    return best;
}

/* ---- a search of its own ---- */

static int64_t clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_late(void *arg, const struct logp_search_state *state)
{
    (void)state;
    return clock_ns() > *(const int64_t *)arg;
}

void search_refused(const struct options *o, const char *collective,
                    const struct logp_invocation *c, int rc)
{
    if (logp_collective_find(collective)->operands == LOGP_OPERANDS_TOTAL)
        bad_usage("search %s: its best schedule has a formula; type logp tree %s", collective,
                  collective);
    if (o->P > LOGP_SEARCH_P)
        bad_option("-P", option_text("P"), "1 .. %d processors for a search", LOGP_SEARCH_P);
    if (c->args.blocks != NULL)
        bad_option("--counts", option_text("counts"), "blocks that are all alike, for a search");
    if (rc == -ENOMEM)
        bad_usage("no memory");
    if (rc != 0)
        bad_usage("search %s: no schedule can be predicted with these options; use --delay logp "
                  "or loggp without random latencies",
                  collective);
}

static const struct logp_step_list *find_now(const struct options *o, const char *collective,
                                             const struct logp_invocation *c)
{
    struct logp_search ask = LOGP_SEARCH(collective, o->P, &c->args, &c->model);
    struct logp_search_result *r = NULL;
    int64_t until = clock_ns() + own_search_ns;

    ask.seed = o->seed;
    ask.stop = is_late;
    ask.arg = &until;
    search_refused(o, collective, c, logp_search_run(&ask, &r));
    return r != NULL ? r->list : NULL; /* until the process ends */
}

/* ---- both ---- */

static bool names_search(const struct options *o)
{
    const char *at = o->algorithms == ALGORITHMS_NAMED ? o->algorithm_list : "";
    const size_t n = strlen("search");

    for (; (at = strstr(at, "search")) != NULL; at += n)
        if ((at == o->algorithm_list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

void use_found(const struct options *o, const char *collective, const struct logp_invocation *c)
{
    const bool is_named = names_search(o);
    int64_t ns;

    now.list = NULL;
    if (o->list != NULL || (!is_named && o->schedules == NULL))
        return;
    if (o->schedules != NULL)
        now.list = found_before(o, collective, c, &ns);
    now.args = c->args;
    if (now.list == NULL && is_named)
        now.list = find_now(o, collective, c);
    add_the_row(collective);
}

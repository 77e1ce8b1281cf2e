/* SPDX-License-Identifier: MIT */
/*
 * Schedules that a search found, as the algorithm `search` of their collective: those of a folder
 * (--schedules), of which the best predicted is taken, or one that is searched for here (--algo
 * search). A file of the folder is for a collective and a number of processors by its name; it is
 * used where its steps compute the collective with these arguments.
 */
#include "question/choice/choice.h"
#include "question/schedule/schedule.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t own_search_ns = INT64_C(2000000000);

/* The schedule of the row, at the point of the options that was settled last. */
static struct {
    const struct logp_step_list *list; /* NULL: there is none */
    struct logp_args args;             /* the arguments of that schedule */
} now;

/* ---- the row ---- */

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const bool fits = now.list != NULL && now.list->P == P && c->args.root == now.args.root &&
                      c->args.n_bytes == now.args.n_bytes && c->args.count == now.args.count &&
                      c->args.op == now.args.op && c->args.may_differ == now.args.may_differ &&
                      c->args.rows == now.args.rows && c->args.cols == now.args.cols &&
                      c->args.blocks == NULL;

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

/* Add the row once in a process, for the one collective that its words name. */
static void add_the_row(const char *collective)
{
    static struct logp_algorithm row;

    if (row.name != NULL)
        return;
    row = (struct logp_algorithm){
        LOGP_ALGORITHM(collective, "search", "a schedule found by logp search", "this library"),
        .needs = needs, .plan = plan, .steps = steps,
        .same_results = true}; /* lists that do not have the same results are not used */
    if (logp_algorithm_add(&row) != 0)
        bad_usage("the schedules of %s cannot be added to its algorithms", collective);
}

/* ---- the folder ---- */

/* A file of the folder. */
struct kept {
    char *path;
    int64_t P;                         /* from the file's name */
    uint64_t question;                 /* likewise: question_of() the search; 0: none */
    const struct logp_step_list *list; /* NULL: it is not read yet */
};

static struct {
    struct kept *files;
    size_t n;
    bool is_read;
} folder;

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t mix_params(uint64_t h, const struct logp_params *p)
{
    const int64_t all[] = {p->L_ns,         p->o_send_ns,     p->o_recv_ns,     p->g_ns,
                           p->G_ps,         p->gamma_ps,      p->gap_shared,    p->capacity,
                           p->recv_streams, p->store_forward, p->latency_varies};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        h = mix(h, (uint64_t)all[i]);
    return h;
}

static uint64_t mix_topology(uint64_t h, const struct logp_topology *t, int64_t P)
{
    for (int64_t a = 0; t != NULL && a < P; a++)
        for (int64_t b = 0; b < P; b++)
            h = mix(h, (uint64_t)logp_topology_hops(t, (int)a, (int)b));
    return h;
}

/* Hash the arguments of a search to a number that is not 0: equal questions have equal numbers.
 * 0: no search is possible. */
static uint64_t question_of(const struct question *q, const struct logp_invocation *c)
{
    const struct logp_args *a = &c->args;
    const struct logp_links *links = c->model.links;
    const int64_t all[] = {(int64_t)a->n_bytes,
                           a->count,
                           a->root,
                           a->rows,
                           a->cols,
                           (int64_t)a->packing,
                           a->pack_ns,
                           a->work_ns,
                           a->no_overlap,
                           a->op != NULL ? (int64_t)a->op->element_bytes : 0,
                           c->model.rendezvous_from};
    uint64_t h = mix_params(1, &c->model.params);

    if (q->model.P > LOGP_SEARCH_P)
        return 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        h = mix(h, (uint64_t)all[i]);
    for (int from = 0; links != NULL && from < q->model.P; from++)
        for (int to = 0; to < q->model.P; to++) {
            struct logp_params of;

            logp_links_of(links, from, to, &c->model.params, &of);
            h = from != to ? mix_params(h, &of) : h;
        }
    h = mix_topology(h, c->model.topology, q->model.P);
    h = a->may_differ != 0 ? mix(h, 1) : h;
    return h != 0 ? h : 1;
}

char *path_in_folder(const struct question *q, const char *collective,
                     const struct logp_invocation *c)
{
    const size_t n = strlen(q->what.schedules) + strlen(collective) + 64;
    char *path = or_end(malloc(n));

    snprintf(path, n, "%s/%s-P%" PRId64 "-%016" PRIx64 ".json", q->what.schedules, collective,
             q->model.P, question_of(q, c));
    return path;
}

/* Parse collective-P8-0123456789abcdef.json; a file named by hand may have another end.
 * @return whether it is such a name */
static bool read_name(const char *name, const char *collective, struct kept *out)
{
    const size_t n = strlen(collective), length = strlen(name);
    char *end;

    if (strncmp(name, collective, n) != 0 || strncmp(name + n, "-P", 2) != 0 || length < n + 7 ||
        strcmp(name + length - 5, ".json") != 0)
        return false;
    out->P = strtoll(name + n + 2, &end, 10);
    out->question = *end == '-' ? strtoull(end + 1, &end, 16) : 0;
    if (strcmp(end, ".json") != 0)
        out->question = 0;
    return out->P > 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct kept *)a)->path, ((const struct kept *)b)->path);
}

static void read_folder(const char *dir, const char *collective)
{
    DIR *d = opendir(dir);
    struct dirent *e;

    folder.is_read = true;
    if (d == NULL)
        bad_option("--schedules", dir, "a folder that can be read: %s; logp search makes it",
                   strerror(errno));
    while ((e = readdir(d)) != NULL) {
        struct kept k = {.list = NULL};

        if (!read_name(e->d_name, collective, &k))
            continue;
        k.path = or_end(malloc(strlen(dir) + strlen(e->d_name) + 2));
        sprintf(k.path, "%s/%s", dir, e->d_name);
        folder.files = or_end(realloc(folder.files, (folder.n + 1) * sizeof(k)));
        folder.files[folder.n++] = k;
    }
    closedir(d);
    if (folder.n > 0)
        qsort(folder.files, folder.n, sizeof(struct kept), by_path);
}

/* The time of a list on this network; -1: it cannot be folded. */
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

/* Whether the times in the list are those of these arguments. Times of combinations are
 * computed from gamma, but the file contains packing and the work of a broadcast as
 * they were in the search. */
static bool has_times_of(const struct kept *k, const struct logp_args *args, uint64_t question)
{
    return (k->question == question && question != 0) ||
           (args->pack_ns == 0 && args->work_ns == 0 && args->packing == LOGP_PACKING_STRUCTURED &&
            !list_has_work(k->list));
}

/* The schedule of a list with these arguments. */
static struct logp_schedule schedule_of(const struct logp_step_list *list,
                                        const struct logp_invocation *c)
{
    struct logp_schedule s = {.P = list->P,
                              .steps = logp_algorithm_find("schedule", "listed")->steps,
                              .plan = logp_step_list_plan,
                              .args = c->args,
                              .model = c->model};

    s.args.list = list;
    return s;
}

/* Whether all ranks get the same result, if that is requested. */
static bool gives_same(const struct logp_step_list *list, const struct logp_invocation *c,
                       const struct logp_collective *as)
{
    const struct logp_algorithm differs = {LOGP_ALGORITHM(as->name, "search", "", "")};
    const struct logp_schedule s = schedule_of(list, c);

    return logp_algorithm_same_results(&differs, &c->args) || logp_schedule_same(&s, as, NULL) == 1;
}

/* A copy of the list in a file for these arguments; NULL: the file does not have it. */
static const struct logp_step_list *list_of(const struct question *q, struct kept *k,
                                            const struct logp_invocation *c,
                                            const struct logp_collective *as, uint64_t question)
{
    const bool runs = (q->line.sets & OPTIONS_RUN) != 0;
    const struct logp_step_list *fitting;

    if (k->P != q->model.P)
        return NULL;
    if (k->list == NULL)
        k->list = read_found("--schedules", k->path); /* which names it */
    if (k->list->P != q->model.P || !has_times_of(k, &c->args, question) ||
        (runs && list_makes_data(k->list)))
        return NULL;
    fitting = list_for(k->list, c, as);
    if (fitting != NULL && !gives_same(fitting, c, as)) {
        list_free(fitting);
        fitting = NULL;
    }
    return fitting;
}

const struct logp_step_list *found_before(const struct question *q, const char *collective,
                                          const struct logp_invocation *c, int64_t *ns)
{
    const struct logp_collective *as = logp_collective_find(collective);
    const struct logp_step_list *best = NULL;
    uint64_t question;

    if (!folder.is_read)
        read_folder(q->what.schedules, collective);
    question = question_of(q, c);
    for (size_t i = 0; i < folder.n; i++) {
        const struct logp_step_list *list = list_of(q, &folder.files[i], c, as, question);
        const int64_t t = list != NULL ? time_of(list, c) : -1;

        if (t >= 0 && (best == NULL || t < *ns)) {
            list_free(best);
            best = list;
            *ns = t;
        } else {
            list_free(list);
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

void search_refused(const struct question *q, const char *collective,
                    const struct logp_invocation *c, int rc)
{
    if (logp_collective_find(collective)->operands == LOGP_OPERANDS_TOTAL)
        bad_usage("search %s: its best schedule has a formula; type logp tree %s", collective,
                  collective);
    if (q->model.P > LOGP_SEARCH_P)
        bad_option("-P", option_text("P"), "1 .. %d processors for a search", LOGP_SEARCH_P);
    if (c->args.blocks != NULL)
        bad_option("--counts", option_text("counts"), "blocks that are all alike, for a search");
    if (rc == -ENOMEM)
        bad_usage("no memory");
    if (rc != 0 && !any_applies(collective, q->model.P, c))
        none_applies(q, collective, c);
    if (rc != 0)
        bad_usage("search %s: no schedule can be predicted with these options; use --delay logp "
                  "or loggp without random latencies",
                  collective);
}

static const struct logp_step_list *find_now(const struct question *q, const char *collective,
                                             const struct logp_invocation *c)
{
    struct logp_search ask = LOGP_SEARCH(collective, q->model.P, &c->args, &c->model);
    struct logp_search_result *r = NULL;
    int64_t until = clock_ns() + own_search_ns;

    ask.seed = q->how.seed;
    ask.stop = is_late;
    ask.arg = &until;
    search_refused(q, collective, c, logp_search_run(&ask, &r));
    if (r != NULL && (q->line.sets & OPTIONS_RUN) != 0 && list_makes_data(r->list))
        bad_usage(
            "--algo search: a schedule of %s is predicted but not run, since its steps do not "
            "hold the product of a matrix and a vector; type logp predict %s --algo search",
            collective, collective);
    return r != NULL ? r->list : NULL; /* until the process ends */
}

/* ---- both ---- */

static bool names_search(const struct question *q)
{
    const char *at = q->what.algorithms == ALGORITHMS_NAMED ? q->what.algorithm_list : "";
    const size_t n = strlen("search");

    for (; (at = strstr(at, "search")) != NULL; at += n)
        if ((at == q->what.algorithm_list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

void use_found(const struct question *q, const char *collective, const struct logp_invocation *c)
{
    const bool is_named = names_search(q);
    int64_t ns;

    now.list = NULL;
    if (q->what.list != NULL || (!is_named && q->what.schedules == NULL))
        return;
    if (q->what.schedules != NULL)
        now.list = found_before(q, collective, c, &ns);
    now.args = c->args;
    if (now.list == NULL && is_named)
        now.list = find_now(q, collective, c);
    add_the_row(collective);
}

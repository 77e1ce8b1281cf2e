/* SPDX-License-Identifier: MIT */
/*
 * Schedules that a search found, as the algorithm `search` of their collective: those of a folder
 * (--schedules), of which the best predicted is taken, or one that is searched for here (--algo
 * search). A file of the folder is for a collective and a number of processors by its name; it is
 * used where its steps compute the collective with these arguments.
 */
#include "question/choice/choice.h"
#include "question/rows.h"
#include "question/schedule/schedule.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t own_search_ns = INT64_C(2000000000);

/* A file of the folder. */
struct found_file {
    char *path;
    int64_t P;                         /* from the file's name */
    uint64_t question;                 /* likewise: question_of() the search; 0: none */
    const struct logp_step_list *list; /* NULL: it is not read yet */
};

/* The schedule of the row, at the point of the options that was settled last, and the folder. */
struct found {
    const struct logp_step_list *list; /* NULL: there is none */
    struct logp_args args;             /* the arguments of that schedule */
    bool is_used;                      /* this question has the row */
    struct found_file *files;
    size_t n;
    bool is_read;
};

/* Of the question that has used the row last: the library gives its functions nothing to find that
 * by. NULL: it has ended */
static const struct found *now;

static void forget(void *memory)
{
    struct found *f = memory;

    free(f->files);
    if (now == f)
        now = NULL;
}

static struct found *found_of(const struct question *q)
{
    struct found *f = part_of(q, PART_FOUND, sizeof(*f));

    if (f->files == NULL) {
        f->files = need(malloc(sizeof(*f->files)));
        kept_by(q, f, forget);
    }
    return f;
}

/* ---- the row ---- */

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const struct logp_step_list *list = now != NULL ? now->list : NULL;
    const bool fits = list != NULL && list->P == P && c->args.root == now->args.root &&
                      c->args.n_bytes == now->args.n_bytes && c->args.count == now->args.count &&
                      c->args.op == now->args.op && c->args.may_differ == now->args.may_differ &&
                      c->args.rows == now->args.rows && c->args.cols == now->args.cols &&
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
    *list = with.args.list = now->list;
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

/* Add the row of this collective to the library, where it stays for all questions. */
static struct problem *add_the_row(const char *collective)
{
    static struct logp_algorithm rows[MAX_NAMES];
    const struct logp_algorithm *there = logp_algorithm_find(collective, "search");
    size_t i = 0;

    if (there != NULL && there->needs == needs)
        return NULL;
    while (rows[i].name != NULL)
        i++;
    rows[i] = (struct logp_algorithm){
        LOGP_ALGORITHM(collective, "search", "a schedule found by logp search", "this library"),
        .needs = needs, .plan = plan, .steps = steps,
        .same_results = true}; /* lists that do not have the same results are not used */
    rows[i].collective = logp_collective_find(collective)->name;
    if (logp_algorithm_add(&rows[i]) == 0)
        return NULL;
    rows[i].name = NULL;
    return usage_problem("the schedules of %s cannot be added to its algorithms", collective);
}

bool is_of_another(const struct question *q, const struct logp_algorithm *a)
{
    return a->needs == needs && !found_of(q)->is_used;
}

/* ---- the folder ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t mix_params(uint64_t h, const struct logp_params *p)
{
    const int64_t all[] = {p->L_ns,         p->o_send_ns,     p->o_recv_ns,      p->g_ns,
                           p->G_ps,         p->gamma_ps,      p->gap_shared,     p->capacity,
                           p->recv_streams, p->store_forward, p->latency_varies, p->O_ps};

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
    h = c->model.ports > 1 ? mix(h, (uint64_t)c->model.ports) : h;
    return h != 0 ? h : 1;
}

char *path_in_folder(const struct question *q, const char *collective,
                     const struct logp_invocation *c)
{
    const size_t n = strlen(q->what.schedules) + strlen(collective) + 64;
    char *path = need(malloc(n));

    snprintf(path, n, "%s/%s-P%" PRId64 "-%016" PRIx64 ".json", q->what.schedules, collective,
             q->model.P, question_of(q, c));
    return path;
}

/* Parse collective-P8-0123456789abcdef.json; a file named by hand may have another end.
 * @return whether it is such a name */
static bool read_name(const char *name, const char *collective, struct found_file *out)
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
    return strcmp(((const struct found_file *)a)->path, ((const struct found_file *)b)->path);
}

static struct problem *read_folder(const struct question *q, struct found *f,
                                   const char *collective)
{
    const char *const dir = q->what.schedules;
    DIR *d = opendir(dir);
    struct dirent *e;

    if (d == NULL)
        return must_be("--schedules", dir, "a folder that can be read: %s; logp search makes it",
                       strerror(errno));
    f->is_read = true;
    while ((e = readdir(d)) != NULL) {
        const size_t n = strlen(dir) + strlen(e->d_name) + 2;
        struct found_file k = {.list = NULL};

        if (!read_name(e->d_name, collective, &k))
            continue;
        k.path = kept_by(q, malloc(n), free);
        snprintf(k.path, n, "%s/%s", dir, e->d_name);
        f->files = need(realloc(f->files, (f->n + 1) * sizeof(k)));
        f->files[f->n++] = k;
    }
    closedir(d);
    qsort(f->files, f->n, sizeof(*f->files), by_path);
    return NULL;
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
static bool has_times_of(const struct found_file *k, const struct logp_args *args,
                         uint64_t question)
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

/* The problem of a file that a search wrote for these arguments, and whose steps do something else now. */
static struct problem *changed(const struct found_file *k, const struct logp_collective *as,
                               uint64_t question)
{
    if (k->question != question || question == 0)
        return NULL;
    return option_problem("--schedules", k->path,
                          "its steps do not compute %s, for which logp search wrote it: it is "
                          "damaged; remove it",
                          as->name);
}

/* A copy of the list in a file for these arguments, to be freed; *out NULL: the file does not have
 * it. */
static struct problem *list_of(const struct question *q, struct found_file *k,
                               const struct logp_invocation *c, const struct logp_collective *as,
                               uint64_t question, const struct logp_step_list **out)
{
    const bool runs = (q->line.sets & OPTIONS_RUN) != 0;

    *out = NULL;
    if (k->P != q->model.P)
        return NULL;
    if (k->list == NULL)
        TRY(read_found(q, "--schedules", k->path, &k->list)); /* which names it */
    if (k->list->P != q->model.P || !has_times_of(k, &c->args, question) ||
        (runs && list_makes_data(k->list)))
        return NULL;
    *out = list_for(k->list, c, as);
    if (*out == NULL)
        return changed(k, as, question);
    if (*out != NULL && !gives_same(*out, c, as)) {
        list_free(*out);
        *out = NULL;
    }
    return NULL;
}

static void drop_list(void *list)
{
    list_free(list);
}

struct problem *found_before(const struct question *q, const char *collective,
                             const struct logp_invocation *c, const struct logp_step_list **best,
                             int64_t *ns)
{
    const struct logp_collective *as = logp_collective_find(collective);
    const uint64_t question = question_of(q, c);
    struct found *f = found_of(q);

    struct problem *problem = NULL;

    *best = NULL;
    if (!f->is_read)
        TRY(read_folder(q, f, collective));
    for (size_t i = 0; problem == NULL && i < f->n; i++) {
        const struct logp_step_list *list, *worse;
        int64_t t;

        problem = list_of(q, &f->files[i], c, as, question, &list);
        t = list != NULL ? time_of(list, c) : -1;
        if (list != NULL && t < 0 && problem == NULL)
            problem = changed(&f->files[i], as, question);
        worse = t >= 0 && (*best == NULL || t < *ns) ? *best : list;
        if (worse != list) {
            *best = list;
            *ns = t;
        }
        list_free(worse);
    }
    if (*best != NULL)
        kept_by(q, (void *)(uintptr_t)*best, drop_list);
    return problem;
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

struct problem *search_refused(const struct question *q, const char *collective,
                               const struct logp_invocation *c, int rc)
{
    if (logp_collective_find(collective)->operands == LOGP_OPERANDS_TOTAL)
        return usage_problem("search %s: its best schedule has a formula; type logp tree %s",
                             collective, collective);
    if (q->model.P > LOGP_SEARCH_P)
        return must_be("-P", option_text(q, "P"), "1 .. %d processors for a search", LOGP_SEARCH_P);
    if (c->args.blocks != NULL)
        return must_be("--counts", option_text(q, "counts"),
                       "blocks that are all alike, for a search");
    need_memory(rc);
    if (rc != 0 && !any_applies(collective, q->model.P, c))
        return none_applies(q, collective, c);
    if (rc != 0)
        return usage_problem(
            "search %s: no schedule can be predicted with these options; use --delay logp "
            "or loggp without random latencies",
            collective);
    return NULL;
}

static void drop_search(void *result)
{
    logp_search_free(result);
}

static struct problem *find_now(const struct question *q, const char *collective,
                                const struct logp_invocation *c, const struct logp_step_list **list)
{
    struct logp_search ask = LOGP_SEARCH(collective, q->model.P, &c->args, &c->model);
    struct logp_search_result *r = NULL;
    int64_t until = clock_ns() + own_search_ns;
    int rc;

    ask.seed = q->how.seed;
    ask.stop = is_late;
    ask.arg = &until;
    rc = logp_search_run(&ask, &r);
    if (r != NULL)
        kept_by(q, r, drop_search);
    *list = r != NULL ? r->list : NULL;
    TRY(search_refused(q, collective, c, rc));
    if (r != NULL && (q->line.sets & OPTIONS_RUN) != 0 && list_makes_data(r->list))
        return usage_problem(
            "--algo search: a schedule of %s is predicted but not run, since its steps do not "
            "hold the product of a matrix and a vector; type logp predict %s --algo search",
            collective, collective);
    return NULL;
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

struct problem *use_found(const struct question *q, const char *collective,
                          const struct logp_invocation *c)
{
    const bool is_named = names_search(q);
    struct found *f = found_of(q);
    int64_t ns;

    f->list = NULL;
    now = f;
    if (q->what.list != NULL || (!is_named && q->what.schedules == NULL))
        return NULL;
    f->is_used = true;
    f->args = c->args;
    if (q->what.schedules != NULL)
        TRY(found_before(q, collective, c, &f->list, &ns));
    if (f->list == NULL && is_named)
        TRY(find_now(q, collective, c, &f->list));
    return add_the_row(collective);
}

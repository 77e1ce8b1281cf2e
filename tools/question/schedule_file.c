/* SPDX-License-Identifier: MIT */
/* A schedule from a file: its format, its steps, and whether they fit together. */
#include "question/rows.h"
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest message of a run. */
static const int64_t most_run_bytes = INT64_C(1) << 30;

/* The file of --schedule; NULL: it is not read yet. */
static struct reading **the_file(const struct question *q)
{
    return part_of(q, PART_SCHEDULE, sizeof(struct reading *));
}

const char *delay_of_schedule(const struct question *q)
{
    const struct reading *r = *the_file(q);

    return r != NULL && r->graph != NULL && !r->is_ours ? "loggops" : NULL;
}

static struct reading *begin_file(const struct question *q, const char *option, const char *file)
{
    struct reading *r = kept_by(q, calloc(1, sizeof(*r)), drop_reading);

    r->option = option;
    r->file = file;
    r->watch = q->what.read_progress;
    r->watch_arg = q->what.graph_progress_arg;
    return r;
}

/* Skip the space at the beginning. *line: of the first byte. @return that byte, or EOF */
static int first_byte(FILE *f, int *line)
{
    int c = getc(f);

    for (*line = 1; c != EOF && strchr(" \t\r\n", c) != NULL && c != '\0'; c = getc(f))
        *line += c == '\n';
    if (c != EOF)
        ungetc(c, f);
    return c;
}

static struct problem *read_text(struct reading *r, FILE *f)
{
    const char *why;
    char *text = text_of_stream(f, &why);
    struct problem *problem;

    if (text == NULL)
        return option_problem(r->option, r->file,
                              "cannot read it: %s; give a schedule file (json, goal)", why);
    problem = read_json(r, text);
    free(text);
    TRY(problem);
    part_data(r);
    return NULL;
}

static struct problem *read_any(struct reading *r, FILE *f)
{
    int line;
    const int first = first_byte(f, &line);

    if (is_goal_binary(first))
        return read_goal_binary(r, f);
    if (first == '\0') /* of a device, whose line would have no end */
        return option_problem(r->option, r->file, "line %d: a zero byte; a GOAL file is text",
                              line);
    return first == '{' ? read_text(r, f) : read_goal(r, f, line);
}

static struct problem *read_one(const struct question *q, const char *option, const char *file,
                                struct reading **r)
{
    struct problem *problem;
    FILE *f = fopen(file, "re");

    if (f == NULL)
        return option_problem(option, file, "cannot read it: %s; give a schedule file (json, goal)",
                              strerror(errno));
    *r = begin_file(q, option, file);
    problem = read_any(*r, f);
    fclose(f);
    return problem;
}

/* Join the graphs of several files. */
static struct problem *join_parts(struct reading *r)
{
    const struct logp_graph **graphs = need(calloc(r->n_parts, sizeof(struct logp_graph *)));
    int rc;

    for (size_t i = 0; i < r->n_parts; i++)
        graphs[i] = r->parts[i]->graph;
    rc = logp_graph_join(graphs, r->n_parts, &r->graph);
    free(graphs);
    if (rc == -EINVAL)
        return must_be(r->option, r->file, "1 .. %d ranks in all files", LOGP_MAX_PROCESSORS);
    TRY(graph_problem(r, rc, "all files", -1, -1));
    return begin_reading(r, logp_graph_size(r->graph).P);
}

/* Read A,B,...: the jobs of one machine. */
static struct problem *read_several(const struct question *q, const char *option, const char *files,
                                    struct reading **r)
{
    char *list = kept_by(q, strdup(files), free), *save = NULL;
    struct reading *all = begin_file(q, option, files);

    *r = all;
    for (char *file = strtok_r(list, ",", &save); file != NULL; file = strtok_r(NULL, ",", &save)) {
        all->parts = need(realloc(all->parts, (all->n_parts + 1) * sizeof(*all->parts)));
        TRY(read_one(q, option, file, &all->parts[all->n_parts]));
        if (all->parts[all->n_parts]->graph == NULL)
            return option_problem(option, file, "GOAL: of several files each must be GOAL");
        all->n_parts++;
    }
    return join_parts(all);
}

struct problem *read_schedule(const struct question *q, const char *option, const char *file,
                              const struct logp_step_list **list)
{
    struct reading **r = the_file(q);

    if (*r == NULL && strchr(file, ',') != NULL && access(file, F_OK) != 0)
        TRY(read_several(q, option, file, r));
    else if (*r == NULL)
        TRY(read_one(q, option, file, r));
    *list = &(*r)->list;
    return NULL;
}

struct problem *read_found(const struct question *q, const char *option, const char *file,
                           const struct logp_step_list **list)
{
    struct reading *r = begin_file(q, option, file);
    struct problem *problem;
    const char *why;
    char *text = text_of_file(file, &why);

    if (text == NULL)
        return option_problem(option, file,
                              "cannot read it: %s; give a folder of schedules in JSON", why);
    problem = read_json(r, text);
    free(text);
    if (problem != NULL)
        return problem;
    if (*r->without_data != '\0')
        return option_problem(option, file, "needs the data of all messages; %s: \"at\" is missing",
                              r->without_data);
    *list = &r->list;
    return NULL;
}

/* Note if a schedule that is correct with buffered sends deadlocks where sends wait for their
 * receivers. The later prediction or run finds that deadlock itself. */
static void say_who_waits(const struct question *q, const struct logp_schedule *s,
                          const struct logp_delay *delay)
{
    struct logp_fold fold;

    if (s->model.rendezvous_from > 0 && logp_schedule_fold(s, delay, 0, &fold) == -EDEADLK)
        say("--schedule %s relies on buffers: with --rendezvous %lld rank %lld waits for ever for "
            "rank %lld, tag %d",
            option_text(q, "schedule"), (long long)s->model.rendezvous_from - 1,
            (long long)fold.rank, (long long)fold.source, fold.tag);
}

/* "rank 3 (tag 5)" */
static const char *show_peer(int64_t rank, int tag, char text[64])
{
    int n = rank == LOGP_ANY_SOURCE ? snprintf(text, 64, "any rank")
                                    : snprintf(text, 64, "rank %lld", (long long)rank);

    if (tag == LOGP_ANY_TAG)
        snprintf(text + n, 64 - (size_t)n, " (any tag)");
    else
        snprintf(text + n, 64 - (size_t)n, " (tag %d)", tag);
    return text;
}

/* Refuse a schedule in which a rank waits for a message that another receive took,
 * or that is never sent. */
static struct problem *refuse_deadlock(const struct logp_schedule *s,
                                       const struct logp_delay *delay, const char *file)
{
    const struct logp_step_list *list = s->args.list;
    struct logp_fold fold;
    const int64_t taker = logp_schedule_taker(s, delay, &fold);
    char peer[64], any[64];

    show_peer(fold.source, fold.tag, peer);
    if (taker >= 0)
        return option_problem(
            "--schedule", file,
            "deadlock: rank %lld waits for a message from %s, which its operation %lld took, a "
            "receive from %s; let that name its rank and tag, or receive later",
            (long long)fold.rank, peer, (long long)taker + 1,
            show_peer(list->steps[fold.rank][taker].peer, list->steps[fold.rank][taker].tag, any));
    return option_problem("--schedule", file,
                          "deadlock: rank %lld waits for a message from %s that is never sent",
                          (long long)fold.rank, peer);
}

/* ---- graphs ---- */

/* Which receive took the message for which a rank waits. */
struct taker {
    const struct logp_graph *graph;
    const struct logp_graph_time *wanted;
    int64_t receive; /* -1: none */
};

static void find_taker(void *arg, int64_t rank, int64_t receive, int64_t from, int64_t send)
{
    struct taker *t = arg;
    struct logp_graph_op by, sent;

    if (rank != t->wanted->rank || t->receive >= 0)
        return;
    logp_graph_at(t->graph, rank, receive, &by);
    logp_graph_at(t->graph, from, send, &sent);
    if ((by.peer == LOGP_ANY_SOURCE || by.tag == LOGP_GRAPH_ANY_TAG) &&
        (by.peer != t->wanted->peer || by.tag != t->wanted->tag) &&
        (t->wanted->peer == LOGP_ANY_SOURCE || t->wanted->peer == from) &&
        (t->wanted->tag == LOGP_GRAPH_ANY_TAG || t->wanted->tag == sent.tag))
        t->receive = receive;
}

/* "rank 3 (tag 5)" */
static const char *show_end(int64_t rank, uint64_t tag, char text[80])
{
    int n = rank == LOGP_ANY_SOURCE ? snprintf(text, 80, "any rank")
                                    : snprintf(text, 80, "rank %lld", (long long)rank);

    if (tag == LOGP_GRAPH_ANY_TAG)
        snprintf(text + n, 80 - (size_t)n, " (any tag)");
    else
        snprintf(text + n, 80 - (size_t)n, " (tag %llu)", (unsigned long long)tag);
    return text;
}

static struct problem *refuse_blocked(const struct question *q, const struct reading *r,
                                      const struct logp_graph_time *time)
{
    const struct logp_network network = network_of(q);
    struct taker t = {r->graph, time, -1};
    const struct logp_graph_observer observer = {
        .size = sizeof(observer), .arg = &t, .met = find_taker};
    struct logp_graph_time again;
    struct logp_graph_op by;
    char peer[80], any[80];

    show_end(time->peer, time->tag, peer);
    if (time->sends)
        return option_problem("--schedule", r->file,
                              "deadlock: rank %lld waits for ever until %s receives its message; "
                              "with a larger --rendezvous it does not wait",
                              (long long)time->rank, peer);
    logp_graph_evaluate(r->graph, &network, NULL, &observer, NULL, &again);
    if (t.receive < 0)
        return option_problem("--schedule", r->file,
                              "deadlock: rank %lld waits for a message from %s that is never sent",
                              (long long)time->rank, peer);
    logp_graph_at(r->graph, time->rank, t.receive, &by);
    return option_problem("--schedule", r->file,
                          "deadlock: rank %lld waits for a message from %s, which its operation "
                          "%lld took, a receive from %s; let that name its rank and tag, or "
                          "receive later",
                          (long long)time->rank, peer, (long long)t.receive + 1,
                          show_end(by.peer, by.tag, any));
}

/* The problem of n sends without a receive. */
static struct problem *unreceived(const char *file, int64_t n)
{
    return n == 1 ? option_problem("--schedule", file, "a send is never received; add a receive")
                  : option_problem("--schedule", file,
                                   "%lld sends are never received; add receives", (long long)n);
}

static struct problem *refuse_evaluation(const struct question *q, const struct reading *r, int rc,
                                         const struct logp_graph_time *time)
{
    if (need_memory(rc) == -EDEADLK)
        return refuse_blocked(q, r, time);
    if (rc != 0)
        return usage_problem("--schedule %s: %s", r->file, logp_error_text(rc));
    return time->unreceived > 0 ? unreceived(r->file, time->unreceived) : NULL;
}

/* The last evaluation of the graph of a GOAL file. */
struct evaluated {
    struct logp_graph_time time;
    int64_t *ends; /* by rank */
};

static struct evaluated *the_evaluation(const struct question *q)
{
    return part_of(q, PART_EVALUATION, sizeof(struct evaluated));
}

bool has_graph(const struct question *q)
{
    const struct reading *r = *the_file(q);

    return q->what.list != NULL && r != NULL && r->graph != NULL;
}

bool by_graph(const struct question *q)
{
    return has_graph(q) && model_params(q).recv_streams;
}

bool is_concurrent(const struct question *q)
{
    const struct reading *r = *the_file(q);

    return has_graph(q) && (r->with_edges == NULL || !r->with_edges->in_order);
}

bool is_ours(const struct question *q)
{
    return (*the_file(q))->is_ours;
}

const struct logp_graph *graph_of_schedule(const struct question *q)
{
    return (*the_file(q))->graph;
}

const struct logp_graph_time *time_of_graph(const struct question *q, const int64_t **ends)
{
    const struct evaluated *e = the_evaluation(q);

    *ends = e->ends;
    return &e->time;
}

const int64_t *keep_ends(const struct question *q, const int64_t *ends, int64_t n)
{
    const size_t n_bytes = (size_t)n * sizeof(*ends);

    return memcpy(kept_by(q, malloc(n_bytes), free), ends, n_bytes);
}

/* ---- several files ---- */

size_t jobs_of_schedule(const struct question *q)
{
    const struct reading *r = *the_file(q);

    return q->what.list == NULL || r == NULL ? 0 : r->n_parts > 0 ? r->n_parts : 1;
}

/* By rank its host: rank r of each file has host r. */
static const int64_t *shared_hosts(const struct question *q, struct reading *r)
{
    int64_t first = 0;

    if (!q->how.shares_hosts || r->n_parts == 0)
        return NULL;
    if (r->host_of == NULL)
        r->host_of = need(calloc((size_t)r->list.P, sizeof(*r->host_of)));
    for (size_t i = 0; i < r->n_parts; first += r->parts[i++]->list.P)
        for (int64_t rank = 0; rank < r->parts[i]->list.P; rank++)
            r->host_of[first + rank] = rank;
    return r->host_of;
}

struct problem *find_job(const struct question *q, size_t i, const struct logp_algorithm *listed,
                         struct schedule_job *out)
{
    const struct reading *r = *the_file(q), *part = r->parts[i];
    const struct logp_network network = network_of(q);
    const char *base = strrchr(part->file, '/');
    struct logp_algorithm *row = kept_by(q, malloc(sizeof(*row)), free);
    struct logp_graph_time time;
    const int64_t *ends;

    *row = *listed;
    row->name = base != NULL ? base + 1 : part->file;
    *out = (struct schedule_job){.row = row, .P = part->list.P};
    for (size_t k = 0; k < i; k++)
        out->first += r->parts[k]->list.P;
    TRY(refuse_evaluation(
        q, part, logp_graph_evaluate(part->graph, &network, NULL, NULL, NULL, &time), &time));
    out->alone_ns = time.ns;
    time_of_graph(q, &ends);
    for (int64_t rank = out->first; rank < out->first + out->P; rank++)
        if (ends[rank] > out->together_ns)
            out->together_ns = ends[rank];
    return NULL;
}

/* Refuse a graph that needs LogGOPSim's rules. by: the option or the command without them. */
static struct problem *refuse_places(const struct question *q, const struct reading *r,
                                     const char *by)
{
    const struct logp_graph_size size = logp_graph_size(r->graph);

    (void)q;
    if (size.processors > 1 || size.interfaces > 1)
        return option_problem("--schedule", r->file,
                              "%s has one processor and one interface a rank, and this file has %d "
                              "and %d; type logp predict --delay loggops",
                              by, size.processors, size.interfaces);
    if (size.most_bytes > most_run_bytes)
        return option_problem("--schedule", r->file,
                              "%s takes messages of up to 2^30 bytes; type logp predict", by);
    return NULL;
}

/* The steps and edges of the graph as a list. */
static struct problem *list_edges(const struct question *q, struct reading *r)
{
    int rc;

    if (r->with_edges != NULL)
        return NULL;
    if (r->n_parts > 0)
        return option_problem("--schedule", r->file,
                              "several files need --delay loggops and logp predict");
    TRY(refuse_places(q, r, "--delay other than loggops"));
    rc = logp_graph_list(r->graph, &r->with_edges);
    if (rc == -ENOTSUP)
        return option_problem("--schedule", r->file,
                              "a send with tag -1 needs --delay loggops; give it a tag");
    if (rc != 0)
        need(NULL);
    order_steps(r->with_edges);
    return NULL;
}

/* Evaluate the graph, and put its acts in order where a run or a diagram needs them. */
static struct problem *evaluate(const struct question *q, struct reading *r, bool runs)
{
    struct evaluated *e = the_evaluation(q);
    const struct logp_network network = network_of(q);
    const struct logp_graph_observer observer = {.size = sizeof(observer),
                                                 .arg = q->what.graph_progress_arg,
                                                 .progress = q->what.graph_progress};
    int rc;

    if (logp_params_capacity(&network.params) > 0)
        return must_be("--capacity", option_text(q, "capacity"),
                       "off: --schedule FILE with concurrent operations does not support "
                       "it; remove it");
    if (runs && r->n_parts > 0)
        return must_be("--schedule", r->file, "one file: %s runs one schedule; type logp predict",
                       q->line.command);
    if (runs)
        TRY(refuse_places(q, r, q->line.command));
    if (runs && network.rendezvous_from > 0)
        return must_be("--rendezvous", option_text(q, "rendezvous"),
                       "none: with the concurrent operations of a GOAL file only logp "
                       "predict supports it; type logp predict");
    if (e->ends == NULL)
        e->ends = kept_by(q, calloc((size_t)r->list.P, sizeof(*e->ends)), free);
    rc = logp_graph_evaluate(r->graph, &network, shared_hosts(q, r), &observer, e->ends, &e->time);
    TRY(refuse_evaluation(q, r, rc, &e->time));
    if (!runs)
        return NULL;
    logp_graph_list_destroy(r->in_order);
    r->in_order = NULL;
    if (logp_graph_order(r->graph, &network, &r->in_order, &e->time) != 0)
        need(NULL);
    return NULL;
}

struct problem *list_of_schedule(const struct question *q, const struct logp_step_list **list)
{
    struct reading *r = *the_file(q);
    const bool runs = (q->line.sets & OPTIONS_RUN) != 0 || is_faulty(q) ||
                      q->model.plugin != NULL ||
                      (q->line.answer != ANSWER_RECORDS && q->line.answer != ANSWER_SWEEP);

    *list = q->what.list;
    if (!has_graph(q))
        return NULL;
    if (q->model.arrival_text != NULL)
        return option_problem("--arrival", q->model.arrival_text,
                              "none with a GOAL file: let its ranks begin with a calc");
    if (!by_graph(q) || q->line.answer == ANSWER_STEPS) {
        TRY(list_edges(q, r));
        *list = r->with_edges;
        return NULL;
    }
    TRY(evaluate(q, r, runs));
    if (runs)
        *list = r->in_order;
    return NULL;
}

/* Refuse rendezvous and capacity: the time of a graph is that in a network that is never full. */
static struct problem *refuse_with_graph(const struct question *q, const struct logp_invocation *c)
{
    static const char why[] = "off: --schedule FILE with concurrent operations does not support it";

    if (c->model.rendezvous_from > 0)
        return must_be(
            "--rendezvous", option_text(q, "rendezvous"),
            "none: a GOAL file with concurrent operations does not support it; remove it");
    if (logp_params_capacity(&c->model.params) > 0)
        return option_problem("--capacity", option_text(q, "capacity"), "%s; remove it", why);
    return NULL;
}

/* Fold the steps, and refuse them where they do not fit together. */
static struct problem *check_fit(const struct question *q, const struct logp_schedule *s,
                                 const struct logp_delay *delay)
{
    const char *file = option_text(q, "schedule");
    struct logp_schedule buffered = *s;
    struct logp_fold fold;
    int rc;

    buffered.model.rendezvous_from = 0;
    rc = logp_schedule_fold(&buffered, delay, 0, &fold);
    if (rc == 0)
        say_who_waits(q, s, delay);
    if (rc == -EDEADLK)
        return refuse_deadlock(&buffered, delay, file);
    if (rc == -EMSGSIZE)
        return option_problem(
            "--schedule", file,
            "a receive on rank %lld differs in size from its message; make them equal",
            (long long)fold.rank);
    if (rc != 0)
        return usage_problem("--schedule %s: %s", file, strerror(-rc));
    return fold.unreceived > 0 ? unreceived(file, (int64_t)fold.unreceived) : NULL;
}

/* Fold without delays, because a deadlock does not depend on the model. Concurrent steps do
 * depend on time, so a graph is folded with its delays. */
struct problem *listed_algorithm(const struct question *q, const struct logp_invocation *c,
                                 struct logp_algorithm *row)
{
    const struct logp_algorithm *a = logp_algorithm_find("schedule", "listed");
    const struct logp_schedule s = logp_schedule_of(a, q->model.P, &c->args, &c->model);
    const bool is_graph = logp_step_list_is_graph(c->args.list, &c->model.params);
    const struct logp_params params = is_graph ? c->model.params : (struct logp_params){0};
    struct problem *problem;
    struct logp_delay delay;
    int rc;

    *row = *a;
    if (by_graph(q) && q->line.answer != ANSWER_STEPS) /* it has been evaluated */
        return NULL;
    if (is_graph)
        TRY(refuse_with_graph(q, c));
    rc = logp_delay_create(logp_delay_name(&params), &params, &delay);
    if (rc != 0)
        return usage_problem("--schedule %s: %s", option_text(q, "schedule"), strerror(-rc));
    problem = check_fit(q, &s, &delay);
    logp_delay_destroy(&delay);
    return problem;
}

struct problem *list_with_data(const struct question *q, const char *option, const char *value,
                               const struct logp_step_list **list)
{
    struct reading *r = *the_file(q);

    if (r->with_data.P == 0)
        return option_problem(option, value, "needs a schedule in JSON: GOAL has no data");
    if (*r->without_data != '\0')
        return option_problem(option, value,
                              "needs the data of all messages; %s: \"at\" is missing",
                              r->without_data);
    *list = &r->with_data;
    return NULL;
}

struct problem *listed_collective(const struct question *q, const struct logp_invocation *c,
                                  struct logp_algorithm *row)
{
    const char *file = option_text(q, "schedule"), *size = size_option(q, q->what.as);
    struct logp_invocation plain = *c;
    struct problem *problem, *sized;
    const bool timed = option_given(q, "gamma") || c->model.params.gamma_ps > 0;

    plain.args.list = &(*the_file(q))->list;
    TRY(listed_algorithm(q, &plain, row));
    problem = check_data(file, c->args.list, c, q->what.as, timed,
                         (q->line.sets & OPTIONS_RUN) != 0, row);
    if (problem == NULL || problem->code != EXIT_USAGE || size == NULL || option_given(q, size))
        return problem;
    sized = option_problem("--schedule", file,
                           "%s; --%s is %s unless it is given: type that of the "
                           "schedule",
                           problem->text + problem->value_bytes, size,
                           strcmp(size, "count") == 0 ? "1" : option_text(q, size));
    free(problem);
    return sized;
}

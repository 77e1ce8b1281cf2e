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

/* The file of --schedule; NULL: it is not read yet. */
static struct reading **the_file(const struct question *q)
{
    return part_of(q, PART_SCHEDULE, sizeof(struct reading *));
}

const char *delay_of_schedule(const struct question *q)
{
    const struct reading *r = *the_file(q);

    return r != NULL && r->list.edges != NULL && !r->is_ours ? "loggops" : NULL;
}

static struct reading *begin_file(const struct question *q, const char *option, const char *file)
{
    struct reading *r = kept_by(q, calloc(1, sizeof(*r)), drop_reading);

    r->option = option;
    r->file = file;
    return r;
}

static struct problem *read_either(struct reading *r, const char *text)
{
    if (text[strspn(text, " \t\r\n")] != '{')
        return read_goal(r, text);
    TRY(read_json(r, text));
    part_data(r);
    return NULL;
}

struct problem *read_schedule(const struct question *q, const char *option, const char *file,
                              const struct logp_step_list **list)
{
    struct reading **r = the_file(q);
    struct problem *problem;
    const char *why;
    char *text;

    if (*r == NULL) {
        text = text_of_file(file, &why);
        if (text == NULL)
            return option_problem(option, file,
                                  "cannot read it: %s; give a schedule file (json, goal)", why);
        *r = begin_file(q, option, file);
        problem = read_either(*r, text);
        free(text);
        if (problem != NULL)
            return problem;
    }
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

/* Refuse rendezvous and capacity: the time of a graph is that in a network that is never full. */
static struct problem *refuse_with_graph(const struct question *q, const struct logp_invocation *c)
{
    static const char why[] = "off: --schedule FILE with concurrent operations does not support it";

    if (c->model.rendezvous_from > 0)
        return option_problem(
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
    if (fold.unreceived > 0)
        return option_problem("--schedule", file, "%llu sends are never received; add receives",
                              (unsigned long long)fold.unreceived);
    return NULL;
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
    struct logp_invocation plain = *c;
    const bool timed = option_given(q, "gamma") || c->model.params.gamma_ps > 0;

    plain.args.list = &(*the_file(q))->list;
    TRY(listed_algorithm(q, &plain, row));
    return check_data(option_text(q, "schedule"), c->args.list, c, q->what.as, timed,
                      (q->line.sets & OPTIONS_RUN) != 0, row);
}

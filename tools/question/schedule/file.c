/* SPDX-License-Identifier: MIT */
/* A schedule from a file: its format, its steps, and whether they fit together. */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct reading r;                /* the file that is read, once */
static struct logp_step_list with_data; /* of a JSON file; P = 0: the file has another format */

const char *delay_of_schedule(const struct logp_step_list *list)
{
    return list != NULL && list->edges != NULL && !r.is_ours ? "loggops" : NULL;
}

const struct logp_step_list *read_schedule(const char *option, const char *file)
{
    const char *why;
    char *text = text_of_file(file, &why);

    if (text == NULL)
        bad_option(option, file, "cannot read it: %s; give a schedule file (json, goal)", why);
    r = (struct reading){.option = option, .file = file};
    if (text[strspn(text, " \t\r\n")] == '{') {
        read_json(&r, text);
        part_data(&r, &with_data);
    } else
        read_goal(&r, text);
    free(text);
    return &r.list;
}

const struct logp_step_list *read_found(const char *option, const char *file)
{
    struct reading found = {.option = option, .file = file};
    struct logp_step_list *list = or_end(malloc(sizeof(*list)));
    const char *why;
    char *text = text_of_file(file, &why);

    if (text == NULL)
        bad_option(option, file, "cannot read it: %s; give a folder of schedules in JSON", why);
    read_json(&found, text);
    free(text);
    if (*found.without_data != '\0')
        bad_option(option, file, "needs the data of all messages; %s: \"at\" is missing",
                   found.without_data);
    found.list.steps = (const struct logp_step *const *)found.steps;
    *list = found.list;
    return list;
}

/* Note if a schedule that is correct with buffered sends deadlocks where sends wait for their
 * receivers. The later prediction or run finds that deadlock itself. */
static void say_who_waits(const struct logp_schedule *s, const struct logp_delay *delay)
{
    struct logp_fold fold;

    if (s->model.rendezvous_from > 0 && logp_schedule_fold(s, delay, 0, &fold) == -EDEADLK)
        say("--schedule %s relies on buffers: with --rendezvous %lld rank %lld waits for ever for "
            "rank %lld, tag %d",
            option_text("schedule"), (long long)s->model.rendezvous_from - 1, (long long)fold.rank,
            (long long)fold.source, fold.tag);
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
static void refuse_deadlock(const struct logp_schedule *s, const struct logp_delay *delay,
                            const char *file)
{
    const struct logp_step_list *list = s->args.list;
    struct logp_fold fold;
    const int64_t taker = logp_schedule_taker(s, delay, &fold);
    char peer[64], any[64];

    show_peer(fold.source, fold.tag, peer);
    if (taker >= 0)
        bad_option(
            "--schedule", file,
            "deadlock: rank %lld waits for a message from %s, which its operation %lld took, a "
            "receive from %s; let that name its rank and tag, or receive later",
            (long long)fold.rank, peer, (long long)taker + 1,
            show_peer(list->steps[fold.rank][taker].peer, list->steps[fold.rank][taker].tag, any));
    bad_option("--schedule", file,
               "deadlock: rank %lld waits for a message from %s that is never sent",
               (long long)fold.rank, peer);
}

/* Refuse rendezvous and capacity: the time of a graph is that in a network that is never full. */
static void refuse_with_graph(const struct logp_invocation *c)
{
    static const char why[] = "off: --schedule FILE with concurrent operations does not support it";

    if (c->model.rendezvous_from > 0)
        bad_option("--rendezvous", option_text("rendezvous"),
                   "none: a GOAL file with concurrent operations does not support it; remove it");
    if (logp_params_capacity(&c->model.params) > 0)
        bad_option("--capacity", option_text("capacity"), "%s; remove it", why);
}

/* Fold without delays, because a deadlock does not depend on the model. Concurrent steps do
 * depend on time, so a graph is folded with its delays. */
const struct logp_algorithm *listed_algorithm(int64_t P, const struct logp_invocation *c)
{
    const struct logp_algorithm *a = logp_algorithm_find("schedule", "listed");
    const struct logp_schedule s = logp_schedule_of(a, P, &c->args, &c->model);
    const bool is_graph = logp_step_list_is_graph(c->args.list, &c->model.params);
    const struct logp_params params = is_graph ? c->model.params : (struct logp_params){0};
    struct logp_schedule buffered = s;
    const char *file = option_text("schedule");
    struct logp_delay delay;
    struct logp_fold fold;
    int rc;

    if (is_graph)
        refuse_with_graph(c);
    rc = logp_delay_create(logp_delay_name(&params), &params, &delay);
    buffered.model.rendezvous_from = 0;
    if (rc == 0) {
        rc = logp_schedule_fold(&buffered, &delay, 0, &fold);
        if (rc == 0)
            say_who_waits(&s, &delay);
        if (rc == -EDEADLK)
            refuse_deadlock(&buffered, &delay, file);
        logp_delay_destroy(&delay);
    }
    if (rc == -EMSGSIZE)
        bad_option("--schedule", file,
                   "a receive on rank %lld differs in size from its message; make them equal",
                   (long long)fold.rank);
    if (rc != 0)
        bad_usage("--schedule %s: %s", file, strerror(-rc));
    if (fold.unreceived > 0)
        bad_option("--schedule", file, "%llu sends are never received; add receives",
                   (unsigned long long)fold.unreceived);
    return a;
}

const struct logp_step_list *list_with_data(const char *option, const char *value)
{
    if (with_data.P == 0)
        bad_option(option, value, "needs a schedule in JSON: GOAL has no data");
    if (*r.without_data != '\0')
        bad_option(option, value, "needs the data of all messages; %s: \"at\" is missing",
                   r.without_data);
    return &with_data;
}

const struct logp_algorithm *listed_collective(int64_t P, const struct logp_invocation *c,
                                               const struct logp_collective *as, bool runs)
{
    struct logp_invocation plain = *c;

    plain.args.list = &r.list;
    listed_algorithm(P, &plain);
    return algorithm_with_data(option_text("schedule"), c->args.list, c, as, runs);
}

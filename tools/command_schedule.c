/* SPDX-License-Identifier: MIT */
/*
 * logp schedule: who does what, in which order. A combination is computing for its time; copying
 * costs nothing, and is left out. GOAL is the text format of LogGOPSim (Hoefler et al., 2010).
 */
#include "command.h"

#include <stdlib.h>
#include <string.h>

/* How each format shows a schedule, a rank, and a step. */
struct form {
    void (*begin)(int64_t P);
    void (*begin_rank)(int64_t rank);
    void (*step)(const struct logp_step *s, int64_t index); /* send, receive, compute */
    void (*end_rank)(int64_t n);
    void (*end)(void);
};

/* ---- text ---- */

static void text_rank(int64_t rank)
{
    printf("rank %lld:\n", (long long)rank);
}

static void text_step(const struct logp_step *s, int64_t index)
{
    char time[32];

    (void)index;
    if (s->kind == LOGP_STEP_COMPUTE)
        printf("  compute %s\n", show_ns(s->ns, time, sizeof(time)));
    else
        printf("  %s %lld, %zu byte%s\n", s->kind == LOGP_STEP_SEND ? "send to" : "receive from",
               (long long)s->peer, s->n_bytes, s->n_bytes == 1 ? "" : "s");
}

/* ---- JSON ---- */

static void json_begin(int64_t P)
{
    printf("{\"P\":%lld,\"ranks\":[", (long long)P);
}

static void json_rank(int64_t rank)
{
    printf("%s\n[", rank > 0 ? "," : "");
}

static void json_step(const struct logp_step *s, int64_t index)
{
    printf("%s{\"op\":\"", index > 0 ? "," : "");
    if (s->kind == LOGP_STEP_COMPUTE)
        printf("compute\",\"ns\":%lld}", (long long)s->ns);
    else
        printf("%s\",\"peer\":%lld,\"bytes\":%zu,\"tag\":%d}",
               s->kind == LOGP_STEP_SEND ? "send" : "recv", (long long)s->peer, s->n_bytes, s->tag);
}

static void json_end_rank(int64_t n)
{
    (void)n;
    putchar(']');
}

static void json_end(void)
{
    puts("]}");
}

/* ---- GOAL ---- */

static void goal_begin(int64_t P)
{
    printf("num_ranks %lld\n", (long long)P);
}

static void goal_rank(int64_t rank)
{
    printf("\nrank %lld {\n", (long long)rank);
}

static void goal_step(const struct logp_step *s, int64_t index)
{
    printf("l%lld: ", (long long)index + 1);
    if (s->kind == LOGP_STEP_COMPUTE)
        printf("calc %lld\n", (long long)s->ns);
    else
        printf("%s %zub %s %lld tag %d\n", s->kind == LOGP_STEP_SEND ? "send" : "recv", s->n_bytes,
               s->kind == LOGP_STEP_SEND ? "to" : "from", (long long)s->peer, s->tag);
    if (index > 0)
        printf("l%lld requires l%lld\n", (long long)index + 1, (long long)index);
}

static void goal_end_rank(int64_t n)
{
    (void)n;
    puts("}");
}

/* ---- all of it ---- */

static const struct form text = {NULL, text_rank, text_step, NULL, NULL};
static const struct form json = {json_begin, json_rank, json_step, json_end_rank, json_end};
static const struct form goal = {goal_begin, goal_rank, goal_step, goal_end_rank, NULL};

static void show_rank(const struct form *form, const struct logp_algorithm *a, int64_t P,
                      int64_t rank, struct logp_coll *c)
{
    struct logp_step s;
    int64_t n = 0;

    c->plan = (struct logp_plan){.parent = -1};
    if (a->plan != NULL && a->plan((int)P, (int)rank, c) != 0)
        bad_usage("no memory for the schedule of %s", a->name);
    form->begin_rank(rank);
    for (int64_t i = 0; a->steps(P, rank, c, i, &s); i++) {
        if (s.kind == LOGP_STEP_COMPUTE)
            i += s.parts;
        if (s.kind == LOGP_STEP_COMBINE)
            s.kind = LOGP_STEP_COMPUTE;
        if (s.kind != LOGP_STEP_COPY && (s.kind != LOGP_STEP_COMPUTE || s.ns > 0))
            form->step(&s, n++);
    }
    if (form->end_rank != NULL)
        form->end_rank(n);
    logp_coll_unplan(c);
}

int command_schedule(struct options *o)
{
    struct row rows[MAX_ALGORITHMS] = {0};
    const char *collective = named_collective(o);
    struct logp_coll c = make_coll(o, collective);
    const size_t n = choose_algorithms(o, collective, &c, rows);
    const struct logp_algorithm *a = rows[0].algorithm;
    const struct form *form = o->format == FORMAT_JSON   ? &json
                              : o->format == FORMAT_GOAL ? &goal
                                                         : &text;

    if (n > 1)
        bad_option("--algo", o->algorithm_list, "one algorithm");
    if (a->steps == NULL)
        bad_option("--algo", a->name, "an algorithm that is a schedule");
    if (o->P > LOGP_MAX_PROCESSORS)
        bad_option("-P", option_text("P"), "of a schedule, 1 .. %d processors",
                   LOGP_MAX_PROCESSORS);
    warn_of_unused(o);
    if (form->begin != NULL)
        form->begin(o->P);
    for (int64_t rank = 0; rank < o->P; rank++)
        show_rank(form, a, o->P, rank, &c);
    if (form->end != NULL)
        form->end();
    return EXIT_OK;
}

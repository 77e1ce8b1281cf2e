/* SPDX-License-Identifier: MIT */
/* Steps with the places of their data: the same steps without, and whether
 * they compute a collective. */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void part_data(struct reading *r)
{
    const size_t P = (size_t)r->list.P;
    const int64_t *n = r->n;

    r->with_data = r->list;
    r->steps = need(calloc(P, sizeof(*r->steps)));
    r->n = need(calloc(P, sizeof(*r->n)));
    for (size_t rank = 0; rank < P; rank++) {
        struct logp_step *steps = need(calloc((size_t)n[rank] + 1, sizeof(struct logp_step)));

        for (int64_t i = 0; i < n[rank]; i++) {
            struct logp_step s = r->with_data.steps[rank][i];

            if (s.kind == LOGP_STEP_COPY)
                continue;
            if (s.kind == LOGP_STEP_SEND || s.kind == LOGP_STEP_RECEIVE)
                s.at = (struct logp_buffer_ref){LOGP_RECV_BUF, 0};
            else
                logp_step_compute(&s, s.ns, 0);
            steps[r->n[rank]++] = s;
        }
        r->steps[rank] = steps;
    }
    r->list.steps = (const struct logp_step *const *)r->steps;
    r->list.n = r->n;
}

/* Set the number of elements of a combination, which was read with `n_bytes` of operands,
 * at_stride of results and right_stride at `left`.
 * @return whether that is possible for elements of these bytes */
static bool fit_step(struct logp_step *s, size_t element)
{
    if (s->kind != LOGP_STEP_COMBINE)
        return true;
    s->n = (int64_t)(s->n_bytes / element);
    s->into_one = s->at_stride != s->n_bytes;
    if (s->n_bytes % element != 0 || (s->into_one && s->at_stride != element))
        return false;
    return !s->into_one || s->n < 4 * LOGP_LANES || s->right_stride >= LOGP_LANES * element;
}

/* Set the elements of combinations in this command's own list to those of the operation. */
static struct problem *fit_steps(const char *file, const struct logp_step_list *list,
                                 const struct logp_op *op)
{
    for (int64_t rank = 0; rank < list->P; rank++) {
        struct logp_step *steps = (struct logp_step *)(uintptr_t)list->steps[rank];

        for (int64_t i = 0; i < list->n[rank]; i++) {
            if (op == NULL && steps[i].kind == LOGP_STEP_COMBINE)
                return option_problem("--schedule", file,
                                      "rank %lld, step %lld: this collective combines nothing",
                                      (long long)rank, (long long)i);
            if (op != NULL && !fit_step(&steps[i], op->element_bytes))
                return option_problem(
                    "--schedule", file,
                    "rank %lld, step %lld: these lengths are not whole elements of %zu "
                    "bytes, as many at \"left\" as at \"right\", and at \"at\" as many or "
                    "one",
                    (long long)rank, (long long)i, op->element_bytes);
        }
    }
    return NULL;
}

/* Time of n combinations, rounded up. */
static int64_t gamma_ns(const struct logp_params *p, __int128 n)
{
    const __int128 ns = (n * p->gamma_ps + 999) / 1000;

    return ns < LOGP_PARAM_MAX_NS ? (int64_t)ns : LOGP_PARAM_MAX_NS;
}

/* Set the times of steps that combine, or make a product: gamma for each element. The times in a
 * file belong to the gamma that it was written with. */
static void time_steps(const struct logp_step_list *list, const struct logp_invocation *c)
{
    for (int64_t rank = 0; rank < list->P; rank++) {
        struct logp_step *steps = (struct logp_step *)(uintptr_t)list->steps[rank];

        for (int64_t i = 0; i < list->n[rank]; i++)
            if (steps[i].kind == LOGP_STEP_COMBINE)
                steps[i].ns = gamma_ns(&c->model.params, steps[i].n);
            else if (steps[i].kind == LOGP_STEP_COMPUTE && steps[i].n_bytes > 0)
                steps[i].ns = gamma_ns(&c->model.params, (__int128)c->args.count * c->args.count);
    }
}

bool list_has_work(const struct logp_step_list *list)
{
    for (int64_t rank = 0; rank < list->P; rank++)
        for (int64_t i = 0; i < list->n[rank]; i++)
            if (list->steps[rank][i].kind == LOGP_STEP_COMPUTE &&
                list->steps[rank][i].n_bytes == 0 && list->steps[rank][i].ns > 0)
                return true;
    return false;
}

bool list_makes_data(const struct logp_step_list *list)
{
    for (int64_t rank = 0; rank < list->P; rank++)
        for (int64_t i = 0; i < list->n[rank]; i++)
            if (list->steps[rank][i].kind == LOGP_STEP_COMPUTE && list->steps[rank][i].n_bytes > 0)
                return true;
    return false;
}

static struct problem *refuse_flaw(const char *file, const struct logp_step_list *list,
                                   const struct logp_collective *as,
                                   const struct logp_schedule_error *e)
{
    char step[32] = "the end", of[48] = "";

    if (e->rank < 0)
        return option_problem("--schedule", file, "no %s: %s", as->name, e->what);
    if (e->step < list->n[e->rank])
        snprintf(step, sizeof(step), "step %lld", (long long)e->step);
    if (e->of >= 0)
        snprintf(of, sizeof(of), " (of rank %lld)", (long long)e->of);
    return option_problem("--schedule", file, "no %s: rank %lld at %s: %s%s", as->name,
                          (long long)e->rank, step, e->what, of);
}

void list_free(const struct logp_step_list *list)
{
    for (int64_t rank = 0; list != NULL && rank < list->P; rank++)
        free((void *)(uintptr_t)list->steps[rank]);
    if (list != NULL)
        free((void *)(uintptr_t)list->steps);
    free((void *)(uintptr_t)list);
}

static struct logp_step_list *copy_list(const struct logp_step_list *list)
{
    struct logp_step_list *copy = need(malloc(sizeof(*copy)));
    struct logp_step **steps = need(calloc((size_t)list->P, sizeof(*steps)));

    for (int64_t rank = 0; rank < list->P; rank++) {
        const size_t n = (size_t)list->n[rank];

        steps[rank] = need(malloc((n + 1) * sizeof(struct logp_step)));
        if (n > 0)
            memcpy(steps[rank], list->steps[rank], n * sizeof(struct logp_step));
    }
    *copy = *list;
    copy->steps = (const struct logp_step *const *)steps;
    return copy;
}

/* Whether the length of every step fits elements of this size, and the steps
 * compute the collective. */
static bool fits(const struct logp_step_list *list, const struct logp_invocation *c,
                 const struct logp_collective *as)
{
    const size_t element = c->args.op != NULL ? c->args.op->element_bytes : 1;
    struct logp_schedule s = {.P = list->P,
                              .steps = logp_algorithm_find("schedule", "listed")->steps,
                              .plan = logp_step_list_plan,
                              .args = c->args,
                              .model = c->model};
    struct logp_schedule_error error;

    for (int64_t rank = 0; rank < list->P; rank++)
        for (int64_t i = 0; i < list->n[rank]; i++)
            if (!fit_step((struct logp_step *)(uintptr_t)&list->steps[rank][i], element))
                return false;
    s.args.list = list;
    s.model.rendezvous_from = 0;
    return logp_schedule_check(&s, as, &error) == 0;
}

const struct logp_step_list *list_for(const struct logp_step_list *list,
                                      const struct logp_invocation *c,
                                      const struct logp_collective *as)
{
    struct logp_step_list *copy = copy_list(list);

    if (fits(copy, c, as)) {
        time_steps(copy, c);
        return copy;
    }
    list_free(copy);
    return NULL;
}

struct problem *check_data(const char *file, const struct logp_step_list *list,
                           const struct logp_invocation *c, const struct logp_collective *as,
                           bool timed, bool runs, struct logp_algorithm *row)
{
    struct logp_schedule_error error;
    struct logp_schedule s;
    int rc;

    *row = (struct logp_algorithm){LOGP_ALGORITHM(as->name, "", "the steps of a file", ""),
                                   .steps = logp_algorithm_find("schedule", "listed")->steps,
                                   .plan = logp_step_list_plan};
    if (runs && list_makes_data(list))
        return must_be(
            "--schedule", file,
            "steps without a compute that makes data, to run it: no file can hold the work");
    TRY(fit_steps(file, list, c->args.op));
    if (timed)
        time_steps(list, c);
    s = logp_schedule_of(row, list->P, &c->args, &c->model);
    s.args.list = list;
    s.model.rendezvous_from = 0;
    rc = logp_schedule_check(&s, as, &error);
    if (rc == -EPROTO)
        return refuse_flaw(file, list, as, &error);
    return rc != 0 ? usage_problem("--schedule %s: %s", file, strerror(-rc)) : NULL;
}

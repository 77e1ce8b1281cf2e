/* SPDX-License-Identifier: MIT */
/* The cells of all algorithms of logp, as a table for people and as CSV. */
#include "view/views.h"
#include "view/records/records.h"
#include "text/text.h"
#include "answer/tune/tune.h"

#include <string.h>

static bool has_sizes(const struct tune_result *r)
{
    return logp_collective_find(r->collective->ours)->operands != LOGP_OPERANDS_NONE;
}

/* Return the name of a pick's algorithm with its k; "" for none. */
static const char *shown(const struct tune_pick *pick, char text[40])
{
    text[0] = '\0';
    if (pick->algorithm != NULL && pick->k > 0)
        snprintf(text, 40, "%s, k %lld", pick->algorithm->name, (long long)pick->k);
    else if (pick->algorithm != NULL)
        snprintf(text, 40, "%s", pick->algorithm->name);
    return text;
}

/* Return the width of the column of first sizes, in characters. */
static int width_of(const struct question *q, const struct tune_result *r)
{
    int width = 12;

    for (size_t j = 0; j < q->span.n_P; j++)
        for (size_t k = 0; k < r->of[j].n; k++) {
            const struct tune_cell *c = &r->of[j].cells[k];
            char text[MAX_TURNS];
            const int its = (int)strlen(show_turns(c->from, c->settled, text));

            width = its > width ? its : width;
        }
    return width;
}

static void print_people(FILE *f, const struct question *q, const struct tune_result *results,
                         size_t n)
{
    if (q->model.arrival_text != NULL)
        fprintf(f, "mean times with arrivals %s\n\n", q->model.arrival_text);
    for (size_t i = 0; i < n; i++) {
        const int width = width_of(q, &results[i]);

        fprintf(f, "%s%s\n%10s %*s %12s  %-22s %14s  %-22s %14s\n", i > 0 ? "\n" : "",
                results[i].collective->ours, "P", width, "bytes from", "to", "best", "predicted",
                "next best", "predicted");
        for (size_t j = 0; j < q->span.n_P; j++)
            for (size_t k = 0; k < results[i].of[j].n; k++) {
                const struct tune_cell *c = &results[i].of[j].cells[k];
                char from[MAX_TURNS] = "", to[24] = "", best[32], next[32] = "", names[2][40];

                if (has_sizes(&results[i])) {
                    show_turns(c->from, c->settled, from);
                    snprintf(to, sizeof(to), "%lld", (long long)c->to);
                }
                if (c->next.algorithm != NULL)
                    show_ns(c->next.ns, next, sizeof(next));
                fprintf(f, "%10lld %*s %12s  %-22s %14s  %-22s %14s\n",
                        (long long)results[i].of[j].P, width, from, to, shown(&c->best, names[0]),
                        show_ns(c->best.ns, best, sizeof(best)), shown(&c->next, names[1]), next);
            }
    }
}

static json_t *cell_json(const struct question *q, const struct tune_result *r, int64_t P,
                         const struct tune_cell *c)
{
    const bool next = c->next.algorithm != NULL, sized = has_sizes(r);

    return json_pack("[s,I,o,o,s,I,s?,o,o,o,o,o,s?]", r->collective->ours, (json_int_t)P,
                     json_if(sized, c->from), json_if(sized, c->to), c->best.algorithm->name,
                     (json_int_t)c->best.ns, next ? c->next.algorithm->name : NULL,
                     json_if(next, c->next.ns), json_if(c->best.k > 0, c->best.k),
                     json_if(next && c->next.k > 0, c->next.k),
                     same_results_json(r->collective->ours, q->what.may_differ),
                     json_if(c->settled > c->from, c->settled), q->model.arrival_text);
}

static void print_rows(FILE *f, const struct question *q, const struct tune_result *results,
                       size_t n)
{
    struct records r = {.f = f,
                        .form = RECORDS_CSV,
                        .columns = "collective,P,bytes_from,bytes_to,algorithm,predicted_ns,"
                                   "next_best,next_best_ns,k,next_best_k,same_results,"
                                   "bytes_settled_from,arrival",
                        .end = "\r\n"};

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < q->span.n_P; j++)
            for (size_t k = 0; k < results[i].of[j].n; k++)
                put_record(
                    &r, cell_json(q, &results[i], results[i].of[j].P, &results[i].of[j].cells[k]));
    end_records(&r);
}

const struct tune_form tune_csv = {.name = "csv", .suffix = "csv", .print = print_rows};
const struct tune_form tune_table = {.name = "", .suffix = "txt", .print = print_people};

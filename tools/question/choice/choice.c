/* SPDX-License-Identifier: MIT */
/* The collective and the algorithms that the command line names, checked. */
#include "question/choice/choice.h"
#include "question/rows.h"
#include "question/schedule/schedule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_unit(const char *word)
{
    char time[8];
    int64_t ps;

    return isalpha((unsigned char)*word) && strlen(word) < sizeof(time) - 1 &&
           snprintf(time, sizeof(time), "1%s", word) > 1 && logp_time_parse(time, 1, &ps);
}

struct problem *named_collective(const struct question *q, const char **collective)
{
    const struct logp_collective *c;
    struct names names = {0};
    char list[MAX_LIST];

    if (q->what.list != NULL && q->line.n_words > 1)
        return usage_problem("%s: give either a collective or --schedule FILE, not both",
                             q->line.words[1]);
    *collective = q->what.as != NULL ? q->what.as->name : "schedule";
    if (q->what.list != NULL)
        return NULL;
    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++)
        add_name(&names, c->name);
    if (q->line.n_words < 2)
        return usage_problem("%s%s%s: which collective? %s", q->line.words[0],
                             q->line.page != NULL ? " " : "",
                             q->line.page != NULL ? q->line.page : "", one_of(&names, NULL, list));
    if (find_name(&names, q->line.words[1]) < 0)
        return usage_problem("%s %s: no such collective; %s", q->line.words[0], q->line.words[1],
                             one_of(&names, q->line.words[1], list));
    if (q->line.n_words > 2)
        return usage_problem(
            "%s: unexpected argument; %s", q->line.words[2],
            is_unit(q->line.words[2]) ? "put no space between a number and its unit, as in 5us"
            : strchr(q->line.words[2], '=') != NULL ? "write costs as one word, as in L=90us,g=2us"
                                                    : "give one collective");
    *collective = q->line.words[1];
    return NULL;
}

const char *names_of(const struct logp_algorithm *const *rows, size_t n, char list[MAX_LIST])
{
    struct names names = {0};

    for (size_t i = 0; i < n; i++)
        add_name(&names, rows[i]->name);
    return list_names(&names, " and ", list);
}

/* The algorithms that were left out, for notes. */
struct choice_notes {
    /* Algorithms that may leave ranks with different results of an operation for which the results
     * have to be equal; each once. */
    struct {
        const struct logp_algorithm *algorithm[MAX_ALGORITHMS];
        size_t n;
        const struct logp_op *op; /* the first */
        bool is_said;
    } differing;
    /* Algorithms that did not apply, each once. */
    struct {
        const struct logp_algorithm *algorithm;
        const char *needs;
    } left_out[MAX_ALGORITHMS];
    size_t n_left_out;
    bool unpredicted_is_said;
};

static struct choice_notes *notes_of(const struct question *q)
{
    return part_of(q, PART_CHOICE, sizeof(struct choice_notes));
}

static void note_differing(const struct question *q, const struct logp_algorithm *a,
                           const struct logp_invocation *c)
{
    struct choice_notes *notes = notes_of(q);
    const size_t n = notes->differing.n;
    size_t i = 0;

    while (i < n && notes->differing.algorithm[i] != a)
        i++;
    if (i < n || n == MAX_ALGORITHMS)
        return;
    if (n == 0)
        notes->differing.op = c->args.op;
    notes->differing.algorithm[notes->differing.n++] = a;
}

/* Note all rows that apply. */
static void note_all_differing(const struct question *q, const char *collective,
                               const struct logp_invocation *c)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++)
        if (!logp_algorithm_same_results(a, &c->args) &&
            logp_algorithm_needs(a, q->model.P, &c->args, &c->model) == NULL)
            note_differing(q, a, c);
}

static void say_differing(const struct question *q)
{
    struct choice_notes *notes = notes_of(q);
    const size_t n = notes->differing.n;
    char list[MAX_LIST];

    if (n > 0 && !notes->differing.is_said)
        say_note("%s %s %s left out because the ranks may get different bits of a %s of %s; "
                 "--same-results no allows that",
                 notes->differing.algorithm[0]->collective,
                 names_of(notes->differing.algorithm, n, list), n > 1 ? "are" : "is",
                 notes->differing.op->name, notes->differing.op->type);
    notes->differing.is_said = true;
}

static bool uses_another_collective(const struct logp_algorithm *a)
{
    return strncmp(a->name, "by-", 3) == 0;
}

/* Whether the algorithm is for a network of its kind alone: links that differ, nodes, a topology, several ports. */
static bool is_for_a_network(const struct logp_algorithm *a)
{
    static const struct names all = {
        {"lanes", "neighbours", "neighbours-parts", "rings", "torus-rings"}, 5};

    return uses_another_collective(a) || find_name(&all, a->name) >= 0;
}

/* Whether the algorithm does not apply here. */
static bool leave_out(const struct question *q, const struct logp_algorithm *a,
                      const struct logp_invocation *c)
{
    struct choice_notes *notes = notes_of(q);
    const char *needs = logp_algorithm_needs(a, q->model.P, &c->args, &c->model);
    size_t i = 0;

    if (is_of_another(q, a))
        return true;
    if (needs == NULL && !logp_algorithm_same_results(a, &c->args)) {
        note_differing(q, a, c);
        return true;
    }
    while (i < notes->n_left_out && notes->left_out[i].algorithm != a)
        i++;
    if (needs == NULL || i < notes->n_left_out || notes->n_left_out == MAX_ALGORITHMS)
        return needs != NULL;
    if (!c->model.undelayed && a->steps == NULL) /* no note: it is for undelayed networks */
        return true;
    if (is_for_a_network(a) && strstr(needs, "2^18") == NULL) /* no note, but of a limit */
        return true;
    notes->left_out[notes->n_left_out].algorithm = a;
    notes->left_out[notes->n_left_out++].needs = needs;
    if ((q->line.sets & OPTIONS_SWEEP) == 0)
        say_note("%s %s is left out because it needs %s", a->collective, a->name, needs);
    return true;
}

void say_left_out(const struct question *q)
{
    const struct choice_notes *notes = notes_of(q);

    say_differing(q);
    for (size_t i = 0; i < notes->n_left_out; i++)
        say_note("%s %s is left out where it does not apply, because it needs %s",
                 notes->left_out[i].algorithm->collective, notes->left_out[i].algorithm->name,
                 notes->left_out[i].needs);
}

static struct problem *add_named(const struct question *q, const char *collective,
                                 const struct logp_invocation *c, const char *name,
                                 const struct logp_algorithm **chosen, size_t *n)
{
    const struct logp_algorithm *a, *found = logp_algorithm_find(collective, name);
    struct names names = {{"all", "auto"}, 2};
    char list[MAX_LIST], text[256];

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++)
        if (!is_of_another(q, a))
            add_name(&names, a->name);
    if (algorithm_word(name) != ALGORITHMS_NAMED)
        return option_problem("--algo", q->what.algorithm_list,
                              "%s is combined with no other name; remove it or the others", name);
    if (found == NULL)
        return option_problem("--algo", q->what.algorithm_list, "'%s': %s", name,
                              one_of(&names, name, list));
    if (*n == MAX_ALGORITHMS)
        return must_be("--algo", q->what.algorithm_list, "at most %d names", MAX_ALGORITHMS);
    if ((q->line.sets & OPTIONS_SWEEP) != 0 && leave_out(q, found, c))
        return NULL;
    if (logp_algorithm_needs(found, q->model.P, &c->args, &c->model) != NULL)
        return option_problem("--algo", name, "needs %s", needed(q, found, c, text));
    if (!logp_algorithm_same_results(found, &c->args))
        return option_problem(
            "--algo", name,
            "the ranks may get different bits of a %s of %s; type --same-results no to allow "
            "that",
            c->args.op->name, c->args.op->type);
    chosen[(*n)++] = found;
    return NULL;
}

static struct problem *choose_named(const struct question *q, const char *collective,
                                    const struct logp_invocation *c,
                                    const struct logp_algorithm **chosen, size_t *n)
{
    char *list = need(strdup(q->what.algorithm_list)), *save = NULL;
    struct problem *problem = NULL;

    for (char *name = strtok_r(list, ",", &save); problem == NULL && name != NULL;
         name = strtok_r(NULL, ",", &save))
        problem = add_named(q, collective, c, name, chosen, n);
    free(list);
    if (problem == NULL && *n == 0 &&
        strspn(q->what.algorithm_list, ",") == strlen(q->what.algorithm_list))
        return must_be("--algo", q->what.algorithm_list, "at least one name");
    return problem;
}

/* Where links are alike an algorithm that uses another collective is among all only if it is the best: the
 * others take as long as one of its own, and have more messages. */
static size_t choose_all(const struct question *q, const char *collective,
                         const struct logp_invocation *c, const struct logp_algorithm **chosen)
{
    const bool are_alike = c->model.links == NULL && c->model.topology == NULL;
    const struct logp_algorithm *a, *best = NULL;
    size_t n = 0;

    if (are_alike)
        best = logp_algorithm_best(collective, q->model.P, &c->args, &c->model);
    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL && n < MAX_ALGORITHMS; i++)
        if (!(are_alike && uses_another_collective(a) && a != best) && !leave_out(q, a, c))
            chosen[n++] = a;
    return n;
}

size_t applying_algorithms(const struct question *q, const char *collective,
                           const struct logp_invocation *c,
                           const struct logp_algorithm *out[MAX_ALGORITHMS])
{
    const struct logp_algorithm *a;
    size_t n = 0;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL && n < MAX_ALGORITHMS; i++)
        if (!is_of_another(q, a) && logp_algorithm_same_results(a, &c->args) &&
            logp_algorithm_needs(a, q->model.P, &c->args, &c->model) == NULL)
            out[n++] = a;
    return n;
}

/* Note once which algorithm is taken where there are no predictions: where links differ, sends
 * wait or a processor has several ports, beyond the P that can be folded. */
static void say_unpredicted(const struct question *q, const struct logp_algorithm *best)
{
    bool *said = &notes_of(q)->unpredicted_is_said;

    if (*said || q->model.P <= LOGP_FOLD_P || q->what.algorithms != ALGORITHMS_AUTO ||
        q->what.list != NULL ||
        (q->model.network.links == NULL && q->model.network.rendezvous_from == 0 &&
         q->model.network.ports <= 1))
        return;
    *said = true;
    say_note(
        "--algo auto: with %s there is no prediction beyond %d processors; without it %s is the "
        "best",
        q->model.network.rendezvous_from > 0 ? "--rendezvous"
        : q->model.network.links != NULL     ? links_option(q)
                                             : "several ports",
        LOGP_FOLD_P, best->name);
}

/* The row of a file's steps. */
struct listed {
    struct logp_algorithm row;
    char name[64];
};

/* The steps of a file go by its name, without control characters. */
static struct problem *steps_of_file(const struct question *q, const struct logp_invocation *c,
                                     const struct logp_algorithm **row)
{
    const char *file = option_text(q, "schedule"), *base = strrchr(file, '/');
    struct listed *listed = part_of(q, PART_LISTED, sizeof(*listed));

    snprintf(listed->name, sizeof(listed->name), "%s", base != NULL ? base + 1 : file);
    for (char *s = listed->name; *s != '\0'; s++)
        if (iscntrl((unsigned char)*s))
            *s = '?';
    TRY(q->what.as == NULL ? listed_algorithm(q, c, &listed->row)
                           : listed_collective(q, c, &listed->row));
    listed->row.name = listed->name;
    *row = &listed->row;
    return NULL;
}

/* The best predicted; NULL: none applies. */
static const struct logp_algorithm *choose_best(const struct question *q, const char *collective,
                                                const struct logp_invocation *c)
{
    struct logp_choice choice;
    const struct followed_choice *by = q->how.choosing;
    const int rc = need_memory(logp_algorithm_choose_watched(
        collective, q->model.P, &c->args, &c->model, by != NULL ? by->watch : NULL,
        by != NULL ? by->arg : NULL, &choice));
    char list[MAX_LIST];

    if (rc != 0)
        return NULL;
    say_unpredicted(q, choice.algorithm);
    if (choice.n_left > 0 && by != NULL && by->is_over)
        say_note("--limit %s is over: %s is the best so far; not compared, or not with each "
                 "parameter: %s",
                 option_text(q, "limit"), choice.algorithm->name,
                 names_of(choice.left, choice.n_left, list));
    else if (choice.n_left > 0)
        say_note("--algo auto: the schedules of all algorithms have more than %d messages; not "
                 "compared, or not with each parameter: %s; --algo NAME predicts one",
                 LOGP_FOLD_MESSAGES, names_of(choice.left, choice.n_left, list));
    return choice.algorithm;
}

struct problem *only_one(const struct question *q, const struct logp_algorithm *const *chosen,
                         size_t n)
{
    char list[MAX_LIST];

    return n <= 1 ? NULL
                  : option_problem("--algo", q->what.algorithm_list,
                                   "%s shows one algorithm; one of: %s", q->line.command,
                                   names_of(chosen, n, list));
}

struct problem *choose_algorithms(const struct question *q, const char *collective,
                                  const struct logp_invocation *c,
                                  const struct logp_algorithm *chosen[MAX_ALGORITHMS], size_t *n)
{
    *n = 0;
    TRY(use_found(q, collective, c));
    if (q->what.list == NULL && q->what.algorithms != ALGORITHMS_NAMED)
        note_all_differing(q, collective, c);
    if ((q->line.sets & OPTIONS_SWEEP) == 0)
        say_differing(q);
    if (q->what.list != NULL) {
        TRY(steps_of_file(q, c, &chosen[0]));
        *n = 1;
        return NULL;
    }
    if (q->what.algorithms == ALGORITHMS_NAMED)
        return choose_named(q, collective, c, chosen, n);
    if (!any_applies(collective, q->model.P, c))
        return (q->line.sets & OPTIONS_SWEEP) != 0 ? NULL : none_applies(q, collective, c);
    if (q->what.algorithms == ALGORITHMS_ALL) {
        *n = choose_all(q, collective, c, chosen);
        return NULL;
    }
    chosen[0] = choose_best(q, collective, c);
    *n = 1;
    return NULL;
}

struct problem *resolve_asked(struct question *q, struct asked *a)
{
    TRY(make_invocation(q, a->collective, &a->c));
    return choose_algorithms(q, a->collective, &a->c, a->chosen, &a->n);
}

struct problem *asked_algorithms(struct question *q, struct asked *out)
{
    TRY(named_collective(q, &out->collective));
    return resolve_asked(q, out);
}

struct problem *refuse_point(const struct question *q, const char *collective,
                             const struct logp_invocation *c)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    struct question alone = *q;
    size_t n;

    alone.line.sets &= ~(uint64_t)OPTIONS_SWEEP;
    return choose_algorithms(&alone, collective, c, chosen, &n);
}

bool knob_value(const struct logp_algorithm *a, const char *name, int64_t P,
                const struct logp_invocation *c, int64_t *value)
{
    const bool has_it = logp_algorithm_knob(a, logp_knob_find(name), P, &c->args, &c->model, value);

    if (has_it && *value == LOGP_PREDICTION_NO_MEMORY)
        need_memory(-ENOMEM);
    return has_it;
}

struct logp_prediction predict_by(const struct logp_algorithm *a, int64_t P,
                                  const struct logp_invocation *c, enum logp_basis by)
{
    const struct logp_prediction p = logp_algorithm_predict_by(a, P, &c->args, &c->model, by);

    if (p.certainty == LOGP_PREDICTION_NONE && p.ns == LOGP_PREDICTION_NO_MEMORY)
        need_memory(-ENOMEM);
    return p;
}

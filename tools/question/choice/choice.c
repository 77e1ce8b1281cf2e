/* SPDX-License-Identifier: MIT */
/* The collective and the algorithms that the command line names, checked. */
#include "question/choice/choice.h"
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

const char *named_collective(const struct question *q)
{
    const struct logp_collective *c;
    struct names names = {0};
    char list[MAX_LIST];

    if (q->what.list != NULL && q->line.n_words > 1)
        bad_usage("%s: give either a collective or --schedule FILE, not both", q->line.words[1]);
    if (q->what.list != NULL)
        return q->what.as != NULL ? q->what.as->name : "schedule";
    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++)
        add_name(&names, c->name);
    if (q->line.n_words < 2)
        bad_usage("%s: which collective? %s", q->line.words[0], one_of(&names, NULL, list));
    if (find_name(&names, q->line.words[1]) < 0)
        bad_usage("%s %s: no such collective; %s", q->line.words[0], q->line.words[1],
                  one_of(&names, q->line.words[1], list));
    if (q->line.n_words > 2)
        bad_usage("%s: unexpected argument; %s", q->line.words[2],
                  is_unit(q->line.words[2])
                      ? "put no space between a number and its unit, as in 5us"
                      : "give one collective");
    return q->line.words[1];
}

/* Describe the needs of an algorithm, and which of them the environment does not meet.
 * @return buf */
static const char *needed(const struct question *q, const struct logp_algorithm *a,
                          const struct logp_invocation *c, char buf[256])
{
    static const char *const names[] = {"P", "k"};
    struct logp_network bare = c->model;
    const char *needs = logp_algorithm_needs(a, q->model.P, &c->args, &c->model);
    int n;

    bare.undelayed = true;
    if (over_processes(q) && !c->model.undelayed &&
        logp_algorithm_needs(a, q->model.P, &c->args, &bare) == NULL)
        needs = "--transport mailbox, --delay none and --clock wall";
    n = snprintf(buf, 256, "%s", needs);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char variable[32];

        if (n < 256 && option_is_preset(names[i]))
            n += snprintf(buf + n, 256 - (size_t)n, "; %s '%s'", option_shown(names[i], variable),
                          option_text(names[i]));
    }
    return buf;
}

const char *names_of(const struct logp_algorithm *const *rows, size_t n, char list[MAX_LIST])
{
    struct names names = {0};

    for (size_t i = 0; i < n; i++)
        add_name(&names, rows[i]->name);
    return list_names(&names, " and ", list);
}

/* Algorithms that may leave ranks with different results of an operation for which the results
 * have to be equal; each once. */
static struct {
    const struct logp_algorithm *algorithm[MAX_ALGORITHMS];
    size_t n;
    const struct logp_op *op; /* the first */
    bool is_said;
} differing;

static void note_differing(const struct logp_algorithm *a, const struct logp_invocation *c)
{
    size_t i = 0;

    while (i < differing.n && differing.algorithm[i] != a)
        i++;
    if (i < differing.n || differing.n == MAX_ALGORITHMS)
        return;
    if (differing.n == 0)
        differing.op = c->args.op;
    differing.algorithm[differing.n++] = a;
}

/* Note all rows that apply. */
static void note_all_differing(const struct question *q, const char *collective,
                               const struct logp_invocation *c)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++)
        if (!logp_algorithm_same_results(a, &c->args) &&
            logp_algorithm_needs(a, q->model.P, &c->args, &c->model) == NULL)
            note_differing(a, c);
}

static void say_differing(void)
{
    char list[MAX_LIST];

    if (differing.n > 0 && !differing.is_said)
        say_note("%s %s %s left out because the ranks may get different bits of a %s of %s; "
                 "--same-results no allows that",
                 differing.algorithm[0]->collective,
                 names_of(differing.algorithm, differing.n, list), differing.n > 1 ? "are" : "is",
                 differing.op->name, differing.op->type);
    differing.is_said = true;
}

/* Algorithms that did not apply, each once. */
static struct {
    const struct logp_algorithm *algorithm;
    const char *needs;
} left_out[MAX_ALGORITHMS];
static size_t n_left_out;

/* Whether the algorithm does not apply here. */
static bool leave_out(const struct question *q, const struct logp_algorithm *a,
                      const struct logp_invocation *c)
{
    const char *needs = logp_algorithm_needs(a, q->model.P, &c->args, &c->model);
    size_t i = 0;

    if (needs == NULL && !logp_algorithm_same_results(a, &c->args)) {
        note_differing(a, c);
        return true;
    }
    while (i < n_left_out && left_out[i].algorithm != a)
        i++;
    if (needs == NULL || i < n_left_out || n_left_out == MAX_ALGORITHMS)
        return needs != NULL;
    if (!c->model.undelayed && a->steps == NULL) /* no note: it is for undelayed networks */
        return true;
    left_out[n_left_out].algorithm = a;
    left_out[n_left_out++].needs = needs;
    if ((q->line.sets & OPTIONS_SWEEP) == 0)
        say_note("%s %s is left out because it needs %s", a->collective, a->name, needs);
    return true;
}

void say_left_out(void)
{
    say_differing();
    for (size_t i = 0; i < n_left_out; i++)
        say_note("%s %s is left out where it does not apply, because it needs %s",
                 left_out[i].algorithm->collective, left_out[i].algorithm->name, left_out[i].needs);
}

static void add_named(const struct question *q, const char *collective,
                      const struct logp_invocation *c, const char *name,
                      const struct logp_algorithm **chosen, size_t *n)
{
    const struct logp_algorithm *a, *found = logp_algorithm_find(collective, name);
    struct names names = {{"all", "auto"}, 2};
    char list[MAX_LIST], text[256];

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++)
        add_name(&names, a->name);
    if (algorithm_word(name) != ALGORITHMS_NAMED)
        bad_option("--algo", q->what.algorithm_list,
                   "%s is combined with no other name; remove it or the others", name);
    if (found == NULL)
        bad_option("--algo", q->what.algorithm_list, "'%s': %s", name, one_of(&names, name, list));
    if (*n == MAX_ALGORITHMS)
        bad_option("--algo", q->what.algorithm_list, "at most %d names", MAX_ALGORITHMS);
    if ((q->line.sets & OPTIONS_SWEEP) != 0 && leave_out(q, found, c))
        return;
    if (logp_algorithm_needs(found, q->model.P, &c->args, &c->model) != NULL)
        bad_option("--algo", name, "needs %s", needed(q, found, c, text));
    if (!logp_algorithm_same_results(found, &c->args))
        bad_option(
            "--algo", name,
            "the ranks may get different bits of a %s of %s; type --same-results no to allow "
            "that",
            c->args.op->name, c->args.op->type);
    chosen[(*n)++] = found;
}

static size_t choose_named(const struct question *q, const char *collective,
                           const struct logp_invocation *c, const struct logp_algorithm **chosen)
{
    char *list = or_end(strdup(q->what.algorithm_list)), *save = NULL;
    size_t n = 0;

    for (char *name = strtok_r(list, ",", &save); name != NULL; name = strtok_r(NULL, ",", &save))
        add_named(q, collective, c, name, chosen, &n);
    free(list);
    if (n == 0 && strspn(q->what.algorithm_list, ",") == strlen(q->what.algorithm_list))
        bad_option("--algo", q->what.algorithm_list, "at least one name");
    return n;
}

static size_t choose_all(const struct question *q, const char *collective,
                         const struct logp_invocation *c, const struct logp_algorithm **chosen)
{
    const struct logp_algorithm *a;
    size_t n = 0;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL && n < MAX_ALGORITHMS; i++)
        if (!leave_out(q, a, c))
            chosen[n++] = a;
    return n;
}

void none_applies(const struct question *q, const char *collective, const struct logp_invocation *c)
{
    const struct logp_algorithm *a = logp_algorithm_at(collective, 0);
    char text[256];

    needed(q, a, c, text);
    if (option_given("algo"))
        bad_option("--algo", q->what.algorithm_list, "no algorithm of %s applies here; %s needs %s",
                   collective, a->name, text);
    bad_usage("%s %s, P = %lld: no algorithm applies; %s needs %s", q->line.words[0], collective,
              (long long)q->model.P, a->name, text);
}

/* Note once which algorithm is taken where there are no predictions: where links differ or sends
 * wait, beyond the P that can be folded. */
static void say_unpredicted(const struct question *q, const struct logp_algorithm *best)
{
    static bool said;

    if (said || q->model.P <= LOGP_FOLD_P || q->what.algorithms != ALGORITHMS_AUTO ||
        q->what.list != NULL ||
        (q->model.network.links == NULL && q->model.network.rendezvous_from == 0))
        return;
    said = true;
    say_note(
        "--algo auto: with %s there is no prediction beyond %d processors; without it %s is the "
        "best",
        q->model.network.rendezvous_from > 0 ? "--rendezvous" : links_option(q), LOGP_FOLD_P,
        best->name);
}

/* The steps of a file go by its name, without control characters. */
static const struct logp_algorithm *steps_of_file(const struct question *q,
                                                  const struct logp_invocation *c)
{
    static struct logp_algorithm row;
    static char name[64];
    const char *file = option_text("schedule"), *base = strrchr(file, '/');

    snprintf(name, sizeof(name), "%s", base != NULL ? base + 1 : file);
    for (char *s = name; *s != '\0'; s++)
        if (iscntrl((unsigned char)*s))
            *s = '?';
    row = q->what.as == NULL
              ? *listed_algorithm(q->model.P, c)
              : *listed_collective(q->model.P, c, q->what.as, (q->line.sets & OPTIONS_RUN) != 0);
    row.name = name;
    return &row;
}

/* The best predicted; NULL: none applies. */
static const struct logp_algorithm *choose_best(const struct question *q, const char *collective,
                                                const struct logp_invocation *c)
{
    struct logp_choice choice;
    const int rc = logp_algorithm_choose(collective, q->model.P, &c->args, &c->model, &choice);
    char list[MAX_LIST];

    if (rc == -ENOMEM)
        bad_usage("no memory");
    if (rc != 0)
        return NULL;
    say_unpredicted(q, choice.algorithm);
    if (choice.n_left > 0)
        say_note("--algo auto: the schedules of all algorithms have more than %d messages; not "
                 "compared: %s; --algo NAME predicts one",
                 LOGP_FOLD_MESSAGES, names_of(choice.left, choice.n_left, list));
    return choice.algorithm;
}

bool any_applies(const char *collective, int64_t P, const struct logp_invocation *c)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++)
        if (logp_algorithm_needs(a, P, &c->args, &c->model) == NULL)
            return true;
    return false;
}

size_t choose_algorithms(const struct question *q, const char *collective,
                         const struct logp_invocation *c,
                         const struct logp_algorithm *chosen[MAX_ALGORITHMS])
{
    size_t n = 1;

    use_found(q, collective, c);
    if (q->what.list == NULL && q->what.algorithms != ALGORITHMS_NAMED)
        note_all_differing(q, collective, c);
    if ((q->line.sets & OPTIONS_SWEEP) == 0)
        say_differing();
    if (q->what.list != NULL)
        chosen[0] = steps_of_file(q, c);
    else if (q->what.algorithms == ALGORITHMS_NAMED)
        n = choose_named(q, collective, c, chosen);
    else if (any_applies(collective, q->model.P, c) && q->what.algorithms == ALGORITHMS_ALL)
        n = choose_all(q, collective, c, chosen);
    else if (any_applies(collective, q->model.P, c))
        chosen[0] = choose_best(q, collective, c);
    else if ((q->line.sets & OPTIONS_SWEEP) != 0)
        n = 0;
    else
        none_applies(q, collective, c);
    return n;
}

void refuse_point(const struct question *q, const char *collective, const struct logp_invocation *c)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    struct question alone = *q;

    alone.line.sets &= ~(unsigned)OPTIONS_SWEEP;
    choose_algorithms(&alone, collective, c, chosen);
}

int or_end_without_memory(int rc)
{
    if (rc == -ENOMEM)
        bad_usage("no memory");
    return rc;
}

bool knob_value(const struct logp_algorithm *a, const char *name, int64_t P,
                const struct logp_invocation *c, int64_t *value)
{
    const bool has_it = logp_algorithm_knob(a, logp_knob_find(name), P, &c->args, &c->model, value);

    if (has_it && *value == LOGP_PREDICTION_NO_MEMORY)
        or_end_without_memory(-ENOMEM);
    return has_it;
}

struct logp_prediction predict_by(const struct logp_algorithm *a, int64_t P,
                                  const struct logp_invocation *c, enum logp_basis by)
{
    const struct logp_prediction p = logp_algorithm_predict_by(a, P, &c->args, &c->model, by);

    if (p.certainty == LOGP_PREDICTION_NONE && p.ns == LOGP_PREDICTION_NO_MEMORY)
        or_end_without_memory(-ENOMEM);
    return p;
}

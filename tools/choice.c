/* SPDX-License-Identifier: MIT */
/* Which collective is meant, and which of its algorithms: a row for each. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

const char *named_collective(const struct options *o)
{
    size_t n;
    const struct logp_collective *all = logp_collectives(&n);
    struct names names = {0};
    char list[MAX_LIST];
    bool known = false;

    if (o->list != NULL && o->n_words > 1)
        bad_usage("%s: no collective beside the schedule of a file", o->words[1]);
    if (o->list != NULL)
        return "schedule";
    for (size_t i = 0; i < n; i++)
        add_name(&names, all[i].name);
    if (o->n_words < 2)
        bad_usage("%s: which collective? %s", o->words[0], one_of(&names, NULL, list));
    for (size_t i = 0; i < n && !known; i++)
        known = strcmp(all[i].name, o->words[1]) == 0;
    if (!known)
        bad_usage("%s %s: no such collective; %s", o->words[0], o->words[1],
                  one_of(&names, o->words[1], list));
    if (o->n_words > 2)
        bad_usage("%s: unexpected word; one collective at a time", o->words[2]);
    return o->words[1];
}

/* What an algorithm needs, and what the environment says of it instead; into buf, which is
 * returned. */
static const char *needed(const struct options *o, const struct logp_algorithm *a,
                          const struct logp_coll *c, char buf[256])
{
    static const char *const names[] = {"P", "k"};
    int n = snprintf(buf, 256, "%s", logp_algorithm_needs(a, o->P, c));

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char variable[32];

        if (n < 256 && option_in_environment(names[i]))
            n += snprintf(buf + n, 256 - (size_t)n, "; %s '%s'", option_shown(names[i], variable),
                          option_text(names[i]));
    }
    return buf;
}

static void add_named(const struct options *o, const char *collective, const struct logp_coll *c,
                      const char *name, struct row *rows, size_t *n)
{
    size_t n_all;
    const struct logp_algorithm *all = logp_algorithms(&n_all);
    const struct logp_algorithm *found = logp_algorithm_find(collective, name);
    struct names names = {{"all", "auto"}, 2};
    char list[MAX_LIST], text[256];

    for (size_t i = 0; i < n_all; i++)
        if (strcmp(all[i].collective, collective) == 0)
            add_name(&names, all[i].name);
    if (strcmp(name, "all") == 0 || strcmp(name, "auto") == 0)
        bad_option("--algo", o->algorithm_list, "%s stands alone", name);
    if (found == NULL)
        bad_option("--algo", o->algorithm_list, "'%s': %s", name, one_of(&names, name, list));
    if (*n == MAX_ALGORITHMS)
        bad_option("--algo", o->algorithm_list, "at most %d names", MAX_ALGORITHMS);
    if (logp_algorithm_needs(found, o->P, c) != NULL)
        bad_option("--algo", name, "needs %s", needed(o, found, c, text));
    rows[(*n)++].algorithm = found;
}

static size_t choose_named(const struct options *o, const char *collective,
                           const struct logp_coll *c, struct row *rows)
{
    char *list = strdup(o->algorithm_list), *save = NULL;
    size_t n = 0;

    if (list == NULL)
        bad_usage("no memory");
    for (char *name = strtok_r(list, ",", &save); name != NULL; name = strtok_r(NULL, ",", &save))
        add_named(o, collective, c, name, rows, &n);
    free(list);
    if (n == 0)
        bad_option("--algo", o->algorithm_list, "at least one name");
    return n;
}

static void add_if_it_applies(const struct options *o, const struct logp_algorithm *a,
                              const struct logp_coll *c, struct row *rows, size_t *n)
{
    const char *needs = logp_algorithm_needs(a, o->P, c);

    if (needs != NULL)
        fprintf(stderr, "logp: %s %s is left out: it needs %s\n", a->collective, a->name, needs);
    else if (*n < MAX_ALGORITHMS)
        rows[(*n)++].algorithm = a;
}

_Noreturn static void none_applies(const struct options *o, const char *collective,
                                   const struct logp_coll *c)
{
    size_t n;
    const struct logp_algorithm *a = logp_algorithms(&n);
    char text[256];

    while (strcmp(a->collective, collective) != 0)
        a++;
    needed(o, a, c, text);
    if (option_given("algo"))
        bad_option("--algo", o->algorithm_list, "no algorithm of %s applies here; %s needs %s",
                   collective, a->name, text);
    bad_usage("%s %s, P = %lld: no algorithm applies; %s needs %s", o->words[0], collective,
              (long long)o->P, a->name, text);
}

size_t choose_algorithms(const struct options *o, const char *collective, const struct logp_coll *c,
                         struct row *rows)
{
    size_t n_all, n = 0;
    const struct logp_algorithm *all = logp_algorithms(&n_all);

    if (o->list != NULL) {
        rows[0].algorithm = listed_algorithm(o, c);
        n = 1;
    } else if (strcmp(o->algorithm_list, "auto") == 0) {
        rows[0].algorithm = logp_algorithm_best(collective, o->P, c);
        n = rows[0].algorithm != NULL;
    } else if (strcmp(o->algorithm_list, "all") == 0) {
        if (logp_algorithm_best(collective, o->P, c) == NULL)
            none_applies(o, collective, c);
        for (size_t i = 0; i < n_all && n < MAX_ALGORITHMS; i++)
            if (strcmp(all[i].collective, collective) == 0)
                add_if_it_applies(o, &all[i], c, rows, &n);
    } else {
        n = choose_named(o, collective, c, rows);
    }
    if (n == 0)
        none_applies(o, collective, c);
    return n;
}

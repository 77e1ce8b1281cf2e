/* SPDX-License-Identifier: MIT */
/* Which algorithms apply, and what the others need. */
#include "question/choice/choice.h"

#include <stdio.h>

/* Describe the needs of an algorithm, and which of them the environment does not meet.
 * @return buf */
const char *needed(const struct question *q, const struct logp_algorithm *a,
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

        if (n < 256 && option_is_preset(q, names[i]))
            n += snprintf(buf + n, 256 - (size_t)n, "; %s '%s'",
                          option_shown(q, names[i], variable), option_text(q, names[i]));
    }
    return buf;
}

bool any_applies(const char *collective, int64_t P, const struct logp_invocation *c)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++)
        if (logp_algorithm_needs(a, P, &c->args, &c->model) == NULL)
            return true;
    return false;
}

struct problem *none_applies(const struct question *q, const char *collective,
                             const struct logp_invocation *c)
{
    const struct logp_algorithm *a = logp_algorithm_at(collective, 0);
    char text[256];

    needed(q, a, c, text);
    if (option_given(q, "algo"))
        return option_problem("--algo", q->what.algorithm_list,
                              "no algorithm of %s applies here; %s needs %s", collective, a->name,
                              text);
    return usage_problem("%s %s, P = %lld: no algorithm applies; %s needs %s", q->line.words[0],
                         collective, (long long)q->model.P, a->name, text);
}

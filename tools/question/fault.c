/* SPDX-License-Identifier: MIT */
/* --fault and --noise. The library parses them (logp/delay.h) and words the errors. */
#include "question/rows.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool is_faulty(const struct question *q)
{
    return q->model.network.faults != NULL || q->model.network.noise != NULL;
}

/* Check the text, the value of --fault or --noise, by the library. */
static struct problem *check(const struct question *q, const char *option, const char *text)
{
    const struct logp_network network = {.faults = q->model.network.faults,
                                         .noise = q->model.network.noise,
                                         .unit_ns = q->model.unit_ns};
    const int64_t P = q->model.P < LOGP_MAX_PROCESSORS ? q->model.P : LOGP_MAX_PROCESSORS;
    struct logp_delay delay;
    char why[LOGP_NETWORK_WHY];
    int rc;

    if (!q->model.emulated && q->model.plugin == NULL)
        return option_problem(option, text, "needs %s",
                              (q->line.sets & OPTIONS_MPIRUN) != 0
                                  ? "a network: type -L 6us or --machine NAME, too"
                                  : "a delay model other than none");
    rc = logp_network_delay(&network, P, NULL, &delay, why);
    logp_delay_destroy(&delay);
    if (rc != 0) {
        const size_t n = strlen(text);
        const bool alone = strncmp(why, text, n) == 0 && strncmp(why + n, ": ", 2) == 0;

        return option_problem(option, text, "%s",
                              why[0] == '\0' ? "no memory"
                              : alone        ? why + n + 2
                                             : why);
    }
    return NULL;
}

static struct problem *apply(struct question *q, const char *option, const char *text,
                             const char **field)
{
    *field = NULL;
    if (*text == '\0' || strcmp(text, "none") == 0)
        return NULL;
    if (strcmp(option, "--noise") == 0 && strchr(text, ':') == NULL && access(text, R_OK) == 0)
        return must_be(option, text, "file:%s for the samples of this file", text);
    *field = text;
    return check(q, option, text);
}

/* Refuse faults that lose or change messages: for a measurement each must
 * arrive once, as it was sent. */
static struct problem *refuse_losses(const char *option, const char *text)
{
    static const struct names harmless = {{"delay", "slow"}, 2};

    for (const char *s = text; *s != '\0';) {
        const size_t n = strcspn(s, ",;");
        char name[32];

        snprintf(name, sizeof(name), "%.*s", (int)strcspn(s, ":@,;"), s);
        if (find_name(&harmless, name) < 0)
            return option_problem(
                option, text,
                "%s: delay or slow for a measurement: each message must arrive once and unchanged",
                name);
        s += n + (s[n] != '\0');
    }
    return NULL;
}

static struct problem *apply_fault(struct question *q, const char *option, const char *text)
{
    TRY(apply(q, option, text, &q->model.network.faults));
    if (q->model.network.faults != NULL && (q->line.sets & OPTIONS_MEASURE) != 0)
        TRY(refuse_losses(option, text));
    return NULL;
}

static struct problem *apply_noise(struct question *q, const char *option, const char *text)
{
    return apply(q, option, text, &q->model.network.noise);
}

static const char *forms(bool noise, char buf[MAX_LIST])
{
    const struct logp_fault_kind *kind;
    struct names names = {0};

    for (size_t i = 0; (kind = logp_fault_kind_at(i)) != NULL; i++)
        if (kind->is_noise == noise)
            add_name(&names, kind->form);
    return list_names(&names, ", ", buf);
}

static const char *fault_forms(const struct question *q, char buf[MAX_LIST])
{
    (void)q;
    return forms(false, buf);
}

static const char *noise_forms(const struct question *q, char buf[MAX_LIST])
{
    (void)q;
    return forms(true, buf);
}

const struct option_row fault_options[] = {
    {"fault", "SPEC", "%s; @A-B:FROM..TO: ranks and time", "none", "",
     OPTIONS_FAULT | OPTIONS_MPIRUN | OPTIONS_EXPLORE | OPTIONS_MEASURE, .apply = apply_fault,
     .choices = fault_forms, .several = true},
    {"noise", "SPEC", "random or periodic delays of overheads: %s", "none", "",
     OPTIONS_FAULT | OPTIONS_MPIRUN | OPTIONS_EXPLORE | OPTIONS_MEASURE, .apply = apply_noise,
     .choices = noise_forms, .several = true},
    {0},
};

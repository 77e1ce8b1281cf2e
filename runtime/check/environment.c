/* SPDX-License-Identifier: MIT */
/* The settings of a check that the environment replaces: see logp_check(). */
#include "kit.h"

#include <errno.h>
#include <string.h>

const char *lpi_variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

static bool read_number(const char *text, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool read_seconds(const char *text, int64_t *ns)
{
    const char *at = text;
    double s;

    if (lpi_text_read_fraction(&at, &s) != 0 || *at != '\0' || !(s > 0 && s < 1e9))
        return false;
    *ns = (int64_t)(s * 1e9);
    return true;
}

static bool read_strategy(const char *text, enum logp_strategy *out)
{
    static const char *const names[] = {[LOGP_STRATEGY_RANDOM] = "random",
                                        [LOGP_STRATEGY_PCT] = "pct",
                                        [LOGP_STRATEGY_EXHAUSTIVE] = "exhaustive"};

    for (int i = LOGP_STRATEGY_RANDOM; i <= LOGP_STRATEGY_EXHAUSTIVE; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum logp_strategy)i;
            return true;
        }
    return false;
}

void lpi_environment_tell(struct lpi_text *t)
{
    static const char *const names[] = {"LOGP_CHECK_STRATEGY", "LOGP_CHECK_RUNS", "LOGP_CHECK_SEED",
                                        "LOGP_CHECK_SECONDS", "LOGP_CHECK_REGRESSIONS"};
    const char *before = "set by the environment: ";

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (lpi_variable(names[i]) != NULL) {
            lpi_text_add(t, "%s%s=%s", before, names[i], lpi_variable(names[i]));
            before = ", ";
        }
    if (*before == ',')
        lpi_text_add(t, "\n");
}

const char *lpi_environment(struct logp_check *c)
{
    uint64_t cores;
    const char *s;

    if ((s = lpi_variable("LOGP_CHECK_STRATEGY")) != NULL && !read_strategy(s, &c->strategy))
        return "LOGP_CHECK_STRATEGY: random, pct or exhaustive";
    if ((s = lpi_variable("LOGP_CHECK_RUNS")) != NULL &&
        (!read_number(s, &c->runs) || c->runs == 0))
        return "LOGP_CHECK_RUNS: a number of runs, at least 1";
    if ((s = lpi_variable("LOGP_CHECK_SEED")) != NULL && !read_number(s, &c->seed))
        return "LOGP_CHECK_SEED: a number from 0 to 18446744073709551615";
    if ((s = lpi_variable("LOGP_CHECK_SECONDS")) != NULL && !read_seconds(s, &c->time_ns))
        return "LOGP_CHECK_SECONDS: a number above 0, as in 2.5";
    if ((s = lpi_variable("LOGP_CHECK_CORES")) != NULL) {
        if (!read_number(s, &cores) || cores < 1 || cores > 256)
            return "LOGP_CHECK_CORES: a number of processes, 1 .. 256";
        c->cores = (int)cores;
    }
    if ((s = lpi_variable("LOGP_CHECK_REGRESSIONS")) != NULL)
        c->regressions = s;
    return NULL;
}

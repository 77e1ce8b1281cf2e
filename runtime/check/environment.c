/* SPDX-License-Identifier: MIT */
/* The settings of a check that the environment replaces: see logp_check(). */
#define _GNU_SOURCE
#include "kit.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAME = 128 };

const char *lpi_variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

/* Whether it differs from shell to shell, or is the library's own. */
static bool is_left_out(const char *variable, size_t n)
{
    static const char *const names[] = {"_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == n && strncmp(names[i], variable, n) == 0)
            return true;
    return strncmp(variable, "LOGP_", 5) == 0 || n == 0 || n > MOST_NAME ||
           strcspn(variable, " \n\\") < n;
}

/* An entry of a list for a variable, NAME=VALUE. */
static void entry_of(const char *variable, size_t n, char entry[MOST_NAME + 8])
{
    uint64_t hash = 0;

    for (const char *c = variable + n; *c != '\0'; c++)
        hash = lpi_kit_mix(hash ^ (unsigned char)*c);
    snprintf(entry, MOST_NAME + 8, "%.*s=%04x", (int)n, variable, (unsigned)(hash & 0xffff));
}

void lpi_environment_list(struct lpi_text *t)
{
    const char *before = "";
    char entry[MOST_NAME + 8];

    for (char **v = environ; v != NULL && *v != NULL; v++) {
        const size_t n = strcspn(*v, "=");

        if (is_left_out(*v, n))
            continue;
        entry_of(*v, n, entry);
        lpi_text_add(t, "%s%s", before, entry);
        before = " ";
    }
}

/* Find an entry, or with n > 0 one of the same n first characters, in a list. */
static bool has_entry(const char *list, const char *entry, size_t n)
{
    const size_t length = n > 0 ? n : strlen(entry);

    for (const char *at = list; *at != '\0';) {
        if (strncmp(at, entry, length) == 0 && (n > 0 || strchr(" ", at[length]) != NULL))
            return true;
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return false;
}

void lpi_environment_differences(struct lpi_text *t, const char *list)
{
    struct lpi_text now = {0};
    const char *before = "the environment differs from that of the failure: ";

    lpi_environment_list(&now);
    for (int i = 0; i < 2 && !now.failed && now.s != NULL; i++) {
        const char *other = i == 0 ? now.s : list;

        for (const char *at = i == 0 ? list : now.s; *at != '\0';) {
            const size_t n = strcspn(at, "="), end = strcspn(at, " ");
            char entry[MOST_NAME + 8];

            if (n < end && end < sizeof(entry)) {
                snprintf(entry, sizeof(entry), "%.*s", (int)end, at);
                /* one with another value is named once */
                if (!has_entry(other, entry, 0) && (i == 0 || !has_entry(other, entry, n + 1))) {
                    lpi_text_add(t, "%s%.*s", before, (int)n, at);
                    before = ", ";
                }
            }
            at += end + (at[end] == ' ');
        }
    }
    if (*before == ',')
        lpi_text_add(t, "\n");
    free(now.s);
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
                                        [LOGP_STRATEGY_EXHAUSTIVE] = "exhaustive",
                                        [LOGP_STRATEGY_DELAYS] = "delays"};

    for (int i = LOGP_STRATEGY_RANDOM; i <= LOGP_STRATEGY_DELAYS; i++)
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

/* @return "NAME must be RULE, not 'VALUE'", until the next call on this thread */
static const char *must_be(const char *name, const char *rule, const char *value)
{
    static _Thread_local char wrong[200];

    snprintf(wrong, sizeof(wrong), "%s must be %s, not '%.60s'", name, rule, value);
    return wrong;
}

/* Whether a file of this name can be written, or made. It is not made, since an empty file is not
 * XML. */
static bool can_be_written(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat there;
    char folder[4096];

    if (stat(path, &there) == 0)
        return !S_ISDIR(there.st_mode) && access(path, W_OK) == 0;
    if (slash == NULL)
        return access(".", W_OK | X_OK) == 0;
    snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return slash[1] != '\0' && access(folder, W_OK | X_OK) == 0;
}

/* A variable whose name begins as those of checks, but is none of them. NULL: there is none */
static const char *unknown(void)
{
    static const char prefix[] = "LOGP_CHECK_";
    static const char *const names[] = {"CONFIRM", "CORES", "JUNIT",    "REGRESSIONS", "RUNS",
                                        "SECONDS", "SEED",  "SMALLEST", "STRATEGY"};
    static _Thread_local char wrong[240];

    for (char **v = environ; v != NULL && *v != NULL; v++) {
        const size_t n = strcspn(*v, "="), first = sizeof(prefix) - 1;
        bool is_known = false;
        int length;

        if (strncmp(*v, prefix, first) != 0 || (*v)[n] == '\0' || (*v)[n + 1] == '\0')
            continue;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            is_known = is_known || (strlen(names[i]) == n - first &&
                                    strncmp(*v + first, names[i], n - first) == 0);
        if (is_known)
            continue;
        length = snprintf(wrong, sizeof(wrong), "%.*s is not a variable of checks, which are %s",
                          n < 60 ? (int)n : 60, *v, prefix);
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            length += snprintf(wrong + length, sizeof(wrong) - (size_t)length, "%s%s",
                               i > 0 ? ", " : "", names[i]);
        return wrong;
    }
    return NULL;
}

const char *lpi_environment(struct logp_check *c)
{
    uint64_t cores, smallest;
    const char *s;

    if ((s = lpi_variable("LOGP_CHECK_STRATEGY")) != NULL && !read_strategy(s, &c->strategy))
        return must_be("LOGP_CHECK_STRATEGY", "random, pct, exhaustive or delays", s);
    if ((s = lpi_variable("LOGP_CHECK_RUNS")) != NULL &&
        (!read_number(s, &c->runs) || c->runs == 0))
        return must_be("LOGP_CHECK_RUNS", "a number of runs, at least 1", s);
    if ((s = lpi_variable("LOGP_CHECK_SEED")) != NULL && !read_number(s, &c->seed))
        return must_be("LOGP_CHECK_SEED", "a number from 0 to 18446744073709551615", s);
    if ((s = lpi_variable("LOGP_CHECK_SECONDS")) != NULL && !read_seconds(s, &c->time_ns))
        return must_be("LOGP_CHECK_SECONDS", "a number above 0, as in 2.5", s);
    if ((s = lpi_variable("LOGP_CHECK_CORES")) != NULL) {
        if (!read_number(s, &cores) || cores < 1 || cores > 256)
            return must_be("LOGP_CHECK_CORES", "a number of processes, 1 .. 256", s);
        c->cores = (int)cores;
    }
    if ((s = lpi_variable("LOGP_CHECK_SMALLEST")) != NULL) {
        if (!read_number(s, &smallest) || smallest > INT32_MAX)
            return must_be("LOGP_CHECK_SMALLEST", "a number of runs, 0 .. 2147483647", s);
        c->smallest_runs = smallest > 0 ? (int64_t)smallest : -1;
    }
    if ((s = lpi_variable("LOGP_CHECK_CONFIRM")) != NULL && strcmp(s, "0") != 0 &&
        strcmp(s, "1") != 0)
        return must_be("LOGP_CHECK_CONFIRM", "0 or 1", s);
    if ((s = lpi_variable("LOGP_CHECK_JUNIT")) != NULL && !can_be_written(s))
        return must_be("LOGP_CHECK_JUNIT", "a file that can be written", s);
    if ((s = lpi_variable("LOGP_CHECK_REGRESSIONS")) != NULL)
        c->regressions = s;
    return unknown();
}

/* SPDX-License-Identifier: MIT */
/* The values of the options that a run depends on, and of those about output. */
#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void apply_clock(struct options *o, const char *option, const char *text)
{
    o->clock = either(option, text, "wall", "virtual") ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL;
}

void apply_executor(struct options *o, const char *option, const char *text)
{
    struct names names = {0};

    for (const char *const *name = logp_executors(); *name != NULL; name++) {
        if (strcmp(*name, text) == 0) {
            o->executor = *name;
            return;
        }
        add_name(&names, *name);
    }
    refuse_name(option, text, &names);
}

void apply_plugin(struct options *o, const char *option, const char *text)
{
    char topology[32];

    o->plugin = strcmp(text, "none") != 0 ? text : NULL;
    if (o->plugin != NULL && o->topology != NULL)
        bad_option(option, text, "a delay model of one's own has no %s",
                   option_shown("topology", topology));
}

void apply_reps(struct options *o, const char *option, const char *text)
{
    int64_t n;

    if (!parse_number(text, false, 1, 10000000, &n))
        bad_option(option, text, "a number of runs, 1 .. 10000000");
    o->reps = (int)n;
}

void apply_warmup(struct options *o, const char *option, const char *text)
{
    int64_t n;

    if (!parse_number(text, false, 0, 10000000, &n))
        bad_option(option, text, "a number of runs, 0 .. 10000000");
    o->warmup = (int)n;
}

/* A core's number. @return behind it; NULL: it is none */
static const char *parse_core(const char *s, int *core)
{
    const int most = 1000000; /* more than any kernel has */

    if (*s < '0' || *s > '9')
        return NULL;
    for (*core = 0; *s >= '0' && *s <= '9' && *core <= most; s++)
        *core = 10 * *core + (*s - '0');
    return *core <= most ? s : NULL;
}

/* "0,2-5" */
void apply_cores(struct options *o, const char *option, const char *text)
{
    o->n_cores = 0;
    if (strcmp(text, "all") == 0)
        return;
    for (const char *s = text;; s++) {
        int first = 0, last = 0;

        s = parse_core(s, &first);
        last = first;
        if (s != NULL && *s == '-')
            s = parse_core(s + 1, &last);
        if (s == NULL || (*s != ',' && *s != '\0') || last < first ||
            last - first >= MAX_CORES - o->n_cores)
            bad_option(option, text, "a list of core numbers, e.g. 0,2-5");
        for (int i = first; i <= last; i++)
            o->cores[o->n_cores++] = i;
        if (*s == '\0')
            return;
    }
}

void apply_queue_limit(struct options *o, const char *option, const char *text)
{
    int64_t n;

    if (!parse_number(text, true, 1, INT64_MAX, &n))
        bad_option(option, text, "a number of bytes > 0");
    o->queue_limit = (size_t)n;
}

void apply_timeout(struct options *o, const char *option, const char *text)
{
    int64_t ps;

    if (!parse_time_ps(text, INT64_C(1000000000000), &ps) || ps < 1000)
        bad_option(option, text, "a time > 0, in seconds or with a suffix ns, us, ms or s");
    o->timeout_ns = ps / 1000;
}

void apply_seed(struct options *o, const char *option, const char *text)
{
    int64_t n;

    if (!parse_number(text, false, 0, INT64_MAX, &n))
        bad_option(option, text, "a whole number >= 0");
    o->seed = (uint64_t)n;
}

/* In the order of enum output_format. */
static const char *const formats[] = {"table", "json", "csv", "svg", "text", "goal"};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

bool is_format(const char *text, bool svg)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (strcmp(text, formats[i]) == 0)
            return i <= FORMAT_CSV || (i == FORMAT_SVG && svg);
    return false;
}

void apply_format(struct options *o, const char *option, const char *text)
{
    struct names names = {0};

    for (int i = 0; i < N_FORMATS; i++) {
        if (strcmp(text, formats[i]) == 0) {
            o->format = (enum output_format)i;
            return;
        }
        if (i != FORMAT_SVG || (o->sets & OPTIONS_SVG) != 0)
            add_name(&names, formats[i]);
    }
    refuse_name(option, text, &names);
}

void apply_progress(struct options *o, const char *option, const char *text)
{
    const bool is_auto = strcmp(text, "auto") == 0;

    if (!is_auto && strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
        refuse_name(option, text, &(struct names){{"auto", "on", "off"}, 3});
    o->progress = is_auto ? isatty(STDERR_FILENO) : strcmp(text, "on") == 0;
}

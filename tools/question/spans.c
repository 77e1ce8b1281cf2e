/* SPDX-License-Identifier: MIT */
/* The options of tables (processors, sizes, MPI library and file) and of measurements. */
#include "question/rows.h"

#include <stdlib.h>
#include <string.h>

/* Parse "A" or "A..B", numbers in [low, high]; with a step also "A..B*2" and "A..B+2": *times is
 * set for "*". It ends before a comma. @return the text after it; NULL: it is none */
static const char *parse_range(const char *text, bool bytes, int64_t low, int64_t high,
                               int64_t *first, int64_t *last, int64_t *step, bool *times)
{
    const size_t n = strcspn(text, ",");
    char buf[64], *dots, *sign;

    if (n >= sizeof(buf))
        return NULL;
    memcpy(buf, text, n);
    buf[n] = '\0';
    dots = strstr(buf, "..");
    sign = dots != NULL && step != NULL ? strpbrk(dots, "*+") : NULL;
    if (sign != NULL) {
        *times = *sign == '*';
        *sign++ = '\0';
        if (!parse_number(sign, false, *times ? 2 : 1, high, step))
            return NULL;
    }
    if (dots != NULL)
        *dots = '\0';
    if (!parse_number(buf, bytes, low, high, first) ||
        !parse_number(dots != NULL ? dots + 2 : buf, bytes, *first, high, last))
        return NULL;
    return text + n;
}

struct problem *apply_P_list(struct question *q, const char *option, const char *text)
{
    const bool explored = (q->line.sets & OPTIONS_EXPLORE) != 0;
    const char *s = option_given(q, "P") ? text : explored ? "2,3" : "2..128*2";
    const int64_t most = explored ? LOGP_MAX_PROCESSORS : INT32_MAX; /* as an MPI counts them */

    for (q->span.n_P = 0;; s++) {
        int64_t at, last, step = 1;
        bool times = false;

        s = parse_range(s, false, 1, most, &at, &last, &step, &times);
        for (; s != NULL && at <= last; at = times ? at * step : at + step) {
            if (q->span.n_P == MAX_P_LIST)
                s = NULL;
            else
                q->span.P_list[q->span.n_P++] = at;
        }
        if (s == NULL)
            return must_be(
                option, text,
                "numbers of processors, as 8 or 2,4,8..16 or '2..64*2', at most %d of them, each "
                "range from its least number",
                MAX_P_LIST);
        if (*s == '\0')
            break;
    }
    qsort(q->span.P_list, q->span.n_P, sizeof(q->span.P_list[0]), ascending);
    for (size_t i = 1; i < q->span.n_P; i++)
        if (q->span.P_list[i] == q->span.P_list[i - 1])
            return option_problem(option, text, "each number of processors once");
    q->model.P = q->span.P_list[0];
    return NULL;
}

struct problem *apply_bytes_range(struct question *q, const char *option, const char *text)
{
    const bool measured = (q->line.sets & OPTIONS_MEASURE) != 0;
    const char *const preset = measured ? "1..1Mi" : "1..16Mi";
    const char *end = parse_range(option_given(q, "bytes") ? text : preset, true, measured ? 1 : 0,
                                  INT64_C(1) << (measured ? 28 : 40), &q->span.bytes_low,
                                  &q->span.bytes_high, NULL, NULL);

    if (end == NULL || *end != '\0')
        return must_be(option, text, "sizes, the least first, as 1..64Ki, %s bytes",
                       measured ? "1 .. 2^28" : "0 .. 2^40");
    return NULL;
}

static struct problem *apply_export(struct question *q, const char *option, const char *text)
{
    (void)option; /* the command knows what there is */
    q->form.export = text;
    return NULL;
}

const struct option_row tune_options[] = {
    {"export", "FOR", "a file for openmpi, openmpi-han (levels) or mpich, or csv", "", "a table",
     OPTIONS_TUNE, .apply = apply_export, .words = "openmpi, openmpi-han, mpich, csv"},
    {0},
};

/* ---- measurements from outside ---- */

static struct problem *apply_pairs(struct question *q, const char *option, const char *text)
{
    return either(option, text, "first", "all", &q->network.all_pairs);
}

static const char *all_on(const struct question *q, char buf[MAX_LIST])
{
    const struct logp_machine_file *m;
    struct names names = {{"host"}, 1};

    (void)q;
    for (size_t i = 0; (m = logp_machine_file_at(i)) != NULL; i++)
        add_name(&names, m->name);
    return list_names(&names, ", ", buf);
}

const struct option_row measure_options[] = {
    {"pairs", "WHICH", "first: ranks 0 and 1; all: each pair, to find nodes", "first", "",
     OPTIONS_MEASURE, .apply = apply_pairs, .words = "first, all"},
    {"on", "WHAT", "host: at its own speed; or an emulated machine, by name or file", "host", "",
     OPTIONS_VALIDATE, TEXT(network.on), .choices = all_on},
    {"fit", NULL, "find the parameters that fit the measured times", "off", "", OPTIONS_VALIDATE,
     SWITCH(network.fit)},
    {0},
};

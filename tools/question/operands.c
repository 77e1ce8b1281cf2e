/* SPDX-License-Identifier: MIT */
/* The options that select the algorithm and its arguments. */
#include "question/rows.h"

#include <stdio.h>
#include <string.h>

enum algorithm_choice algorithm_word(const char *word)
{
    static const struct names words = {
        {[ALGORITHMS_AUTO - 1] = "auto", [ALGORITHMS_ALL - 1] = "all"}, 2};

    return (enum algorithm_choice)(find_name(&words, word) + 1); /* ALGORITHMS_NAMED: neither */
}

static struct problem *apply_algo(struct question *q, const char *option, const char *text)
{
    const char *last = strrchr(text, ';'); /* only mpirun may be given several */

    if ((q->line.sets & OPTIONS_MPIRUN) !=
        0) { /* it reads them itself, but not those of other commands */
        q->what.algorithm_list = option_on_command_line(q, "algo") ? text : NULL;
        return NULL;
    }
    (void)option; /* names are checked against the collective's table */
    text = last != NULL ? last + 1 : text;
    q->what.algorithm_list = text;
    q->what.algorithms = algorithm_word(text);
    return NULL;
}

static struct problem *apply_bytes(struct question *q, const char *option, const char *text)
{
    int64_t n;

    if ((q->line.sets & (OPTIONS_SPANS | OPTIONS_MEASURE)) != 0) {
        TRY(apply_bytes_range(q, option, text));
        return NULL;
    }
    if (!parse_number(text, true, 0, INT64_C(1) << 40, &n))
        return must_be(option, text,
                       "a number of bytes, 0 .. 2^40, as 8k or 8Ki (8192), or 8kB (8000)");
    q->what.n_bytes = (size_t)n;
    return NULL;
}

static struct problem *apply_root(struct question *q, const char *option, const char *text)
{
    if (!parse_number(text, false, 0, q->model.P - 1, &q->what.root))
        return must_be(option, text, "a rank, 0 .. %lld", (long long)q->model.P - 1);
    return NULL;
}

static struct problem *apply_gamma(struct question *q, const char *option, const char *text)
{
    q->model.gamma_given |= *text != '\0'; /* --machine may have */
    q->model.gamma_host = strcmp(text, "host") == 0;
    if (*text != '\0' && !q->model.gamma_host &&
        (!logp_time_parse(text, q->model.unit_ns * 1000, &q->model.network.params.gamma_ps) ||
         q->model.network.params.gamma_ps > LOGP_PARAM_MAX_NS))
        return refuse_time(option, text, "1000 s", ", or host");
    return NULL;
}

static struct problem *apply_counts(struct question *q, const char *option, const char *text)
{
    const char *s = text + strspn(text, ",");

    for (q->what.n_counts = 0; *s != '\0'; s += strspn(s, ",")) {
        const size_t n = strcspn(s, ",");
        char word[32];

        snprintf(word, sizeof(word), "%.*s", (int)n, s);
        if (q->what.n_counts == MAX_COUNTS || n >= sizeof(word) ||
            !parse_number(word, true, 0, INT64_C(1) << 36, &q->what.counts[q->what.n_counts++]))
            return must_be(option, text, "up to %d sizes, 0 .. 2^36, with commas", MAX_COUNTS);
        s += n;
    }
    if (*text != '\0' && q->what.n_counts == 0)
        return must_be(option, text, "at least one size");
    return NULL;
}

/* The names that the operations have, or their types. */
static struct names op_names(bool types)
{
    const struct logp_op *op;
    struct names names = {0};

    for (size_t i = 0; (op = logp_op_at(i)) != NULL; i++)
        add_name(&names, types ? op->type : op->name);
    return names;
}

static const char *all_types(const struct question *q, char buf[MAX_LIST])
{
    const struct names names = op_names(true);

    (void)q;
    return list_names(&names, ", ", buf);
}

static const char *all_ops(const struct question *q, char buf[MAX_LIST])
{
    const struct names names = op_names(false);

    (void)q;
    return list_names(&names, ", ", buf);
}

static struct problem *apply_type(struct question *q, const char *option, const char *text)
{
    const struct logp_op *sum = logp_op_find("sum", text);
    const struct names names = op_names(true);

    if (sum == NULL)
        return name_problem(option, text, &names);
    q->what.element_bytes = sum->element_bytes;
    q->what.type = sum->type;
    return NULL;
}

static struct problem *apply_op(struct question *q, const char *option, const char *text)
{
    const struct names names = op_names(false);

    q->what.op = logp_op_find(text, q->what.type);
    if (q->what.op == NULL)
        return name_problem(option, text, &names);
    return NULL;
}

static struct problem *apply_packing(struct question *q, const char *option, const char *text)
{
    bool none;

    TRY(either(option, text, "structured", "none", &none));
    q->what.packing = none ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED;
    return NULL;
}

static struct problem *apply_same_results(struct question *q, const char *option, const char *text)
{
    return either(option, text, "yes", "no", &q->what.may_differ);
}

const struct option_row operand_options[] = {
    {"algo", "NAMES",
     "NAME[,NAME...], all, or auto: the best predicted; mpirun: COLLECTIVE=NAME[:k=N]", "auto", "",
     OPTIONS_MODEL | OPTIONS_MPIRUN, .apply = apply_algo, .words = "auto, all", .several = true},
    {"bytes", "N", "size of a message, or of a vector of --type in place of --count", "8", "",
     OPTIONS_MODEL | OPTIONS_SPANS | OPTIONS_MEASURE, .apply = apply_bytes, .series = SERIES_BYTES},
    {"root", "R", "rank of the root", "0", "", OPTIONS_MODEL, .apply = apply_root,
     .series = SERIES_NUMBERS},
    {"gamma", "T", "time to combine two elements; host: measure it on this host", "",
     "0; summation 1", OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_TUNE | OPTIONS_NETWORK,
     .apply = apply_gamma, .series = SERIES_TIMES},
    {"count", "N", "operands of each rank (summation: in total)", "", "1; summation 10P",
     OPTIONS_MODEL,
     NUMBER(what.count, false, 1, INT64_C(1) << 40, "a number of operands, 1 .. 2^40"),
     .series = SERIES_NUMBERS},
    {"counts", "LIST", "block size of each rank in bytes or elements; repeated up to P", "",
     "equal blocks", OPTIONS_MODEL, .apply = apply_counts},
    {"type", "T", "type of operands: %s", "double", "", OPTIONS_MODEL | OPTIONS_TUNE,
     .apply = apply_type, .series = SERIES_WORDS, .choices = all_types},
    {"op", "O", "operation: %s", "sum", "", OPTIONS_MODEL | OPTIONS_TUNE, .apply = apply_op,
     .series = SERIES_WORDS, .choices = all_ops},
    {"rows", "R", "rows of the matrix to transpose", "", "P", OPTIONS_MODEL,
     NUMBER(what.rows, false, 1, INT64_C(1) << 31, "a number of rows, 1 .. 2^31"),
     .series = SERIES_NUMBERS},
    {"cols", "C", "columns of the matrix to transpose", "", "P", OPTIONS_MODEL,
     NUMBER(what.cols, false, 1, INT64_C(1) << 31, "a number of columns, 1 .. 2^31"),
     .series = SERIES_NUMBERS},
    {"packing", "KIND", "structured: one message per destination; none: one per column",
     "structured", "", OPTIONS_MODEL, .apply = apply_packing, .series = SERIES_WORDS,
     .words = "structured, none"},
    {"same-results", "WHEN",
     "yes: an allreduce gives all ranks the same bits; no: they may differ in rounding", "yes", "",
     OPTIONS_MODEL | OPTIONS_MPIRUN | OPTIONS_TUNE, .apply = apply_same_results,
     .words = "yes, no"},
    {0},
};

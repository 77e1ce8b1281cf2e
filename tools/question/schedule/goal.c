/* SPDX-License-Identifier: MIT */
/*
 * A schedule in GOAL, the text format of LogGOPSim (Hoefler et al., 2010), read and written:
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 100
 *     l2: send 8b to 1 tag 3
 *     l2 requires l1
 *     }
 *
 * Operations that no `requires` (or `irequires`: it waits only for the beginning) orders are
 * concurrent. Labels belong to their rank; they may be left out, and be required before they come.
 * Comments are // and / * * /. A receive may be from -1, any source, and with tag -1, any tag.
 * Behind an operation `cpu N` and `nic N` may name its processor and network interface.
 *
 * The file is read line by line into a graph, since it may have more text than fits into memory:
 * 10^7 operations are 600 MB. A line is read in place, where it lies in the buffer.
 */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_SHOWN = 40, /* of a label */
    CHUNK = 1 << 18, /* bytes to read at once */
    BEYOND = 16,     /* zero bytes behind the text: words are compared without a look at its end */
};

/* Of a place in the text that there is not. */
#define NOWHERE SIZE_MAX

/* In LogGOPSim's binary form a wildcard is all ones. */
static const uint64_t any_there = UINT32_MAX;

/* A demand that one label requires another, before all labels of the rank are known. */
struct demand {
    size_t after, before; /* names that are kept */
    uint32_t n_after, n_before;
    int line;
    bool started;
};

/* State of the reader: a line of the file and the place in it. */
struct goal {
    struct reading *r;
    FILE *f;
    char *text; /* a part of the file: the line, and the text after it */
    size_t n_text, capacity;
    size_t next;    /* in text: the line after this one */
    size_t item;    /* in text: the item that is being read, which stays there */
    size_t zero_at; /* in text: a zero byte */
    const char *at; /* the rest of the line */
    int line;
    uint64_t n_read, size; /* bytes of the file; size 0: it is not known */
    char place[32];
    int open;     /* line of a comment without end; 0: there is none */
    int zero;     /* line of the first zero byte, or 0 */
    int64_t rank; /* -1: between ranks */
    int64_t n;    /* operations of the rank */
    struct labels labels;
    struct demand *demands; /* of this rank, from the first on whose labels were not known */
    size_t n_demands, demand_capacity;
};

static const char form[] = "an operation is `L: send Nb to R [tag T]`, `L: recv Nb from R [tag T]` "
                           "or `L: calc NS`, an order `L requires M` or `L irequires M`";

/* The text ends within a comment without end, so that is the first problem. */
static struct problem *wrong(const struct goal *g, const char *what)
{
    const int line = g->zero > 0 ? g->zero : g->open > 0 ? g->open : g->line;

    return option_problem(g->r->option, g->r->file, "line %d: %s", line,
                          g->zero > 0   ? "a zero byte; a GOAL file is text"
                          : g->open > 0 ? "this comment has no end; write */ after it"
                                        : what);
}

static const char *place(struct goal *g)
{
    snprintf(g->place, sizeof(g->place), "line %d", g->line);
    return g->place;
}

/* ---- tokens ---- */

/* Read on behind the text. The text before the item, or else before the next line, is dropped.
 * @return false: the file has ended */
static bool read_on(struct goal *g)
{
    const size_t gone = g->item != NOWHERE ? g->item : g->next;
    size_t n;

    g->n_text -= gone;
    g->next -= gone;
    if (g->item != NOWHERE)
        g->item = 0;
    if (gone > 0)
        memmove(g->text, g->text + gone, g->n_text);
    if (g->n_text + CHUNK + BEYOND > g->capacity) {
        g->capacity = 2 * g->capacity + CHUNK + BEYOND;
        g->text = need(realloc(g->text, g->capacity));
    }
    n = fread(g->text + g->n_text, 1, CHUNK, g->f);
    if (g->zero_at != NOWHERE) {
        g->zero_at -= gone;
    } else {
        const char *zero = memchr(g->text + g->n_text, '\0', n);

        g->zero_at = zero != NULL ? (size_t)(zero - g->text) : NOWHERE;
    }
    g->n_text += n;
    memset(g->text + g->n_text, 0, BEYOND);
    g->n_read += n;
    tell_read(g->r, g->n_read, g->size);
    return n > 0;
}

/* Read the next line. @return false: the file has ended */
static bool next_line(struct goal *g)
{
    static char none[BEYOND] = "";
    const char *end = NULL;
    size_t seen = 0; /* bytes of the line, without its end */

    do {
        if (g->n_text > g->next + seen)
            end = memchr(g->text + g->next + seen, '\n', g->n_text - g->next - seen);
        seen = g->n_text - g->next;
    } while (end == NULL && read_on(g));
    g->at = seen > 0 ? g->text + g->next : none;
    g->next = end != NULL ? (size_t)(end + 1 - g->text) : g->n_text;
    g->line++;
    if (g->zero == 0 && g->zero_at < g->next)
        g->zero = g->line;
    return seen > 0 && g->zero == 0;
}

/* Skip a comment that begins here. @return whether there was one */
static bool skip_comment(struct goal *g)
{
    static const char mark[] = GOAL_MARK;
    const int line = g->line;

    if (strncmp(g->at, "//", 2) == 0) {
        g->r->is_ours |= strncmp(g->at, mark, strlen(mark)) == 0;
        g->at += strcspn(g->at, "\n");
        return true;
    }
    if (strncmp(g->at, "/*", 2) != 0)
        return false;
    for (g->at += 2; strncmp(g->at, "*/", 2) != 0; g->at++)
        while (*g->at == '\0' || *g->at == '\n')
            if (!next_line(g)) {
                g->open = line;
                return false;
            } else if (strncmp(g->at, "*/", 2) == 0) {
                g->at += 2;
                return true;
            }
    g->at += 2;
    return true;
}

static inline bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool is_of_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

/* Skip spaces and comments. @return whether there is a token */
static bool skip(struct goal *g)
{
    do
        while (is_space(*g->at))
            g->at++;
    while (*g->at == '/' && skip_comment(g));
    return *g->at != '\0' && *g->at != '\n';
}

/* Skip to the next token of this line. @return false: there is none */
static inline bool more_in_line(struct goal *g)
{
    return (*g->at > ' ' && *g->at != '/') || skip(g);
}

/* Skip to the next token, in any line. @return false: the text has ended */
static bool more(struct goal *g)
{
    while (!more_in_line(g))
        if (!next_line(g))
            return false;
    return true;
}

/* A name of the item. A comment of several lines may move the text. */
struct span {
    size_t at, n; /* at: from the item on */
};

static struct name name_of(const struct goal *g, struct span span)
{
    return (struct name){g->text + g->item + span.at, span.n};
}

/* Skip a name of letters, digits and _, that begins with a letter; n 0: something else is there. */
static struct span skip_name(struct goal *g)
{
    struct span name = {0, 0};

    if (!more_in_line(g) || !is_letter(*g->at))
        return name;
    name.at = (size_t)(g->at - g->text) - g->item;
    while (is_of_name(g->at[name.n]))
        name.n++;
    g->at += name.n;
    return name;
}

/* Skip this word, if it is next: at most BEYOND bytes. */
static inline bool word(struct goal *g, const char *expected)
{
    const size_t n = strlen(expected);

    if (!more_in_line(g) || memcmp(g->at, expected, n) != 0 || is_of_name(g->at[n]))
        return false;
    g->at += n;
    return true;
}

static inline bool sign(struct goal *g, char expected)
{
    if (!more_in_line(g) || *g->at != expected)
        return false;
    g->at++;
    return true;
}

/* Read a whole number below 2^64, and whether a minus is before it. */
static struct problem *digits(struct goal *g, const char *what, bool *minus, uint64_t *out)
{
    uint64_t value = 0;

    *minus = sign(g, '-');
    if (!more_in_line(g) || !is_digit(*g->at))
        return wrong(g, what);
    for (; is_digit(*g->at); g->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*g->at - '0'), &value))
            return wrong(g, "a number beyond 2^64 - 1");
    *out = value;
    return NULL;
}

/* Read a number 0 .. most. */
static struct problem *number(struct goal *g, int64_t most, const char *what, int64_t *out)
{
    bool minus;
    uint64_t value;

    TRY(digits(g, what, &minus, &value));
    if (minus || value > (uint64_t)most)
        return option_problem(g->r->option, g->r->file, "%s: %s%llu: a number here is 0 .. %lld",
                              place(g), minus ? "-" : "", (unsigned long long)value,
                              (long long)most);
    *out = (int64_t)value;
    return NULL;
}

/* Read a rank, or a tag; -1, any, where `any` is not NULL: *any then. */
static struct problem *number_or_any(struct goal *g, bool *any, uint64_t *out)
{
    bool minus;

    TRY(digits(g, form, &minus, out));
    if (minus && (any == NULL || *out != 1))
        return wrong(g, any != NULL ? "of the numbers below 0 only -1 (any) is allowed"
                                    : "a number below 0; only a receive may have -1, any source");
    if (any != NULL)
        *any = minus || *out == any_there;
    return NULL;
}

/* ---- labels ---- */

static struct problem *no_label(const struct goal *g, struct name label, int line)
{
    const int n = label.n < MOST_SHOWN ? (int)label.n : MOST_SHOWN;

    return option_problem(
        g->r->option, g->r->file,
        "line %d: no operation of rank %lld has the label %.*s; write `%.*s:` before one", line,
        (long long)g->rank, n, label.at, n, label.at);
}

static struct problem *add_edge(struct goal *g, int64_t before, int64_t after, bool started)
{
    const int rc = logp_graph_add_edge(g->r->graph, &(struct logp_edge){before, after, started});

    return rc == 0 ? NULL : graph_problem(g->r, rc, place(g), g->rank, -1);
}

/* Keep a demand until all labels of the rank are known. */
static void keep_demand(struct goal *g, struct name after, struct name before, bool started)
{
    if (g->n_demands == g->demand_capacity) {
        g->demand_capacity = g->demand_capacity > 0 ? 2 * g->demand_capacity : 64;
        g->demands = need(realloc(g->demands, g->demand_capacity * sizeof(*g->demands)));
    }
    g->demands[g->n_demands++] = (struct demand){.after = keep_name(&g->labels, after),
                                                 .before = keep_name(&g->labels, before),
                                                 .n_after = (uint32_t)after.n,
                                                 .n_before = (uint32_t)before.n,
                                                 .line = g->line,
                                                 .started = started};
}

/* Read the label after `after requires`. */
static struct problem *read_demand(struct goal *g, struct span label, bool started)
{
    const struct span required = skip_name(g);
    struct name after, before;
    int64_t first, second;

    if (required.n == 0)
        return wrong(g, "requires needs a label after it, as in `l2 requires l1`");
    if (more_in_line(g))
        return wrong(g, "requires takes one label; write a line for each");
    after = name_of(g, label);
    before = name_of(g, required);
    first = find_label(&g->labels, before);
    second = find_label(&g->labels, after);
    if (g->n_demands == 0 && first >= 0 && second >= 0)
        return add_edge(g, first, second, started);
    keep_demand(g, after, before, started);
    return NULL;
}

/* Turn the demands that were kept into edges; all labels of the rank are known now. */
static struct problem *resolve_demands(struct goal *g)
{
    for (size_t i = 0; i < g->n_demands; i++) {
        const struct demand *d = &g->demands[i];
        const struct name before = kept_name(&g->labels, d->before, d->n_before);
        const struct name after = kept_name(&g->labels, d->after, d->n_after);
        const int64_t first = find_label(&g->labels, before);
        const int64_t second = find_label(&g->labels, after);

        if (first < 0 || second < 0)
            return no_label(g, first < 0 ? before : after, d->line);
        TRY(add_edge(g, first, second, d->started));
    }
    g->n_demands = 0;
    forget_labels(&g->labels);
    return NULL;
}

/* ---- lines ---- */

/* The processor and the interface of an operation, in any order. */
static struct problem *read_places(struct goal *g, struct logp_graph_op *o)
{
    while (more_in_line(g)) {
        const bool processor = word(g, "cpu");
        int64_t n;

        if (!processor && !word(g, "nic"))
            return wrong(g, form);
        TRY(number(g, LOGP_GRAPH_MOST_PLACES - 1, "cpu and nic need a number after them", &n));
        *(processor ? &o->processor : &o->interface) = (int)n;
    }
    return NULL;
}

static struct problem *add_operation(struct goal *g, struct logp_graph_op *o)
{
    int rc;

    TRY(read_places(g, o));
    rc = logp_graph_add(g->r->graph, o);
    if (rc != 0)
        return graph_problem(g->r, rc, place(g), g->rank, -1);
    g->n++;
    return NULL;
}

static struct problem *read_send_or_receive(struct goal *g, bool sends)
{
    struct logp_graph_op o = {.kind = sends ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE};
    bool any = false, any_tag = false;
    uint64_t peer;

    TRY(number(g, LOGP_GRAPH_MOST_AMOUNT, form, &o.amount));
    if (!word(g, "b") || !word(g, sends ? "to" : "from"))
        return wrong(g, form);
    TRY(number_or_any(g, sends ? NULL : &any, &peer));
    if (!any && peer >= (uint64_t)g->r->list.P)
        return option_problem(g->r->option, g->r->file, "%s: rank %llu: a rank is 0 .. %lld",
                              place(g), (unsigned long long)peer, (long long)g->r->list.P - 1);
    o.peer = any ? LOGP_ANY_SOURCE : (int64_t)peer;
    if (word(g, "tag"))
        TRY(number_or_any(g, &any_tag, &o.tag));
    if (any_tag)
        o.tag = LOGP_GRAPH_ANY_TAG;
    return add_operation(g, &o);
}

static struct problem *read_calculation(struct goal *g)
{
    struct logp_graph_op o = {.kind = LOGP_STEP_COMPUTE};

    TRY(number(g, LOGP_GRAPH_MOST_AMOUNT, form, &o.amount));
    return add_operation(g, &o);
}

/* *there false: something else is there */
static struct problem *read_operation(struct goal *g, bool *there)
{
    *there = true;
    if (word(g, "calc"))
        return read_calculation(g);
    if (word(g, "send"))
        return read_send_or_receive(g, true);
    if (word(g, "recv"))
        return read_send_or_receive(g, false);
    *there = false;
    return NULL;
}

/* Read a line that begins with a label. */
static struct problem *read_labelled(struct goal *g)
{
    const struct span label = skip_name(g);
    bool there;

    if (label.n == 0)
        return wrong(g, form);
    if (word(g, "requires"))
        return read_demand(g, label, false);
    if (word(g, "irequires"))
        return read_demand(g, label, true);
    if (!sign(g, ':'))
        return wrong(g, form);
    if (!add_label(&g->labels, name_of(g, label), g->n))
        return wrong(g, "this label is used twice in its rank; rename one");
    TRY(read_operation(g, &there));
    return there ? NULL : wrong(g, form);
}

static struct problem *begin_rank(struct goal *g)
{
    static const char how[] = "a rank begins with `rank R {`";
    int64_t rank;
    int rc;

    if (g->r->graph == NULL)
        return wrong(g, "num_ranks must come first");
    if (g->rank >= 0)
        return wrong(g, "the previous rank has no }");
    TRY(number(g, INT64_MAX, how, &rank));
    if (!sign(g, '{'))
        return wrong(g, how);
    rc = logp_graph_begin_rank(g->r->graph, rank);
    if (rc == -EINVAL)
        return wrong(g, "each rank once, 0 .. num_ranks - 1");
    if (rc != 0)
        return graph_problem(g->r, rc, place(g), rank, -1);
    g->rank = rank;
    g->n = 0;
    return NULL;
}

static struct problem *end_rank(struct goal *g)
{
    const int64_t rank = g->rank;
    int64_t which;
    int rc;

    TRY(resolve_demands(g));
    g->rank = -1;
    rc = logp_graph_end_rank(g->r->graph, &which);
    return rc == 0 ? NULL : graph_problem(g->r, rc, place(g), rank, which);
}

static struct problem *begin_all(struct goal *g)
{
    int64_t P;

    if (g->r->graph != NULL)
        return wrong(g, "num_ranks is given twice; remove one");
    TRY(number(g, INT64_MAX, "`num_ranks P`", &P));
    return begin_graph(g->r, P);
}

static struct problem *read_item(struct goal *g)
{
    bool there;

    if (word(g, "num_ranks"))
        return begin_all(g);
    if (word(g, "rank"))
        return begin_rank(g);
    if (g->rank < 0)
        return wrong(g,
                     g->r->graph != NULL
                         ? "`num_ranks P`, or `rank R {`"
                         : "this is not a schedule: GOAL begins with `num_ranks P`, JSON with {; "
                           "logp schedule --output FILE.json or FILE.goal writes one");
    if (sign(g, '}'))
        return end_rank(g);
    TRY(read_operation(g, &there));
    return there ? NULL : read_labelled(g);
}

static struct problem *read_items(struct goal *g)
{
    while (more(g)) {
        g->item = (size_t)(g->at - g->text);
        TRY(read_item(g));
        g->item = NOWHERE;
    }
    if (g->open > 0 || g->zero > 0)
        return wrong(g, "");
    if (ferror(g->f))
        return option_problem(g->r->option, g->r->file, "line %d: cannot read on: %s", g->line,
                              strerror(errno));
    if (g->r->graph == NULL)
        return wrong(g, "`num_ranks P` is missing: neither JSON nor GOAL");
    return g->rank >= 0 ? wrong(g, "the last rank has no }") : NULL;
}

struct problem *read_goal(struct reading *r, FILE *f, int line)
{
    struct goal g = {.r = r,
                     .f = f,
                     .item = NOWHERE,
                     .zero_at = NOWHERE,
                     .at = "",
                     .line = line - 1,
                     .rank = -1};
    struct problem *problem;
    struct stat file;

    if (fstat(fileno(f), &file) == 0 && S_ISREG(file.st_mode))
        g.size = (uint64_t)file.st_size;
    problem = read_items(&g);
    free(g.text);
    free(g.demands);
    free_labels(&g.labels);
    TRY(problem);
    return graph_problem(r, logp_graph_end(r->graph), "", -1, -1);
}

/* SPDX-License-Identifier: MIT */
/* Faults and noise, from texts: the grammar is in logp/delay.h. */
#include "delay/delay.h"

#include <logp/delay.h>
#include <logp/machine.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 512, MOST_VALUES = 3 };

static const char *const bad_chance =
    "after a colon a probability must follow, 0 .. 1 or 0% .. 100%";
static const char *const bad_factor = "after a colon a factor must follow, 1 .. 1e6";
static const char *const bad_time =
    "after a colon a time must follow, in units or with a suffix ns, us, ms or s, at most 11 days";

static const char *const no_memory = "memory";

/* ---- numbers: as in C, in any locale ---- */

/* @return the end of the number; NULL: there is none */
static const char *read_number(const char *s, double *out)
{
    int scale = 0, exponent = 0, digits = 0;
    bool point = false;

    *out = 0;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point && s[1] != '.'); s++) {
        point |= *s == '.';
        if (*s == '.')
            continue;
        *out = *out * 10 + (*s - '0');
        scale += point;
        digits++;
    }
    if (digits == 0)
        return NULL;
    if ((*s == 'e' || *s == 'E') && (s[1] == '-' || (s[1] >= '0' && s[1] <= '9'))) {
        const bool minus = *++s == '-';

        for (s += minus; *s >= '0' && *s <= '9' && exponent < 1000; s++)
            exponent = 10 * exponent + (*s - '0');
        scale += minus ? exponent : -exponent;
    }
    *out = scale >= 0 ? *out / pow(10, scale) : *out * pow(10, -scale);
    return s;
}

static bool read_chance(const char *text, double *p)
{
    const char *end = text != NULL ? read_number(text, p) : NULL;

    if (end != NULL && *end == '%') {
        *p /= 100;
        end++;
    }
    return end != NULL && *end == '\0' && *p <= 1;
}

static bool read_factor(const char *text, double *factor)
{
    const char *end = text != NULL ? read_number(text, factor) : NULL;

    return end != NULL && *end == '\0' && *factor >= 1 && *factor <= 1e6;
}

static bool read_time(const char *text, int64_t unit_ns, int64_t *ns)
{
    static const struct {
        const char *suffix;
        double ns;
    } scales[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double number, scale = (double)unit_ns;
    const char *end = text != NULL ? read_number(text, &number) : NULL;

    if (end == NULL)
        return false;
    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
        if (strcmp(end, scales[i].suffix) == 0) {
            scale = scales[i].ns;
            end = "";
        }
    if (*end != '\0' || number * scale > (double)LOGP_PARAM_MAX_NS)
        return false;
    *ns = rounded(number * scale);
    return true;
}

/* ---- the values after the kind. @return NULL: they are valid; or the allowed values ---- */

static const char *chance_values(struct lpi_fault *f, char **value, int64_t unit_ns)
{
    (void)unit_ns;
    return value[1] == NULL && read_chance(value[0], &f->p) ? NULL : bad_chance;
}

static const char *delay_values(struct lpi_fault *f, char **value, int64_t unit_ns)
{
    (void)unit_ns;
    if (!read_factor(value[0], &f->factor))
        return bad_factor;
    return value[2] == NULL && (value[1] == NULL || read_chance(value[1], &f->p)) ? NULL
                                                                                  : bad_chance;
}

static const char *factor_values(struct lpi_fault *f, char **value, int64_t unit_ns)
{
    (void)unit_ns;
    return value[1] == NULL && read_factor(value[0], &f->factor) ? NULL : bad_factor;
}

static const char *no_values(struct lpi_fault *f, char **value, int64_t unit_ns)
{
    (void)f;
    (void)unit_ns;
    return value[0] == NULL ? NULL : "must have no value between its name and @";
}

static const char *time_values(struct lpi_fault *f, char **value, int64_t unit_ns)
{
    return value[1] == NULL && read_time(value[0], unit_ns, &f->ns) ? NULL : bad_time;
}

static const char *tick_values(struct lpi_fault *f, char **value, int64_t unit_ns)
{
    f->shift = -1;
    if (!read_time(value[0], unit_ns, &f->ns) || !read_time(value[1], unit_ns, &f->length) ||
        (value[2] != NULL && !read_time(value[2], unit_ns, &f->shift)))
        return bad_time;
    if (f->ns < 1 || f->length >= f->ns || f->shift >= f->ns)
        return "must be tick:T:D[:S], times with 0 <= D < T and S < T";
    return NULL;
}

static const char *file_values(struct lpi_fault *f, char **value, int64_t unit_ns)
{
    const int rc =
        value[0] != NULL ? logp_latency_read(value[0], &f->samples, &f->n_samples) : -EINVAL;

    (void)unit_ns;
    if (rc == -ENOMEM)
        return no_memory;
    if (rc != 0)
        return "after file: the path of a readable file must follow, with a time in ns, 0 .. 11 "
               "days, in each line";
    return NULL;
}

#define ROW(name_, form_, summary_, noise_)                                                        \
    {                                                                                              \
        sizeof(struct logp_fault_kind), name_, form_, summary_, noise_                             \
    }

/* By enum lpi_fault_what. */
static const struct row {
    struct logp_fault_kind kind;
    const char *(*values)(struct lpi_fault *f, char **value, int64_t unit_ns);
    bool of_some; /* it must name ranks */
} rows[] = {
    {ROW("drop", "drop:P", "a message is lost with probability P", false), chance_values, false},
    {ROW("dup", "dup:P", "a message arrives twice, with probability P", false), chance_values,
     false},
    {ROW("flip", "flip:P", "one bit of the payload is flipped, with probability P", false),
     chance_values, false},
    {ROW("delay", "delay:F[:P]", "a message takes F times as long, with probability P", false),
     delay_values, false},
    {ROW("cut", "cut@A-B", "no message from A to B arrives (A=B: in both directions)", false),
     no_values, true},
    {ROW("stop", "stop@A", "processors stop: @A:FROM for ever, @A:FROM..TO for a time", false),
     no_values, true},
    {ROW("slow", "slow:F", "processors take F times as long for overheads and computing", false),
     factor_values, false},
    {ROW("fixed", "fixed:T", "each overhead is T longer", true), time_values, false},
    {ROW("uniform", "uniform:T", "each overhead is 0 .. T longer, uniformly drawn", true),
     time_values, false},
    {ROW("exp", "exp:T", "each overhead is longer by an exponential time of mean T", true),
     time_values, false},
    {ROW("file", "file:PATH", "each overhead is longer by a sample of a file", true), file_values,
     false},
    {ROW("tick", "tick:T:D[:S]", "every T the processor pauses for D, from S on [random]", true),
     tick_values, false},
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct logp_fault_kind *logp_fault_kind_at(size_t i)
{
    return i < N_ROWS ? &rows[i].kind : NULL;
}

const char *lpi_fault_name(enum lpi_fault_what what)
{
    return rows[what].kind.name;
}

/* ---- where and when ---- */

/* @return the end of the rank; NULL: there is none */
static const char *read_rank(const char *s, int64_t *rank)
{
    const char *begin = s;

    for (*rank = 0; *s >= '0' && *s <= '9' && *rank <= LOGP_MAX_PROCESSORS; s++)
        *rank = 10 * *rank + (*s - '0');
    return s > begin ? s : NULL;
}

/* Read a set such as "0+4..7", or none. @return its end; NULL: it is not a set of P ranks */
static const char *read_set(const char *s, int64_t P, struct lpi_rank_set *set)
{
    set->n = 0;
    if (*s < '0' || *s > '9')
        return s;
    for (;; s++) {
        int64_t first = 0, last;

        s = set->n < LPI_MOST_RANGES ? read_rank(s, &first) : NULL;
        last = first;
        if (s != NULL && strncmp(s, "..", 2) == 0)
            s = read_rank(s + 2, &last);
        if (s == NULL || first > last || last >= P)
            return NULL;
        set->range[set->n].first = first;
        set->range[set->n++].last = last;
        if (*s != '+')
            return s;
    }
}

/* Read the ranks after @. @return NULL: they are valid; or the allowed ranks */
static const char *read_where(const char *s, int64_t P, struct lpi_fault *f)
{
    const bool of_messages = f->what < LPI_STOP;

    s = read_set(s, P, &f->a);
    if (s == NULL)
        return "after @ ranks must follow, 0 .. P-1, as 3 or 0+4..7";
    f->either_way = *s == '=';
    f->to_b = *s == '-' || *s == '=';
    if (f->to_b && of_messages) {
        s = read_set(s + 1, P, &f->b);
        if (s == NULL)
            return "after @ ranks must follow, 0 .. P-1, as in @3-0+4..7";
    }
    if (*s != '\0')
        return of_messages ? "must be @A-B (one way), @A=B (both) or @A, with ranks as 3 or 0+4..7"
                           : "must be @A, with ranks as 3 or 0+4..7";
    return NULL;
}

static const char *read_when(char *text, int64_t unit_ns, struct lpi_fault *f)
{
    char *to = strstr(text, "..");

    if (to != NULL) {
        *to = '\0';
        to += 2;
    }
    if ((*text != '\0' && !read_time(text, unit_ns, &f->from)) ||
        (to != NULL && *to != '\0' && !read_time(to, unit_ns, &f->to)) ||
        (*text == '\0' && (to == NULL || *to == '\0')))
        return "after @WHERE: times must follow, as FROM, FROM..TO or ..TO, in units or with a "
               "suffix ns, us, ms or s";
    return f->from < f->to ? NULL : "must be FROM..TO with FROM before TO";
}

/* ---- one fault ---- */

static const struct row *find_row(const char *name, bool noise)
{
    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].kind.is_noise == noise && strcmp(rows[i].kind.name, name) == 0)
            return &rows[i];
    return NULL;
}

/* "must be one of drop:P, dup:P ..." */
static const char *all_forms(bool noise, char buf[LOGP_FAULT_WHY])
{
    const size_t begin = (size_t)snprintf(buf, LOGP_FAULT_WHY, "must be one of");
    size_t n = begin;

    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].kind.is_noise == noise && n < LOGP_FAULT_WHY)
            n += (size_t)snprintf(buf + n, LOGP_FAULT_WHY - n, "%s %s", n > begin ? "," : "",
                                  rows[i].kind.form);
    return buf;
}

/* Read the values behind the kind. A path is one value, even if it contains colons. */
static const char *read_values(const struct row *row, char *text, int64_t unit_ns,
                               struct lpi_fault *f)
{
    char *value[MOST_VALUES + 1] = {text};

    for (int i = 1; f->what != LPI_SAMPLES && i <= MOST_VALUES && value[i - 1] != NULL; i++) {
        value[i] = strchr(value[i - 1], ':');
        if (value[i] != NULL)
            *value[i]++ = '\0';
    }
    return value[MOST_VALUES] != NULL ? "must have fewer values" : row->values(f, value, unit_ns);
}

/* Read one fault; this changes text. @return NULL: it is valid; or the allowed values */
static const char *read_fault(char *text, bool noise, const struct logp_fault_config *c,
                              struct lpi_fault *f, char buf[LOGP_FAULT_WHY])
{
    char *where = strchr(text, '@'), *values, *when = NULL;
    const struct row *row;
    const char *allowed;

    if (where != NULL) {
        *where++ = '\0';
        when = strchr(where, ':');
    }
    if (when != NULL)
        *when++ = '\0';
    values = strchr(text, ':');
    if (values != NULL)
        *values++ = '\0';
    row = find_row(text, noise);
    if (row == NULL)
        return all_forms(noise, buf);
    f->what = (enum lpi_fault_what)(row - rows);
    allowed = read_values(row, values, c->unit_ns, f);
    if (allowed == NULL && where != NULL)
        allowed = read_where(where, c->P, f);
    if (allowed == NULL && when != NULL)
        allowed = read_when(when, c->unit_ns, f);
    if (allowed == NULL && row->of_some && f->a.n + f->b.n == 0)
        allowed = f->what == LPI_CUT
                      ? "needs two groups of ranks: cut@A-B, with ranks as 3 or 0+4..7"
                      : "needs a group of ranks: stop@A, with ranks as 3 or 0+4..7";
    return allowed;
}

/* ---- all faults ---- */

/* FNV-1a: Fowler, Noll & Vo */
static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

/* A repeated text gets another salt, so that its draws differ. */
static uint64_t salt_of(uint64_t salt, const struct lpi_fault *faults, int n)
{
    for (int i = 0; i < n; i++)
        if (faults[i].salt == salt)
            salt = mix(salt);
    return salt;
}

static int add_fault(const char *text, size_t length, bool noise, const struct logp_fault_config *c,
                     struct lpi_fault **faults, int *n, char why[LOGP_FAULT_WHY])
{
    struct lpi_fault *more = realloc(*faults, (size_t)(*n + 1) * sizeof(**faults)), *f;
    char copy[MOST_TEXT], buf[LOGP_FAULT_WHY];
    const char *allowed = "must be less than 512 letters", *quote = length == 0 ? "''" : "";

    if (more == NULL)
        return -ENOMEM;
    *faults = more;
    f = &more[*n];
    *f = (struct lpi_fault){.p = 1, .factor = 1, .to = INT64_MAX};
    if (length < MOST_TEXT) {
        snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
        f->salt = salt_of(hash(copy), more, *n);
        allowed = read_fault(copy, noise, c, f, buf);
    }
    if (allowed == NULL) {
        ++*n;
        return 0;
    }
    free(f->samples);
    if (allowed == no_memory)
        return -ENOMEM;
    snprintf(why, LOGP_FAULT_WHY, "%s%.*s: %.*s", quote, (int)(length < 64 ? length : 64), text,
             LOGP_FAULT_WHY - 70, allowed);
    return -EINVAL;
}

int lpi_faults_read(const char *text, bool noise, const struct logp_fault_config *config,
                    struct lpi_fault **faults, int *n, char why[LOGP_FAULT_WHY])
{
    int rc = 0;

    if (text == NULL || *text == '\0')
        return 0;
    for (;; text++) {
        const size_t length = strcspn(text, ",;");

        rc = add_fault(text, length, noise, config, faults, n, why);
        text += length;
        if (rc != 0 || *text == '\0')
            return rc;
    }
}

void lpi_faults_free(struct lpi_fault *faults, int n)
{
    for (int i = 0; i < n; i++)
        free(faults[i].samples);
    free(faults);
}

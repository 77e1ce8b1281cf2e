/* SPDX-License-Identifier: MIT */
/*
 * getopt() and getopt_long() for each rank. The C library has one state for a process, and part of
 * it cannot be reached from outside; so ranks have this one. It does what the C library's does,
 * messages included, also where it moves operands behind the options.
 */
#include "host.h"

#include <getopt.h>
#include <string.h>

/* A call: its arguments, and the rank's variables. */
struct parse {
    struct host_rank *h;
    char *const *argv;
    int argc, *index;
    const char *letters; /* without + and - in front */
    bool quiet;          /* no message; a missing argument is ':' */
    int missing;
};

static int *number(struct host_rank *h, int variable)
{
    return h->at[variable];
}

static void set_argument(struct host_rank *h, const char *value)
{
    *(const char **)h->at[0] = value;
}

static int wrong(const struct parse *p, int letter, int result, const char *before,
                 const char *name, const char *behind)
{
    *number(p->h, 3) = letter;
    if (!p->quiet)
        fprintf(stderr, "%s: %s'%s'%s\n", p->argv[0], before, name, behind);
    return result;
}

/* ---- one letter ---- */

static int short_option(struct parse *p)
{
    char *word = p->argv[*p->index] + (p->h->in_word > 0 ? p->h->in_word : 1);
    const char name[2] = {*word, '\0'};
    const char *letter = *word != ':' && *word != ';' ? strchr(p->letters, *word) : NULL;

    p->h->in_word = word[1] != '\0' ? (int)(word + 1 - p->argv[*p->index]) : 0;
    if (letter == NULL || letter[1] != ':') {
        *p->index += p->h->in_word == 0;
        return letter != NULL ? *letter : wrong(p, *word, '?', "invalid option -- ", name, "");
    }
    p->h->in_word = 0;
    ++*p->index;
    if (word[1] != '\0')
        set_argument(p->h, word + 1);
    else if (letter[2] == ':')
        set_argument(p->h, NULL);
    else if (*p->index < p->argc)
        set_argument(p->h, p->argv[(*p->index)++]);
    else
        return wrong(p, *word, p->missing, "option requires an argument -- ", name, "");
    return *letter;
}

/* ---- a long name ---- */

/* The option of this name, or the only one that begins so. @return its index; -1: none; -2: several */
static int find_long(const struct option *options, const char *name, size_t length)
{
    int found = -1;

    for (int i = 0; options[i].name != NULL; i++) {
        const struct option *o = &options[i];

        if (strncmp(o->name, name, length) != 0)
            continue;
        if (strlen(o->name) == length)
            return i;
        if (found < 0)
            found = found == -1 ? i : found;
        else if (o->has_arg != options[found].has_arg || o->flag != options[found].flag ||
                 o->val != options[found].val)
            found = -2;
    }
    return found;
}

static int ambiguous(const struct parse *p, const struct option *options, const char *name,
                     size_t length, const char *dashes)
{
    *number(p->h, 3) = 0;
    if (p->quiet)
        return '?';
    fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", p->argv[0], dashes, name);
    for (int i = 0; options[i].name != NULL; i++)
        if (strncmp(options[i].name, name, length) == 0)
            fprintf(stderr, " '%s%s'", dashes, options[i].name);
    fputc('\n', stderr);
    return '?';
}

/* The word before the index is option `found`. */
static int long_option(struct parse *p, const struct option *options, int found, int *at,
                       const char *dashes)
{
    const struct option *o = &options[found];
    const char *value = strchr(p->argv[*p->index - 1], '=');
    char shown[256];

    snprintf(shown, sizeof(shown), "%s%s", dashes, o->name);
    if (value != NULL && o->has_arg == no_argument)
        return wrong(p, o->val, '?', "option ", shown, " doesn't allow an argument");
    if (value != NULL)
        set_argument(p->h, value + 1);
    else if (o->has_arg == required_argument && *p->index < p->argc)
        set_argument(p->h, p->argv[(*p->index)++]);
    else if (o->has_arg == required_argument)
        return wrong(p, o->val, p->missing, "option ", shown, " requires an argument");
    if (at != NULL)
        *at = found;
    if (o->flag == NULL)
        return o->val;
    *o->flag = o->val;
    return 0;
}

/* Look for a long option at index. @return false: it is one or more letters */
static bool try_long(struct parse *p, const struct option *options, int *at, bool only, int *result)
{
    const char *word = p->argv[*p->index];
    const bool two = word[1] == '-';
    const char *name = word + 1 + two, *const dashes = two ? "--" : "-";
    const size_t length = strcspn(name, "=");
    int found;

    if (options == NULL || p->h->in_word > 0 || (!two && !only) ||
        (!two && name[1] == '\0' && strchr(p->letters, *name) != NULL))
        return false;
    found = find_long(options, name, length);
    if (found == -1 && !two && strchr(p->letters, *name) != NULL)
        return false;
    ++*p->index;
    if (found == -2) {
        *result = ambiguous(p, options, name, length, dashes);
    } else if (found == -1) {
        char shown[256];

        snprintf(shown, sizeof(shown), "%s%s", dashes, name);
        *result = wrong(p, 0, '?', "unrecognized option ", shown, "");
    } else {
        *result = long_option(p, options, found, at, dashes);
    }
    return true;
}

/* ---- operands ---- */

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* Options argv[last .. index - 1] come before the operands argv[first .. last - 1]. */
static void move_operands(struct parse *p)
{
    struct host_rank *h = p->h;
    char **argv = (char **)p->argv;

    for (int from = h->last_operand, to = h->first_operand; from < *p->index; from++, to++) {
        char *word = argv[from];

        memmove(&argv[to + 1], &argv[to], (size_t)(from - to) * sizeof(*argv));
        argv[to] = word;
    }
    h->first_operand += *p->index - h->last_operand;
    h->last_operand = *p->index;
}

/* Move the operands that have been passed to the place before the index. */
static void collect_operands(struct parse *p)
{
    struct host_rank *h = p->h;

    if (h->last_operand == *p->index)
        return;
    if (h->first_operand != h->last_operand)
        move_operands(p);
    else
        h->first_operand = *p->index;
}

/* Advance to the next word. @return 0: it is an option; otherwise what the call returns */
static int next_word(struct parse *p, bool permutes, bool in_order)
{
    struct host_rank *h = p->h;

    h->last_operand = h->last_operand < *p->index ? h->last_operand : *p->index;
    h->first_operand = h->first_operand < *p->index ? h->first_operand : *p->index;
    if (permutes) {
        collect_operands(p);
        while (*p->index < p->argc && !is_option(p->argv[*p->index]))
            ++*p->index;
        h->last_operand = *p->index;
    }
    if (*p->index < p->argc && strcmp(p->argv[*p->index], "--") == 0) {
        ++*p->index;
        collect_operands(p);
        h->last_operand = *p->index = p->argc;
    }
    if (*p->index >= p->argc) {
        if (h->first_operand != h->last_operand)
            *p->index = h->first_operand;
        return -1;
    }
    if (is_option(p->argv[*p->index]))
        return 0;
    if (!in_order)
        return -1;
    set_argument(h, p->argv[(*p->index)++]);
    return 1;
}

static int parse(struct host_rank *h, int argc, char *const *argv, const char *letters,
                 const struct option *options, int *at, bool only)
{
    const bool in_order = *letters == '-';
    const bool permutes = *letters != '+' && !in_order && getenv("POSIXLY_CORRECT") == NULL;
    struct parse p = {.h = h, .argv = argv, .argc = argc, .index = number(h, 1)};
    int result = 0;

    p.letters = letters + (*letters == '+' || in_order);
    p.missing = *p.letters == ':' ? ':' : '?';
    p.quiet = *p.letters == ':' || *number(h, 2) == 0;
    set_argument(h, NULL);
    if (*p.index == 0 || !h->parses) {
        *p.index = *p.index != 0 ? *p.index : 1;
        h->first_operand = h->last_operand = *p.index;
        h->in_word = 0;
        h->parses = true;
    }
    if (h->in_word == 0)
        result = next_word(&p, permutes, in_order);
    if (result != 0)
        return result;
    return try_long(&p, options, at, only, &result) ? result : short_option(&p);
}

/* ---- the functions ---- */

/* The rank that has variables of its own; NULL: the C library's count. */
static struct host_rank *own(void)
{
    struct host_rank *h = host_here();

    return h != NULL && the_job->main == NULL ? h : NULL;
}

EXPORT int getopt(int argc, char *const *argv, const char *letters)
{
    struct host_rank *h = own();

    return h != NULL ? parse(h, argc, argv, letters, NULL, NULL, false)
                     : NEXT(getopt)(argc, argv, letters);
}

EXPORT int getopt_long(int argc, char *const *argv, const char *letters,
                       const struct option *options, int *at)
{
    struct host_rank *h = own();

    return h != NULL ? parse(h, argc, argv, letters, options, at, false)
                     : NEXT(getopt_long)(argc, argv, letters, options, at);
}

EXPORT int getopt_long_only(int argc, char *const *argv, const char *letters,
                            const struct option *options, int *at)
{
    struct host_rank *h = own();

    return h != NULL ? parse(h, argc, argv, letters, options, at, true)
                     : NEXT(getopt_long_only)(argc, argv, letters, options, at);
}

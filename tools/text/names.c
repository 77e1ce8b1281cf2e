/* SPDX-License-Identifier: MIT */
/*
 * Words that must be one of several names: the list of names, and the name that was probably
 * meant by another word: one that is a few letters off (the optimal string alignment distance: a
 * letter left out, put in or replaced, or two in the wrong order), one that the word begins, or
 * one with the word as an alias.
 */
#include "text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 31, FAR = 1000 };

static const struct {
    const char *word, *name;
} aliases[] = {
    {"bcast", "broadcast"}, {"sum", "summation"},
    {"a2a", "alltoall"},    {"sync", "barrier"},
    {"gemv", "matvec"},     {"pthread", "thread"},
    {"coroutine", "fiber"}, {"grid", "mesh"},
    {"cube", "hypercube"},  {"store-and-forward", "store-forward"},
    {"ls", "list"},         {"latency", "-L"},
    {"overhead", "-o"},     {"iterations", "--reps"},
    {"iters", "--reps"},    {"repetitions", "--reps"},
    {"size", "--bytes"},    {"count", "--bytes"},
};

void add_name(struct names *names, const char *name)
{
    if (find_name(names, name) < 0 && names->n < MAX_NAMES)
        names->name[names->n++] = name;
}

int find_name(const struct names *names, const char *word)
{
    for (int i = 0; i < names->n; i++)
        if (strcmp(names->name[i], word) == 0)
            return i;
    return -1;
}

/* Copy a word in small letters, without leading dashes or MPI_. A long word is cut. */
static int normal_form(const char *word, char out[LONGEST + 1])
{
    int n = 0;

    word += strspn(word, "-");
    word += strncasecmp(word, "mpi_", 4) == 0 ? 4 : 0;
    for (; word[n] != '\0' && n < LONGEST; n++)
        out[n] = (char)tolower((unsigned char)word[n]);
    out[n] = '\0';
    return n;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int alignment(const char *a, int n, const char *b, int m)
{
    int d[LONGEST + 1][LONGEST + 1];

    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
                            d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

/* Distance of a name from the word typed; FAR: the name was not meant. */
static int distance(const char *word, const char *name)
{
    char a[LONGEST + 1], b[LONGEST + 1];
    const int n = normal_form(word, a), m = normal_form(name, b), shorter = least(n, m);
    int d;

    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (strcmp(a, aliases[i].word) == 0 && strcmp(name, aliases[i].name) == 0)
            return 0;
    d = alignment(a, n, b, m);
    if (d <= (n < 2 ? 0 : n < 6 ? 1 : n / 3))
        return d;
    return shorter >= 3 && strncmp(a, b, (size_t)shorter) == 0 ? LONGEST + d : FAR;
}

const char *nearest_name(const struct names *names, const char *word)
{
    const char *best = NULL;
    int nearest = FAR;

    for (int i = 0; i < names->n; i++) {
        const int at = distance(word, names->name[i]);

        if (at < nearest || (at == nearest && strcmp(word, names->name[i]) == 0)) { /* -G, not -g */
            nearest = at;
            best = names->name[i];
        }
    }
    return best;
}

const char *did_you_mean(const struct names *names, const char *word, char buf[MAX_HINT])
{
    const char *name = nearest_name(names, word);

    buf[0] = '\0';
    if (name != NULL)
        snprintf(buf, MAX_HINT, "did you mean %s? ", name);
    return buf;
}

/* Append all of them to the text in buf. */
static const char *append(const struct names *names, const char *last, char buf[MAX_LIST])
{
    size_t n = strlen(buf);

    for (int i = 0; i < names->n && n < MAX_LIST; i++) {
        const char *between = i == 0 ? "" : i == names->n - 1 ? last : ", ";

        n += (size_t)snprintf(buf + n, MAX_LIST - n, "%s%s", between, names->name[i]);
    }
    return buf;
}

const char *list_names(const struct names *names, const char *last, char buf[MAX_LIST])
{
    buf[0] = '\0';
    return append(names, last, buf);
}

const char *one_of(const struct names *names, const char *word, char buf[MAX_LIST])
{
    char hint[MAX_HINT] = "";

    snprintf(buf, MAX_LIST, "%sone of: ", word != NULL ? did_you_mean(names, word, hint) : "");
    return append(names, ", ", buf);
}

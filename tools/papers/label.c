/* SPDX-License-Identifier: MIT */
/* The names of numbers, and labels: words with bars between. */
#include "papers/paper.h"

#include <string.h>

const char *const paper_keys[N_VALUES] = {
    [PRINTED] = "printed",     [FORMULA] = "paper_formula", [DERIVED] = "derived",
    [PREDICTED] = "predicted", [EMULATED] = "emulated",     [MEASURED] = "measured",
};

enum paper_value paper_value_named(const char *name)
{
    int v = 0;

    while (v < MEASURED && strcmp(paper_keys[v], name) != 0)
        v++;
    return strcmp(name, "formula") == 0 ? FORMULA : (enum paper_value)v;
}

const char *paper_label(const char *labels, int i, char buf[64])
{
    for (; i > 0 && labels != NULL; i--) {
        labels = strchr(labels, '|');
        labels += labels != NULL;
    }
    snprintf(buf, 64, "%.*s", labels != NULL ? (int)strcspn(labels, "|") : 0,
             labels != NULL ? labels : "");
    return buf;
}

double paper_number(const char *labels, int i)
{
    char text[64];
    int64_t x;

    return parse_number(paper_label(labels, i, text), false, 0, INT64_MAX, &x) ? (double)x : NAN;
}

int paper_columns(const struct paper_table *t)
{
    int n = 1;

    for (const char *s = t->columns; *s != '\0'; s++)
        n += *s == '|';
    return n;
}

bool paper_is_whole(double x)
{
    return x == floor(x) && fabs(x) < 9007199254740992.0; /* 2^53: integers are exact below */
}

/* "dash|1024" and "P=2*$2" make "P=2*1024". */
void paper_words(const char *text, const char *words, char *out, size_t size)
{
    size_t n = 0;

    for (; *text != '\0' && n + 1 < size; text++) {
        char word[64];

        if (*text == '$' && text[1] >= '1' && text[1] <= '9')
            n += (size_t)snprintf(out + n, size - n, "%s", paper_label(words, *++text - '1', word));
        else
            out[n++] = *text;
    }
    out[n < size ? n : size - 1] = '\0';
}

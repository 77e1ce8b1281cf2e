/* SPDX-License-Identifier: MIT */
/*
 * A file as text, whole. It is read piece by piece, and given up at the first zero byte and beyond
 * a limit: a device or a pipe may have no end.
 */
#include "text/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A schedule of some ten million steps. */
static const size_t most_bytes = (size_t)256 << 20;

/* Grow the text to capacity bytes and a zero. @return NULL: no memory; the old text is freed */
static char *larger(char *text, size_t capacity)
{
    char *more = realloc(text, capacity + 1);

    if (more == NULL)
        free(text);
    return more;
}

/* @return NULL: *why is the reason; where that is NULL, errno */
static char *read_all(FILE *f, const char **why)
{
    size_t n = 0, capacity = 1 << 16, got = 0;
    char *text = larger(NULL, capacity);

    while (text != NULL && (got = fread(text + n, 1, capacity - n, f)) > 0) {
        if (memchr(text + n, '\0', got) != NULL)
            *why = "no text: it holds a zero byte";
        n += got;
        if (n > most_bytes)
            *why = "it is larger than 256 MiB";
        if (*why != NULL)
            break;
        if (n == capacity)
            text = larger(text, capacity *= 2);
    }
    if (text == NULL)
        errno = ENOMEM;
    if (text == NULL || (*why == NULL && !ferror(f))) {
        if (text != NULL)
            text[n] = '\0';
        return text;
    }
    free(text); /* which keeps errno */
    return NULL;
}

char *text_of_stream(FILE *f, const char **why)
{
    char *text;

    *why = NULL;
    text = read_all(f, why);
    if (text == NULL && *why == NULL)
        *why = errno == ENOMEM ? "no memory" : strerror(errno);
    return text;
}

char *text_of_file(const char *path, const char **why)
{
    FILE *f = fopen(path, "re");
    char *text = NULL;

    if (f == NULL) {
        *why = strerror(errno);
        return NULL;
    }
    text = text_of_stream(f, why);
    fclose(f);
    return text;
}

char *close_text(FILE *f, char *const *text)
{
    /* the C library does not report when it cannot grow the text for the last time */
    if (ferror(f) || fclose(f) != 0 || *text == NULL)
        need(NULL);
    return *text;
}

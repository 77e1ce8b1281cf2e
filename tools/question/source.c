/* SPDX-License-Identifier: MIT */
/* The value of each option of a question, and its source, so that an error can name the option as
 * its user wrote it. */
#include "question/rows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 128 };

struct sources {
    struct given {
        const char *name; /* without dashes */
        enum source source;
        const char *text;
        const char *place; /* in the config file; NULL: it is not there */
    } all[MOST_OPTIONS];
    int n;
};

static struct sources *sources_of(const struct question *q)
{
    return part_of(q, PART_SOURCES, sizeof(struct sources));
}

static const char *bare(const char *name)
{
    return name + strspn(name, "-");
}

/* NULL: not known. */
static struct given *find(const struct question *q, const char *name)
{
    struct sources *s = sources_of(q);

    for (int i = 0; i < s->n; i++)
        if (strcmp(s->all[i].name, bare(name)) == 0)
            return &s->all[i];
    return NULL;
}

void note_option(const struct question *q, const char *name, enum source source, const char *text)
{
    struct given *g = find(q, name);
    struct sources *s = sources_of(q);

    if (g == NULL && s->n < MOST_OPTIONS)
        g = &s->all[s->n++];
    if (g != NULL)
        *g = (struct given){bare(name), source, text, g->place};
}

void note_place(const struct question *q, const char *name, const char *place)
{
    if (find(q, name) == NULL)
        note_option(q, name, FROM_DEFAULT, NULL);
    if (find(q, name) != NULL)
        find(q, name)->place = place;
}

static enum source source_of(const struct question *q, const char *name)
{
    const struct given *g = find(q, name);

    return g != NULL ? g->source : FROM_DEFAULT;
}

const char *option_text(const struct question *q, const char *name)
{
    const struct given *g = find(q, name);

    return g != NULL ? g->text : NULL;
}

bool option_given(const struct question *q, const char *name)
{
    return source_of(q, name) != FROM_DEFAULT;
}

bool option_on_command_line(const struct question *q, const char *name)
{
    return source_of(q, name) == FROM_COMMAND_LINE;
}

bool option_is_preset(const struct question *q, const char *name)
{
    return source_of(q, name) == FROM_ENVIRONMENT || source_of(q, name) == FROM_FILE;
}

const char *option_shown(const struct question *q, const char *name, char buf[32])
{
    if (source_of(q, name) == FROM_FILE)
        return find(q, name)->place;
    return source_of(q, name) == FROM_ENVIRONMENT ? option_variable(name, buf)
                                                  : option_dashed(name, buf);
}

char *problem_line(const struct question *q, const struct problem *p)
{
    const bool quoted = *p->option != '\0' && option_is_preset(q, p->option);
    char name[32], *line = NULL;
    size_t size;
    FILE *f = need(open_memstream(&line, &size));

    if (*p->option != '\0')
        fprintf(f, "%s %s%.*s%s: ", option_shown(q, p->option, name), quoted ? "'" : "",
                p->value_bytes, p->text, quoted ? "'" : "");
    fputs(p->text + p->value_bytes, f);
    return close_text(f, &line);
}

int tell_problem(const struct question *q, struct problem *p)
{
    const int code = p != NULL ? p->code : EXIT_OK;
    char *line = p != NULL && *p->text != '\0' ? problem_line(q, p) : NULL;

    if (line != NULL)
        say("%s", line);
    free(line);
    free(p);
    return code;
}

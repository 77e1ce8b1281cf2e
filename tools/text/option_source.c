/* SPDX-License-Identifier: MIT */
/* The value of each option, and its source. The code that reads the options notes it here, so
 * that all other code can ask, and name an option as its user wrote it. */
#define _GNU_SOURCE
#include "text/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OPTIONS = 128 };

static struct given {
    const char *name; /* without dashes */
    enum source source;
    const char *text;
    const char *place; /* in the config file; NULL: it is not there */
} all[MOST_OPTIONS];
static int n_all;

static const char *bare(const char *name)
{
    return name + strspn(name, "-");
}

/* NULL: not known. */
static struct given *find(const char *name)
{
    for (int i = 0; i < n_all; i++)
        if (strcmp(all[i].name, bare(name)) == 0)
            return &all[i];
    return NULL;
}

void note_option(const char *name, enum source source, const char *text)
{
    struct given *g = find(name);

    if (g == NULL && n_all < MOST_OPTIONS)
        g = &all[n_all++];
    if (g != NULL)
        *g = (struct given){bare(name), source, text, g->place};
}

void note_place(const char *name, const char *place)
{
    if (find(name) == NULL)
        note_option(name, FROM_DEFAULT, NULL);
    if (find(name) != NULL)
        find(name)->place = place;
}

static enum source source_of(const char *name)
{
    const struct given *g = find(name);

    return g != NULL ? g->source : FROM_DEFAULT;
}

const char *option_text(const char *name)
{
    const struct given *g = find(name);

    return g != NULL ? g->text : NULL;
}

bool option_given(const char *name)
{
    return source_of(name) != FROM_DEFAULT;
}

bool option_on_command_line(const char *name)
{
    return source_of(name) == FROM_COMMAND_LINE;
}

bool option_is_preset(const char *name)
{
    return source_of(name) == FROM_ENVIRONMENT || source_of(name) == FROM_FILE;
}

bool option_is_short(const char *name)
{
    name = bare(name);
    return name[0] != '\0' && name[1] == '\0' && strchr("PLogG", name[0]) != NULL;
}

const char *option_dashed(const char *name, char buf[32])
{
    snprintf(buf, 32, "%s%s", option_is_short(name) ? "-" : "--", bare(name));
    return buf;
}

/* LOGP_P, LOGP_o, LOGP_UNIT, LOGP_O_SEND: short names as they are, others in capitals. */
const char *option_variable(const char *name, char buf[32])
{
    const bool as_it_is = option_is_short(name);
    size_t n = (size_t)snprintf(buf, 32, "LOGP_");

    for (const char *s = bare(name); *s != '\0' && n + 1 < 32; s++) {
        if (*s == '-')
            buf[n++] = '_';
        else
            buf[n++] = (char)(!as_it_is && *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
    }
    buf[n] = '\0';
    return buf;
}

const char *option_shown(const char *name, char buf[32])
{
    if (source_of(name) == FROM_FILE)
        return find(name)->place;
    return source_of(name) == FROM_ENVIRONMENT ? option_variable(name, buf)
                                               : option_dashed(name, buf);
}

char **environment(void)
{
    char ***const variable = dlsym(RTLD_DEFAULT, "environ");

    return variable != NULL ? *variable : NULL;
}

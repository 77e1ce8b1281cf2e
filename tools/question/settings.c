/* SPDX-License-Identifier: MIT */
/*
 * Defaults of the user: a file of lines `option = value`, and of sections `[command]` whose lines
 * hold for one command. A section wins over the lines before the first section. The file is data:
 * nothing in it is run. Warnings of variables that belong to no option are here, too.
 */
#include "question/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_SETTINGS = 512 };

struct settings {
    struct setting {
        const char *name, *text;
        const char *place; /* "FILE:3: P =" */
        bool own;          /* of the section of this command */
    } all[MOST_SETTINGS];
    int n;
};

static struct settings *settings_of(const struct question *q)
{
    return part_of(q, PART_SETTINGS, sizeof(struct settings));
}

/* The file, to be freed; NULL: there is none. *named: LOGP_CONFIG names it. */
static char *settings_file(bool *named)
{
    const char *const given = getenv("LOGP_CONFIG"), *const xdg = getenv("XDG_CONFIG_HOME"),
                      *const home = getenv("HOME");
    const bool has_xdg = xdg != NULL && *xdg == '/';
    char path[4096];

    *named = given != NULL;
    if (given != NULL)
        return *given != '\0' ? need(strdup(given)) : NULL;
    if (!has_xdg && (home == NULL || *home == '\0'))
        return NULL;
    snprintf(path, sizeof(path), "%s%s/logp/config", has_xdg ? xdg : home,
             has_xdg ? "" : "/.config");
    return access(path, F_OK) == 0 ? need(strdup(path)) : NULL;
}

/* Without the blanks around it. */
static char *trim(char *text)
{
    static const char blanks[] = " \t\r";
    size_t n;

    text += strspn(text, blanks);
    for (n = strlen(text); n > 0 && strchr(blanks, text[n - 1]) != NULL; n--)
        text[n - 1] = '\0';
    return text;
}

/* Parse "[run]". *own: whether it is the section of this command */
static struct problem *read_section(char *line, const char *place, const char *command,
                                    const struct names *commands, bool *own)
{
    const size_t n = strlen(line);
    char hint[MAX_HINT];

    if (line[n - 1] != ']')
        return usage_problem("%s %s: a section is written [command]", place, line);
    line[n - 1] = '\0';
    if (find_name(commands, line + 1) < 0)
        return usage_problem("%s [%s]: no such command; %ssee logp --help", place, line + 1,
                             did_you_mean(commands, line + 1, hint));
    *own = strcmp(line + 1, command) == 0;
    return NULL;
}

static struct problem *read_setting(char *line, const char *place, const struct names *options,
                                    struct setting *out)
{
    char *const equals = strchr(line, '='), hint[MAX_HINT], *name;

    if (equals == NULL)
        return usage_problem("%s %s: a line is option = value, [command] or a comment behind #",
                             place, line);
    *equals = '\0';
    name = trim(line);
    if (find_name(options, name) < 0)
        return usage_problem("%s %s: no such option; %ssee logp --help", place, name,
                             did_you_mean(options, name, hint));
    *out = (struct setting){.name = name, .text = trim(equals + 1)};
    return NULL;
}

/* Keep a setting of this command. */
static struct problem *add_setting(const struct question *q, struct setting s, const char *place,
                                   bool in_section)
{
    struct settings *settings = settings_of(q);
    char shown[4200];

    if (settings->n == MOST_SETTINGS)
        return usage_problem("%s more than %d options", place, MOST_SETTINGS);
    snprintf(shown, sizeof(shown), "%s %s =", place, s.name);
    s.place = kept_by(q, strdup(shown), free);
    s.own = in_section;
    settings->all[settings->n++] = s;
    return NULL;
}

static struct problem *read_lines(const struct question *q, const char *path, char *text,
                                  const char *command, const struct names *options)
{
    bool own = true, in_section = false;
    char *line, place[4160];

    for (int n = 1; (line = strsep(&text, "\n")) != NULL; n++) {
        struct setting s;

        line = trim(line);
        snprintf(place, sizeof(place), "%s:%d:", path, n);
        if (*line == '\0' || *line == '#')
            continue;
        if (*line == '[') {
            TRY(read_section(line, place, command, &q->line.vocabulary->commands, &own));
            in_section = true;
            continue;
        }
        TRY(read_setting(line, place, options, &s));
        if (own && *s.text != '\0')
            TRY(add_setting(q, s, place, in_section));
    }
    return NULL;
}

struct problem *read_settings(const struct question *q, const char *command,
                              const struct names *options)
{
    bool named;
    char *const path = settings_file(&named), *text;
    const char *why;

    if (path == NULL)
        return NULL;
    kept_by(q, path, free);
    text = text_of_file(path, &why);
    if (text == NULL)
        return usage_problem("%s%s: %s", named ? "LOGP_CONFIG " : "", path, why);
    return read_lines(q, path, kept_by(q, text, free), command, options);
}

const char *setting_of(const struct question *q, const char *name)
{
    const struct settings *s = settings_of(q);
    const struct setting *found = NULL;

    for (int i = 0; i < s->n; i++)
        if (strcmp(s->all[i].name, name) == 0 && (found == NULL || s->all[i].own >= found->own))
            found = &s->all[i];
    if (found != NULL)
        note_place(q, name, found->place);
    return found != NULL ? found->text : NULL;
}

/* Other programs of this project have variables that begin with these. */
static bool is_of_another(const char *variable)
{
    static const char *const begins[] = {"LOGP_CHECK_", "LOGP_REPLAY_", "LOGP_TEST_",
                                         "LOGP_TRANSPORT_PATH=", "LOGP_CONFIG="};
    bool is = strncmp(variable, "LOGP_", 5) != 0;

    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        is |= strncmp(variable, begins[i], strlen(begins[i])) == 0;
    return is;
}

void warn_of_variables(const struct names *options)
{
    for (char **v = environment(); v != NULL && *v != NULL; v++) {
        const size_t n = strcspn(*v, "=");
        char name[64], known[32], word[64];
        const char *meant;
        bool there = false;

        if (is_of_another(*v) || n >= sizeof(name) || (*v)[n] == '\0' || (*v)[n + 1] == '\0')
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)n, *v);
        for (int i = 0; i < options->n; i++)
            there |= strcmp(option_variable(options->name[i], known), name) == 0;
        snprintf(word, sizeof(word), "%s", name + 5);
        for (char *s = word; *s != '\0'; s++)
            *s = *s == '_' ? '-' : *s;
        meant = there ? NULL : nearest_name(options, word);
        if (meant != NULL)
            say_note("%s in the environment is not used; did you mean %s?", name,
                     option_variable(meant, known));
    }
}

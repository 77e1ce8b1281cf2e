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

static struct setting {
    const char *name, *text;
    const char *place; /* "FILE:3: P =" */
    bool own;          /* of the section of this command */
} settings[MOST_SETTINGS];
static int n_settings;

/* The file, to be freed; NULL: there is none. *named: LOGP_CONFIG names it. */
static char *settings_file(bool *named)
{
    const char *const given = getenv("LOGP_CONFIG"), *const xdg = getenv("XDG_CONFIG_HOME"),
                      *const home = getenv("HOME");
    const bool has_xdg = xdg != NULL && *xdg == '/';
    char path[4096];

    *named = given != NULL;
    if (given != NULL)
        return *given != '\0' ? or_end(strdup(given)) : NULL;
    if (!has_xdg && (home == NULL || *home == '\0'))
        return NULL;
    snprintf(path, sizeof(path), "%s%s/logp/config", has_xdg ? xdg : home,
             has_xdg ? "" : "/.config");
    return access(path, F_OK) == 0 ? or_end(strdup(path)) : NULL;
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

/* Parse "[run]". @return whether it is the section of this command */
static bool is_own_section(char *line, const char *place, const char *command,
                           const struct names *commands)
{
    const size_t n = strlen(line);
    char hint[MAX_HINT];

    if (line[n - 1] != ']')
        bad_usage("%s %s: a section is written [command]", place, line);
    line[n - 1] = '\0';
    if (find_name(commands, line + 1) < 0)
        bad_usage("%s [%s]: no such command; %ssee logp --help", place, line + 1,
                  did_you_mean(commands, line + 1, hint));
    return strcmp(line + 1, command) == 0;
}

static struct setting setting_in(char *line, const char *place, const struct names *options)
{
    char *const equals = strchr(line, '='), hint[MAX_HINT], *name;

    if (equals == NULL)
        bad_usage("%s %s: a line is option = value, [command] or a comment behind #", place, line);
    *equals = '\0';
    name = trim(line);
    if (find_name(options, name) < 0)
        bad_usage("%s %s: no such option; %ssee logp --help", place, name,
                  did_you_mean(options, name, hint));
    return (struct setting){.name = name, .text = trim(equals + 1)};
}

/* Keep a setting of this command. */
static void add_setting(struct setting s, const char *place, bool in_section)
{
    char shown[4200];

    if (n_settings == MOST_SETTINGS)
        bad_usage("%s more than %d options", place, MOST_SETTINGS);
    snprintf(shown, sizeof(shown), "%s %s =", place, s.name);
    s.place = or_end(strdup(shown));
    s.own = in_section;
    settings[n_settings++] = s;
}

void read_settings(const char *command, const struct names *commands, const struct names *options)
{
    static char *text; /* the settings point into it */
    bool named, own = true, in_section = false;
    char *const path = settings_file(&named), *line, *rest, place[4160];
    const char *why;

    if (path == NULL)
        return;
    text = text_of_file(path, &why);
    if (text == NULL)
        bad_usage("%s%s: %s", named ? "LOGP_CONFIG " : "", path, why);
    rest = text;
    for (int n = 1; (line = strsep(&rest, "\n")) != NULL; n++) {
        struct setting s;

        line = trim(line);
        snprintf(place, sizeof(place), "%s:%d:", path, n);
        if (*line == '\0' || *line == '#')
            continue;
        if (*line == '[') {
            own = is_own_section(line, place, command, commands);
            in_section = true;
            continue;
        }
        s = setting_in(line, place, options);
        if (own && *s.text != '\0')
            add_setting(s, place, in_section);
    }
    free(path);
}

const char *setting_of(const char *name)
{
    const struct setting *found = NULL;

    for (int i = 0; i < n_settings; i++)
        if (strcmp(settings[i].name, name) == 0 && (found == NULL || settings[i].own >= found->own))
            found = &settings[i];
    if (found != NULL)
        note_place(name, found->place);
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

/* SPDX-License-Identifier: MIT */
/* --machine: one of the named, or a file (logp/machine.h). */
#include "question/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_machines(struct names *names)
{
    const struct logp_machine_file *m;

    add_name(names, "none");
    for (size_t i = 0; (m = logp_machine_file_at(i)) != NULL; i++)
        add_name(names, m->name);
}

const char *all_machines(const struct question *q, char buf[MAX_LIST])
{
    struct names names = {0};

    (void)q;
    name_machines(&names);
    return list_names(&names, ", ", buf);
}

/* Name the machine after its file if it has no name. */
static void complete_names(struct logp_machine_file *machine, const char *file)
{
    char *shown;

    if (machine->name[0] == '\0') {
        shown = shown_text(file);
        snprintf(machine->name, sizeof(machine->name), "%s", shown);
        free(shown);
    }
    if (machine->title[0] == '\0')
        memcpy(machine->title, machine->name, sizeof(machine->title));
}

static struct problem *read_machine(const struct question *q, const char *option, const char *file,
                                    const char *text, struct logp_machine_file *machine)
{
    struct logp_machine_file_error error;
    char shown[32];

    if (logp_machine_file_read(text, machine, &error) != 0)
        return usage_problem("%s %s:%d: %s: %s", option_shown(q, option, shown), file, error.line,
                             error.what, error.allowed);
    if (!is_printable(machine->name) || !is_printable(machine->title) ||
        !is_printable(machine->source))
        return must_be(option, file,
                       "a file whose name, title and source have no control characters");
    complete_names(machine, file);
    return NULL;
}

/* The line, from 1, on which a machine file sets this key; 0: it is none, or the file cannot be read. */
static int line_of_key(const char *file, const char *key)
{
    const char *why;
    char *const text = text_of_file(file, &why), *rest = text, *line;
    int n = 0, found = 0;

    while (found == 0 && (line = strsep(&rest, "\n")) != NULL) {
        n++;
        line += strspn(line, " \t");
        if (strncmp(line, key, strlen(key)) == 0 &&
            line[strlen(key) + strspn(line + strlen(key), " \t")] == '=')
            found = n;
    }
    free(text);
    return found;
}

struct problem *problem_of_machine(const struct question *q, const char *option, const char *file,
                                   const char *key, struct problem *p)
{
    const int line = p != NULL ? line_of_key(file, key) : 0;
    struct problem *placed;
    char shown[32];

    if (line == 0)
        return p;
    placed = usage_problem("%s %s:%d: %.*s: %s", option_shown(q, option, shown), file, line,
                           p->value_bytes, p->text, p->text + p->value_bytes);
    free(p);
    return placed;
}

struct problem *find_machine(const struct question *q, const char *option, const char *word,
                             const struct logp_machine_file **machine)
{
    struct logp_machine_file *read;
    struct problem *problem;
    const char *why;
    char *text, list[MAX_LIST];
    struct names names = {0};

    *machine = logp_machine_file_find(word);
    if (*machine != NULL)
        return NULL;
    text = text_of_file(word, &why);
    if (text == NULL) {
        name_machines(&names);
        if (strpbrk(word, "./") != NULL)
            return option_problem(option, word, "cannot read it: %s; give a file, or %s", why,
                                  one_of(&names, NULL, list));
        return option_problem(option, word, "%s, or a readable file: %s",
                              one_of(&names, word, list), why);
    }
    *machine = read = kept_by(q, malloc(sizeof(*read)), free);
    problem = read_machine(q, option, word, text, read);
    free(text);
    return problem;
}

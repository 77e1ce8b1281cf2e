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
        return option_problem(option, file,
                              "a file whose name, title and source have no control characters");
    complete_names(machine, file);
    return NULL;
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
        return option_problem(option, word, "%s, or a readable file: %s",
                              one_of(&names, word, list), why);
    }
    *machine = read = kept_by(q, malloc(sizeof(*read)), free);
    problem = read_machine(q, option, word, text, read);
    free(text);
    return problem;
}

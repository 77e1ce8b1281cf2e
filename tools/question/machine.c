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

/* The text of a file, to be freed; ends the process where it cannot be read. */
static char *text_of(const char *option, const char *file)
{
    const char *why;
    char *text = text_of_file(file, &why), list[MAX_LIST];
    struct names names = {0};

    if (text == NULL) {
        name_machines(&names);
        bad_option(option, file, "%s, or a readable file: %s", one_of(&names, file, list), why);
    }
    return text;
}

const struct logp_machine_file *find_machine(const char *option, const char *word)
{
    static struct logp_machine_file machine;
    const struct logp_machine_file *named = logp_machine_file_find(word);
    struct logp_machine_file_error error;
    char shown[32], *text, *shown_word;

    if (named != NULL)
        return named;
    text = text_of(option, word);
    if (logp_machine_file_read(text, &machine, &error) != 0)
        bad_usage("%s %s:%d: %s: %s", option_shown(option, shown), word, error.line, error.what,
                  error.allowed);
    free(text);
    if (!is_printable(machine.name) || !is_printable(machine.title) ||
        !is_printable(machine.source))
        bad_option(option, word, "a file whose name, title and source have no control characters");
    if (machine.name[0] == '\0') {
        shown_word = shown_text(word);
        snprintf(machine.name, sizeof(machine.name), "%s", shown_word);
        free(shown_word);
    }
    if (machine.title[0] == '\0')
        memcpy(machine.title, machine.name, sizeof(machine.title));
    return &machine;
}

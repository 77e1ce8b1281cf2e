/* SPDX-License-Identifier: MIT */
/* The answer to a command line. */
#include "commands/command.h"
#include "view/canvas/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Print the facts that a bug report needs. The MPIs are those that the build found. */
static void print_version(FILE *f)
{
    char *const converter = find_converter();

    fprintf(f, "logp %s\ncommit: %s\ncompiler: %s\nMPI: %s\nrsvg-convert: %s\n", logp_version(),
            LOGP_COMMIT, LOGP_COMPILER, LOGP_MPIS, converter != NULL ? converter : "not found");
    free(converter);
}

/* Check and open the destination of the answer before anything is run. */
static struct problem *begin_output(const struct question *q, struct answer_file *to)
{
    if (q->form.output == NULL && (q->line.sets & OPTIONS_FORMAT) != 0 &&
        q->form.format->is_binary && isatty(fileno(to->f)))
        return option_problem("--format", q->form.format->name,
                              "with --output FILE: it is not for a terminal");
    if (q->form.output == NULL || over_processes(q))
        return NULL;
    if (q->form.keeps_records)
        return check_place("--output", q->form.output);
    return answer_open(to, "--output", q->form.output);
}

struct problem *begin_shared_output(const struct question *q, struct logp_machine *m,
                                    struct answer_file *to)
{
    if (q->form.output == NULL || !over_processes(q))
        return NULL;
    TRY(agree_on_place(q, m));
    return logp_machine_process(m) == 0 ? answer_open(to, "--output", q->form.output) : NULL;
}

/* Whether the command draws an SVG, which becomes a PNG or a PDF here; curves are converted where
 * they are drawn, because other files may have them, too. */
static bool is_converted(const struct question *q)
{
    static const enum answer drawn[] = {ANSWER_TREE, ANSWER_TRACE, ANSWER_VERSUS, ANSWER_PAPER};
    bool draws = false;

    for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++)
        draws |= q->line.answer == drawn[i];
    return draws && (q->line.sets & OPTIONS_FORMAT) != 0 && is_converted_picture(q->form.format);
}

static struct problem *call_command(const struct command *command, struct question *q,
                                    struct answer_file *to)
{
    struct drawing d;
    struct problem *problem, *of_picture;

    if (!is_converted(q))
        return command->call(q, to);
    begin_drawing(&d, to->f, q->form.format->name);
    to->f = d.f;
    problem = command->call(q, to);
    to->f = d.to;
    of_picture = end_drawing(&d);
    if (of_picture == NULL)
        return problem;
    to->is_whole = false;
    free(problem);
    return of_picture;
}

struct problem *answer_line(struct question *q, int argc, char **argv, struct answer_file *to)
{
    const struct command *command;

    if (argc > 1 && strcmp(argv[1], "complete") == 0)
        return complete_words(q, argc - 2, argv + 2, to->f);
    if (argc > 1 && strcmp(argv[1], "mpirun") == 0)
        TRY(take_foreign_options(q, &argc, &argv));
    TRY(question_of_words(q, argc, argv));
    if (q->line.version) {
        print_version(to->f);
        return NULL;
    }
    command = q->line.command != NULL ? command_of(q->line.command) : NULL;
    if (command == NULL)
        print_help(to->f);
    else if (q->line.help)
        print_command_help(to->f, command, q);
    if (q->line.help)
        return NULL;
    if (command == NULL)
        return told(EXIT_USAGE);
    if (is_converted(q))
        TRY(check_converter("--format", q->form.format->name));
    TRY(begin_output(q, to));
    return call_command(command, q, to);
}

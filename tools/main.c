/* SPDX-License-Identifier: MIT */
/* The `logp` command: which word calls what, and the first screen of help. */
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct command {
    const char *name, *arguments, *summary;
    unsigned options;
    int (*call)(struct options *o);
} commands[] = {
    {"run", "COLLECTIVE", "run it, measure it, hold it against the model",
     OPTIONS_MODEL | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_BASIS, command_run},
    {"predict", "COLLECTIVE", "the prediction alone, nothing is run",
     OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_BASIS, command_predict},
    {"schedule", "COLLECTIVE", "who does what, step by step: text, json or goal",
     OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_STEPS, command_schedule},
    {"list", "[KIND]", "the collectives, algorithms, delays and machines",
     OPTIONS_FORMAT | OPTIONS_FORGIVING, command_list},
    {"tree", "KIND", "broadcast or summation: the optimal tree: who sends to whom, when",
     OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_SVG | OPTIONS_TREE, command_tree},
    {"paper", "NAME", "shou-chen, sun, kurnosov, grama, liu: its figures and tables beside ours",
     OPTIONS_UNIT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_SVG | OPTIONS_PAPER, command_paper},
};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_help(void)
{
    puts("logp runs collective algorithms on processors emulated under the LogP model, on this\n"
         "box, and holds their real running times against the model's predictions.\n\n"
         "Try this first:\n\n"
         "  logp run broadcast --algo all       every algorithm, measured against its prediction\n"
         "  logp run broadcast -P 16 -L 20      sixteen processors, a slower network\n"
         "  logp run barrier -P 64 --executor fiber      many processors on few cores\n"
         "  logp tree broadcast -P 16           the best tree for these L, o, g\n"
         "  logp tree summation -P 7 --format svg  the best summation, as a picture\n"
         "  logp predict broadcast -P 1000000 --algo all\n"
         "  logp paper kurnosov                 a paper's figures beside ours\n\n"
         "Commands:\n");
    for (int i = 0; i < N_COMMANDS; i++)
        printf("  %-8s %-11s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
    puts("\nThe most used options (all of them: logp run --help):\n\n"
         "  -P N              virtual processors [8]\n"
         "  -L T -o T -g T    latency, overhead, gap [6 2 4]; plain numbers count units\n"
         "  --unit T          what one unit is [10us]\n"
         "  --algo NAMES      which algorithms; all; auto: the best predicted [auto]\n"
         "  --executor fiber  many processors a core, small units\n"
         "  --clock virtual   let time jump instead of waiting: exact, for any P\n"
         "  --format json     for scripts; csv too");
}

static void print_command_help(const struct command *c)
{
    printf("logp %s %s [options]: %s\n\n", c->name, c->arguments, c->summary);
    print_options(stdout, c->options);
    if (c->options & OPTIONS_MODEL)
        puts("\nDefaults can be set in the environment: LOGP_P, LOGP_L, LOGP_UNIT, LOGP_O_SEND, "
             "...");
    if (c->call == command_paper)
        puts("\nDefaults of a paper: the fiber executor, 5 counted runs after 1, a unit of its "
             "own;\n"
             "--clock virtual measures nothing. Pictures (--format svg): kurnosov, liu.");
}

/* Output that was lost is an error too. */
static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "logp: the output could not be written: %s\n", strerror(errno));
    return EXIT_WRONG;
}

int main(int argc, char **argv)
{
    static struct options o;
    const struct command *command = NULL;

    parse_options(argc, argv, &o);
    if (o.version) {
        printf("logp %s\n", logp_version());
        return EXIT_OK;
    }
    for (int i = 0; i < N_COMMANDS; i++)
        if (o.n_words > 0 && strcmp(o.words[0], commands[i].name) == 0)
            command = &commands[i];
    if (o.help && command != NULL)
        print_command_help(command);
    else if (o.help || o.n_words == 0)
        print_help();
    if (o.help)
        return EXIT_OK;
    if (o.n_words == 0)
        return EXIT_USAGE;
    if (command == NULL)
        bad_usage("%s: no such command; see logp --help", o.words[0]);
    settle_options(&o, command->name, command->options);
    return finish(command->call(&o));
}

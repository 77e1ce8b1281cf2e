/* SPDX-License-Identifier: MIT */
/* logp manual: the manual page, in roff, from the tables of commands and options. */
#include "commands/command.h"

#include <stdio.h>
#include <string.h>

/* Text that roff shows as it is. */
static void put(const char *text)
{
    for (bool first = true; *text != '\0'; first = *text++ == '\n') {
        if (first && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

/* In a font: B, I. */
static void put_in(char font, const char *text)
{
    printf("\\f%c", font);
    put(text);
    fputs("\\fR", stdout);
}

/* Lines that stay as they are. */
static void put_lines(const char *text)
{
    puts(".nf");
    put(text + strspn(text, "\n"));
    puts(text[strlen(text) - 1] == '\n' ? ".fi" : "\n.fi");
}

static void put_command(const struct command *c)
{
    fputs(".SS \"logp ", stdout);
    put(c->name);
    fputs(*c->arguments != '\0' ? " \\fI" : "", stdout);
    put(c->arguments);
    puts("\\fR\"");
    put(c->summary);
    puts(".");
    if (c->remark != NULL) {
        puts(".PP");
        put_lines(c->remark);
    }
    if (c->under != NULL)
        put_command(c->under);
}

/* An option, and the commands that take it. */
static void put_option(struct question *q, int i)
{
    const unsigned spans = OPTIONS_PAPER | OPTIONS_SWEEP | OPTIONS_SPANS | OPTIONS_MEASURE;
    const struct command *c;
    struct option_facts f;
    const char *between = "\nOf ";

    if (!option_facts(q, i, ~spans, &f))
        return;
    puts(".TP");
    put_in('B', f.option);
    if (f.value != NULL) {
        putchar(' ');
        put_in('I', f.value);
    }
    putchar('\n');
    put(f.help);
    put(f.preset);
    putchar('.');
    for (size_t k = 0; (c = command_at(k)) != NULL; k++)
        if ((f.sets & (options_of(c) | (c->under != NULL ? c->under->options : 0))) != 0) {
            fputs(between, stdout);
            put_in('B', c->name);
            between = ", ";
        }
    puts(".");
}

static int manual(struct question *q)
{
    const struct command *c;
    struct option_facts f;

    if (q->line.n_words > 1)
        bad_usage("%s: unexpected argument", q->line.words[1]);
    printf(".TH LOGP 1 \"\" \"logp %s\" \"User Commands\"\n", logp_version());
    puts(".SH NAME\nlogp \\- run collective algorithms on processors emulated under the LogP "
         "model\n"
         ".SH SYNOPSIS\n.B logp\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR] [\\fIoptions\\fR]\n"
         ".SH DESCRIPTION");
    put(help_introduction);
    puts("Options may be given before or after the arguments.\n.SH COMMANDS");
    for (size_t i = 0; (c = command_at(i)) != NULL; i++)
        put_command(c);
    puts(".SH OPTIONS\nDefaults are shown in [brackets].");
    for (int i = 0; option_facts(q, i, 0, &f); i++)
        put_option(q, i);
    puts(".TP\n\\fB\\-\\-help\\fR, \\fB\\-h\\fR\nAll options of a command, or the most used "
         "options.\n"
         ".TP\n\\fB\\-\\-version\\fR\nThe version, commit, compiler, MPIs and rsvg-convert (also "
         "-V).\n"
         ".SH ENVIRONMENT\n"
         "Each option has a variable that is its default, \\fBLOGP_P\\fR, \\fBLOGP_o\\fR, "
         "\\fBLOGP_UNIT\\fR, \\fBLOGP_O_SEND\\fR and so on; empty variables are ignored.\n"
         ".SH FILES\n"
         ".TP\n\\fI~/.config/logp/config\\fR\nDefaults: lines \\fBoption = value\\fR with the long "
         "names, also in sections \\fB[command]\\fR. Variables win over it. "
         "\\fBLOGP_CONFIG\\fR names another file; empty: none.\n"
         ".SH \"EXIT STATUS\"\n"
         ".TP\n0\nEverything ran, and every result was verified.\n"
         ".TP\n1\nSomething is wrong: a result, a prediction, a deadlock, an interrupt.\n"
         ".TP\n2\nBad usage: one line on stderr shows the fault and the allowed values.\n"
         ".SH EXAMPLES");
    put_lines(help_examples);
    return EXIT_OK;
}

const struct command command_manual = {
    .name = "manual",
    .arguments = "",
    .summary = "the manual page: logp manual | man -l -",
    .call = manual,
};

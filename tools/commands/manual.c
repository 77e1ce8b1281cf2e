/* SPDX-License-Identifier: MIT */
/* logp manual: the manual page, in roff, from the tables of commands and options. */
#include "commands/command.h"

#include <stdio.h>
#include <string.h>

/* Text that roff shows as it is. */
static void put(FILE *f, const char *text)
{
    for (bool first = true; *text != '\0'; first = *text++ == '\n') {
        if (first && (*text == '.' || *text == '\''))
            fputs("\\&", f);
        if (*text == '\\')
            fputs("\\e", f);
        else if (*text == '-')
            fputs("\\-", f);
        else
            fputc(*text, f);
    }
}

/* In a font: B, I. */
static void put_in(FILE *f, char font, const char *text)
{
    fprintf(f, "\\f%c", font);
    put(f, text);
    fputs("\\fR", f);
}

/* Lines that stay as they are. */
static void put_lines(FILE *f, const char *text)
{
    fputs(".nf\n", f);
    put(f, text + strspn(text, "\n"));
    fputs(text[strlen(text) - 1] == '\n' ? ".fi\n" : "\n.fi\n", f);
}

static void put_command(FILE *f, const struct command *c)
{
    fputs(".SS \"logp ", f);
    put(f, c->name);
    fputs(*c->arguments != '\0' ? " \\fI" : "", f);
    put(f, c->arguments);
    fputs("\\fR\"\n", f);
    put(f, c->summary);
    fputs(".\n", f);
    if (c->remark != NULL) {
        fputs(".PP\n", f);
        put_lines(f, c->remark);
    }
    if (c->under != NULL)
        put_command(f, c->under);
}

/* An option, and the commands that take it. */
static void put_option(FILE *f, struct question *q, int i)
{
    const unsigned spans = OPTIONS_PAPER | OPTIONS_SWEEP | OPTIONS_SPANS | OPTIONS_MEASURE;
    const struct command *c;
    struct option_facts facts;
    const char *between = "\nOf ";

    if (!option_facts(q, i, ~spans, &facts))
        return;
    fputs(".TP\n", f);
    put_in(f, 'B', facts.option);
    if (facts.value != NULL) {
        fputc(' ', f);
        put_in(f, 'I', facts.value);
    }
    fputc('\n', f);
    put(f, facts.help);
    put(f, facts.preset);
    fputc('.', f);
    for (size_t k = 0; (c = command_at(k)) != NULL; k++)
        if ((facts.sets & (options_of(c) | (c->under != NULL ? c->under->options : 0))) != 0) {
            fputs(between, f);
            put_in(f, 'B', c->name);
            between = ", ";
        }
    fputs(".\n", f);
}

static struct problem *manual(struct question *q, struct answer_file *to)
{
    const struct command *c;
    FILE *const f = to->f;
    struct option_facts facts;

    if (q->line.n_words > 1)
        return usage_problem("%s: unexpected argument", q->line.words[1]);
    fprintf(f, ".TH LOGP 1 \"\" \"logp %s\" \"User Commands\"\n", logp_version());
    fputs(".SH NAME\nlogp \\- run collective algorithms on processors emulated under the LogP "
          "model\n"
          ".SH SYNOPSIS\n.B logp\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR] [\\fIoptions\\fR]\n"
          ".SH DESCRIPTION\n",
          f);
    put(f, help_introduction);
    fputs("Options may be given before or after the arguments.\n.SH COMMANDS\n", f);
    for (size_t i = 0; (c = command_at(i)) != NULL; i++)
        put_command(f, c);
    fputs(".SH OPTIONS\nDefaults are shown in [brackets].\n", f);
    for (int i = 0; option_facts(q, i, 0, &facts); i++)
        put_option(f, q, i);
    fputs(
        ".TP\n\\fB\\-\\-help\\fR, \\fB\\-h\\fR\nAll options of a command, or the most used "
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
        ".SH EXAMPLES\n",
        f);
    put_lines(f, help_examples);
    return NULL;
}

const struct command command_manual = {
    .name = "manual",
    .arguments = "",
    .summary = "the manual page: logp manual | man -l -",
    .call = manual,
};

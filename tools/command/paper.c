/* SPDX-License-Identifier: MIT */
/* logp paper: a paper's figures and tables beside ours. */
#include "command/command.h"
#include "papers/paper.h"

#include <string.h>

static const struct paper_kind *const papers[] = {&paper_shou_chen, &paper_sun, &paper_kurnosov,
                                                  &paper_grama, &paper_liu};

enum { N_PAPERS = sizeof(papers) / sizeof(papers[0]), LONGEST_UNIT_NS = 1000000000 };

/* Only those that are drawn, or all. */
static struct names paper_names(bool only_drawn)
{
    struct names names = {0};

    for (int i = 0; i < N_PAPERS; i++)
        if (papers[i]->drawn || !only_drawn)
            add_name(&names, papers[i]->name);
    return names;
}

static struct names all_papers(void)
{
    return paper_names(false);
}

static const struct paper_kind *the_paper(const struct options *o)
{
    const struct names names = paper_names(false);
    char list[MAX_LIST];
    int which;

    if (o->n_words < 2)
        bad_usage("paper: which paper? %s", one_of(&names, NULL, list));
    if (o->n_words > 2)
        bad_usage("%s: unexpected word; one paper at a time", o->words[2]);
    which = find_name(&names, o->words[1]);
    if (which < 0)
        bad_usage("paper %s: no such paper; %s", o->words[1], one_of(&names, o->words[1], list));
    return papers[which];
}

static bool prints(const struct output_format *format)
{
    return format->paper != NULL;
}

static bool prints_all(const struct output_format *format)
{
    return format->paper != NULL && !format->draws;
}

static int show_paper(struct options *o)
{
    static struct paper p;
    const struct paper_kind *kind = the_paper(o);
    const struct names drawn = paper_names(true);
    char formats[MAX_LIST], list[MAX_LIST];

    if (o->format->draws && !kind->drawn)
        bad_option("--format", o->format->name, "%s; there are pictures of %s",
                   formats_for(o->formats, prints_all, formats), one_of(&drawn, NULL, list));
    if (option_given("plugin") && strcmp(option_text("plugin"), "none") != 0)
        bad_option("--plugin", option_text("plugin"),
                   "a paper's figures have delay models of their own");
    if (o->unit_ns > LONGEST_UNIT_NS)
        bad_option("--unit", option_text("unit"), "for a paper at most 1s");
    warn_of_unused(o);
    o->one_core = !option_given("cores"); /* many short runs, for which cores only meet */
    p = (struct paper){.name = kind->name, .title = kind->title, .o = o};
    kind->fill(&p);
    o->format->paper(&p);
    paper_free(&p);
    return p.wrong ? EXIT_WRONG : EXIT_OK;
}

const struct command command_paper = {
    .name = "paper",
    .arguments = "NAME",
    .summary = "shou-chen, sun, kurnosov, grama, liu: its figures and tables beside ours",
    .options = OPTIONS_UNIT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_PAPER,
    .prints = prints,
    .remark = "\nDefaults of a paper: the fiber executor, 5 counted runs after 1, a unit of its "
              "own;\n--clock virtual measures nothing. Pictures (--format svg): kurnosov, liu.",
    .call = show_paper,
    .words = all_papers,
};

/* SPDX-License-Identifier: MIT */
/* logp paper: a paper's figures and tables beside ours. */
#include "papers/paper.h"

#include <string.h>

static const struct {
    const char *name, *title;
    void (*fill)(struct paper *p);
    bool drawn;
} papers[] = {
    {"shou-chen", "Shou & Chen 1996: optimal broadcast and summation in the LogP model",
     paper_shou_chen, false},
    {"sun", "Sun, Zhang & Song 2002: data redistribution", paper_sun, false},
    {"kurnosov", "Kurnosov 2016: reduction along k chains", paper_kurnosov, true},
    {"grama", "Grama, Gupta, Karypis, Kumar 2003, chapter 4.1: recursive doubling", paper_grama,
     false},
    {"liu", "Liu, Li & Cui 1996: pipelined broadcast on a torus", paper_liu, true},
};

enum { N_PAPERS = sizeof(papers) / sizeof(papers[0]), LONGEST_UNIT_NS = 1000000000 };

/* Only those that are drawn, or all. */
static struct names paper_names(bool only_drawn)
{
    struct names names = {0};

    for (int i = 0; i < N_PAPERS; i++)
        if (papers[i].drawn || !only_drawn)
            add_name(&names, papers[i].name);
    return names;
}

static int the_paper(const struct options *o)
{
    const struct names names = paper_names(false);
    char list[MAX_LIST];

    if (o->n_words < 2)
        bad_usage("paper: which paper? %s", one_of(&names, NULL, list));
    if (o->n_words > 2)
        bad_usage("%s: unexpected word; one paper at a time", o->words[2]);
    for (int i = 0; i < N_PAPERS; i++)
        if (strcmp(o->words[1], papers[i].name) == 0)
            return i;
    bad_usage("paper %s: no such paper; %s", o->words[1], one_of(&names, o->words[1], list));
}

int command_paper(struct options *o)
{
    static struct paper p;
    const int which = the_paper(o);
    const struct names drawn = paper_names(true);
    char list[MAX_LIST];

    if (o->format == FORMAT_SVG && !papers[which].drawn)
        bad_option("--format", "svg", "table, json or csv; there are pictures of %s",
                   one_of(&drawn, NULL, list));
    if (o->plugin != NULL)
        bad_option("--plugin", o->plugin, "a paper's figures have delay models of their own");
    if (o->unit_ns > LONGEST_UNIT_NS)
        bad_option("--unit", option_text("unit"), "for a paper at most 1s");
    warn_of_unused(o);
    o->one_core = !option_given("cores"); /* many short runs, for which cores only meet */
    p = (struct paper){.name = papers[which].name, .title = papers[which].title, .o = o};
    papers[which].fill(&p);
    if (o->format == FORMAT_SVG)
        draw_paper_svg(stdout, &p);
    else
        print_paper(&p);
    paper_free(&p);
    return p.wrong ? EXIT_WRONG : EXIT_OK;
}

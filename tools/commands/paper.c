/* SPDX-License-Identifier: MIT */
/* logp paper: the figures and tables of a paper, next to ours. */
#include "commands/command.h"
#include "papers/paper.h"
#include "view/canvas/picture.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct paper_kind *const papers[] = {&paper_shou_chen, &paper_sun, &paper_kurnosov,
                                                  &paper_grama, &paper_liu};

enum { N_PAPERS = sizeof(papers) / sizeof(papers[0]), LONGEST_UNIT_NS = 1000000000 };

static struct names paper_names(void)
{
    struct names names = {0};

    for (int i = 0; i < N_PAPERS; i++)
        add_name(&names, papers[i]->name);
    return names;
}

static struct problem *the_paper(const struct question *q, const struct paper_kind **out)
{
    const struct names names = paper_names();
    char list[MAX_LIST];
    int which;

    if (q->line.n_words < 2)
        return usage_problem("paper: which paper? %s", one_of(&names, NULL, list));
    if (q->line.n_words > 2)
        return usage_problem("%s: unexpected argument; give one paper", q->line.words[2]);
    which = find_name(&names, q->line.words[1]);
    if (which < 0)
        return usage_problem("paper %s: no such paper; %s", q->line.words[1],
                             one_of(&names, q->line.words[1], list));
    *out = papers[which];
    return NULL;
}

/* Make a folder, unless it exists. */
static struct problem *make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return must_be("--plot", path, "a folder that exists or can be created: %s",
                       strerror(errno));
    if (access(path, W_OK | X_OK) != 0)
        return must_be("--plot", path, "a writable folder: %s", strerror(errno));
    return NULL;
}

static struct problem *show_paper(struct question *q, struct answer_file *to)
{
    struct paper p;
    const struct paper_kind *kind = NULL;
    struct problem *problem;

    TRY(the_paper(q, &kind));
    if (q->form.plot != NULL) {
        TRY(check_converter("--plot", q->form.plot));
        TRY(make_folder(q->form.plot));
    }
    if (option_given(q, "plugin") && strcmp(option_text(q, "plugin"), "none") != 0)
        return must_be("--plugin", option_text(q, "plugin"),
                       "none: each figure sets its own delay model; remove it");
    if (q->model.unit_ns > LONGEST_UNIT_NS)
        return must_be("--unit", option_text(q, "unit"), "at most 1s for a paper");
    q->how.one_core = !option_given(q, "cores"); /* many short runs, for which cores only meet */
    p = (struct paper){.q = q};
    paper_fill(&p, kind);
    problem = print_paper(to->f, q->form.format->form, &p);
    if (problem == NULL && q->form.plot != NULL)
        problem = draw_figures(&p, q->form.plot);
    if (problem == NULL)
        problem = told(tell_problem(q, p.problem) | (p.wrong ? EXIT_WRONG : EXIT_OK));
    paper_free(&p);
    return problem;
}

const struct command command_paper = {
    .name = "paper",
    .arguments = "NAME",
    .summary = "shou-chen, sun, kurnosov, grama, liu: compare a paper's figures with this library",
    .options =
        OPTIONS_UNIT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_PAPER | OPTIONS_PLOT,
    .answer = ANSWER_PAPER,
    .remark = "\nDefaults: --executor fiber, --reps 5, --warmup 1, and the --unit that the paper "
              "sets.\n--clock virtual measures nothing. --format svg draws all figures in one "
              "picture,\n--plot DIR each as PNG, SVG and PDF.",
    .call = show_paper,
    .words = paper_names,
};

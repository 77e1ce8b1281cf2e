/* SPDX-License-Identifier: MIT */
/* logp plot: the curves of a sweep, which is run or read from a file. */
#include "commands/command.h"
#include "view/canvas/picture.h"
#include "view/records/records.h"

static struct problem *plot(struct question *q, struct answer_file *to)
{
    static const struct names of_file = {
        {"--plot", "--output", "--format", "--size", "--title", "--scale"}, 6};
    const char *where = q->form.plot != NULL ? q->form.plot : q->form.format->name;

    q->form.only_plot = q->form.plot != NULL;
    if (q->form.plot != NULL && q->form.output != NULL && !q->form.keeps_records)
        return option_problem("--plot", q->form.plot,
                              "not together with --output %s; remove one of the two",
                              q->form.output);
    if (q->line.n_words < 2 || !is_record_file(q->line.words[1]))
        return run_sweep(q, NULL, to);
    if (q->line.n_words > 2)
        return usage_problem("%s: unexpected argument; give one collective or file",
                             q->line.words[2]);
    if (q->form.keeps_records)
        return must_be("--output", q->form.output, "a picture: the records are in %s already",
                       q->line.words[1]);
    TRY(refuse_others_than(q, &of_file, "a file of records"));
    TRY(check_picture(q->form.plot != NULL ? "--plot" : "--format", where));
    return draw_record_file(to->f, q, q->line.words[1], where);
}

const struct command command_plot = {
    .name = "plot",
    .arguments = "COLLECTIVE|FILE",
    .summary = "plot a sweep: run it, or read logp bench's FILE.csv or FILE.json",
    .options = OPTIONS_MODEL | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_BASIS | OPTIONS_SWEEP |
               OPTIONS_FILE | OPTIONS_OUTPUT | OPTIONS_WATCH | OPTIONS_PLOT | OPTIONS_FORGIVING |
               OPTIONS_PICTURE | OPTIONS_CURVES,
    .answer = ANSWER_CURVES,
    .remark =
        "\nLines are predicted times, points are measured medians with their 95 % intervals. "
        "The\nx axis is the option with the most values; each algorithm, and each value of "
        "the other\noptions, has a curve, with its name at the end.\n--scale auto: the x axis "
        "is logarithmic if the values of the sweep multiply (2,4,8:\npowers of two; "
        "10,100,1000: of ten), and linear if they add (1,2,3). The axis of times is\nlogarithmic "
        "if x is and the times span a factor of 16. --scale log sets both axes,\n--scale "
        "log,linear sets x and y.\n--output FILE.svg, .png or .pdf; default: SVG on stdout. "
        "PNG and PDF\nneed rsvg-convert.",
    .call = plot,
};

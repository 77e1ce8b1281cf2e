/* SPDX-License-Identifier: MIT */
/* logp plot: the curves of a sweep, which is run or read from a file. */
#include "command/command.h"
#include "output/output.h"

#include <string.h>

static bool is_file(const char *word)
{
    const char *end = strrchr(word, '.');

    return end != NULL && (strcmp(end, ".csv") == 0 || strcmp(end, ".json") == 0);
}

static int plot(struct options *o)
{
    static const struct names of_file = {
        {"--plot", "--output", "--format", "--size", "--title", "--scale"}, 6};
    const char *to = o->plot != NULL ? o->plot : o->format->name;

    o->only_plot = o->plot != NULL;
    if (o->plot != NULL && o->output != NULL && !o->keeps_records)
        bad_option("--plot", o->plot, "not together with --output %s; remove one of the two",
                   o->output);
    if (o->n_words < 2 || !is_file(o->words[1]))
        return run_sweep(o, NULL);
    if (o->n_words > 2)
        bad_usage("%s: unexpected argument; give one collective or file", o->words[2]);
    if (o->keeps_records)
        bad_option("--output", o->output, "a picture: the records are in %s already", o->words[1]);
    refuse_others_than(o, &of_file, "a file of records");
    check_picture(o->plot != NULL ? "--plot" : "--format", to);
    return draw_record_file(o, o->words[1], to);
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
        "Needs gnuplot.",
    .call = plot,
};

/* SPDX-License-Identifier: MIT */
/* logp plot: the curves of a sweep, which is run, or was and is in a file. */
#include "command/command.h"
#include "output/curves.h"

#include <string.h>

static bool is_file(const char *word)
{
    const char *end = strrchr(word, '.');

    return end != NULL && (strcmp(end, ".csv") == 0 || strcmp(end, ".json") == 0);
}

static int plot(struct options *o)
{
    o->only_plot = true;
    if (o->plot == NULL)
        o->plot = "";
    if (o->n_words < 2 || !is_file(o->words[1]))
        return command_bench.call(o);
    if (o->n_words > 2)
        bad_usage("%s: unexpected word", o->words[2]);
    check_picture("--plot", o->plot);
    return draw_record_file(o->words[1], o->plot);
}

static bool prints(const struct output_format *format)
{
    return format->records != NULL;
}

const struct command command_plot = {
    .name = "plot",
    .arguments = "COLLECTIVE|FILE",
    .summary = "curves of a sweep: run it, or take logp bench's FILE.csv or FILE.json",
    .options = OPTIONS_MODEL | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_BASIS | OPTIONS_SWEEP |
               OPTIONS_FILE | OPTIONS_WATCH | OPTIONS_PLOT,
    .prints = prints,
    .remark =
        "\nPredicted as lines, measured as points with the median's 95 % interval, over what has\n"
        "most values; a curve for each algorithm, and each value of what else varies. Sizes\n"
        "have logarithmic axes. Without --plot it is SVG on stdout. Needs gnuplot.",
    .call = plot,
};

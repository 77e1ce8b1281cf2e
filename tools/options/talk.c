/* SPDX-License-Identifier: MIT */
/* How much a command says besides its answer, and in which colours. */
#include "options/rows.h"

/* Applied after --progress. */
static void apply_quiet(struct options *o, const char *option, const char *text)
{
    o->quiet = switched(option, text);
    o->progress = o->progress && !o->quiet;
}

static void apply_color(struct options *o, const char *option, const char *text)
{
    static const struct names names = {{"auto", "always", "never"}, 3};

    o->color = which_name(option, text, &names);
}

const struct option_row talk_options[] = {
    {"quiet", NULL, "as -q: only the result and errors; no notes, no advice, no progress", "off",
     "", OPTIONS_TALK, .apply = apply_quiet},
    {"verbose", NULL, "as -v: show first which options are set, and where", "off", "", OPTIONS_TALK,
     SWITCH(verbose)},
    {"color", "WHEN", "colors on a terminal: auto (unless NO_COLOR is set), always, never", "auto",
     "", OPTIONS_TALK, .apply = apply_color, .words = "auto, always, never"},
    {0},
};

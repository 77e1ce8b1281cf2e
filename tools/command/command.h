/* SPDX-License-Identifier: MIT */
/* The commands: each is at the end of its file, as a row of the list in main.c. */
#ifndef LOGP_COMMAND_H
#define LOGP_COMMAND_H

#include "options/options.h"

struct command {
    const char *name, *arguments, *summary;
    unsigned options;               /* enum option_set */
    format_use prints;              /* the formats that it can use */
    const char *remark;             /* below the help of its options; NULL: nothing */
    int (*call)(struct options *o); /* @return exit code */
    const struct command *under;    /* another, whose second word stands behind this one's */
};

extern const struct command command_run, command_predict, command_schedule, command_list,
    command_tree, command_trace, command_tune, command_paper, command_bench, command_crossover;

#endif

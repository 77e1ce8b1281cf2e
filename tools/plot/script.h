/* SPDX-License-Identifier: MIT */
/* A script for gnuplot, and running it. */
#ifndef LOGP_PLOT_SCRIPT_H
#define LOGP_PLOT_SCRIPT_H

#include <stddef.h>
#include <stdio.h>

struct script {
    FILE *f; /* its commands */
    char *commands;
    size_t commands_size;
    FILE *texts; /* a line each */
    char *lines;
    size_t lines_size;
    int n_texts;
};

/* These end the process without memory. */
void script_begin(struct script *s);
/* Name a text in the commands, with a blank behind it; its characters that are in `twice` count
 * twice. Nothing in it is a command for gnuplot. */
void put_text(struct script *s, const char *text, const char *twice);
/* Run gnuplot. What it draws is written to a file, or to stdout: to is as in draw_plots(), but not
 * empty. @return an exit code; what is wrong is said */
int script_run(struct script *s, const char *to);
void script_end(struct script *s);

/* svg, png or pdf: what a name ends in, or is. */
const char *plot_kind(const char *to);

#endif

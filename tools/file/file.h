/* SPDX-License-Identifier: MIT */
/*
 * Files that the command writes. The new text goes to a temporary file in the same directory, which
 * takes the old one's place when all of it is there: a run that fails, that a signal ends or that
 * finds the disk full leaves the old file as it was, and no temporary file. It has no name until then; on a file
 * system that has only files with names, SIGKILL leaves it there. A symbolic link stays
 * one, and its target is replaced. What is no regular file (a pipe, a device, /dev/stdout) is
 * written to directly.
 */
#ifndef LOGP_TOOL_FILE_H
#define LOGP_TOOL_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Starts as {0}. */
struct new_file {
    FILE *f;      /* to write to, and unless it is a device to read; NULL: there is none */
    char *target; /* what is replaced; NULL: nothing, or not any more */
    int slot;     /* of the temporary file's name */
};

/* ---- replace.c ---- */

/* Can a file be written there? Nothing is changed. @return an errno; 0: yes, as far as known */
int place_error(const char *path);
/* End the process with exit code 2 where it cannot. option: what names the file */
void check_place(const char *option, const char *path);
/* Begin a file. @return an errno; 0: f->f is there */
int new_file_begin(struct new_file *f, const char *path);
/* Replace the old file now, and go on writing. @return an errno: the old file is as it was; 0 */
int new_file_publish(struct new_file *f);
/* All is written: replace the old file. @return an errno: the old file is as it was; 0 */
int new_file_keep(struct new_file *f);
/* Leave the old file as it was. */
void new_file_drop(struct new_file *f);
/* Remove all temporary files, before _Exit(). */
void drop_all_files(void);

/* ---- stdout.c: a command's answer, as a file ---- */

/* From now on stdout is the new file; ends the process with exit code 2 where there can be none. */
void begin_answer(const char *option, const char *path);
/* The whole answer has been printed, whatever the command's exit code will be. */
void answer_is_whole(void);
/* The command ends: check what was printed; after exit code 0, or where the answer is whole,
 * replace the old file, else leave it and say so. stdout is what it was before. interrupted: it is
 * not whole. @return the exit code */
int end_answer(int code, bool interrupted);
/* What print() prints on stdout, as a text, to be freed; it ends the process without memory. */
char *printed_by(void (*print)(const void *what), const void *what);
/* The number behind `attribute`, as width=", the first time that it stands in an SVG. */
double svg_number(const char *svg, const char *attribute);

#endif

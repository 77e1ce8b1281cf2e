/* SPDX-License-Identifier: MIT */
/*
 * Files that the command writes. The new text goes to a temporary file in the same directory,
 * which replaces the old file when all of it is written: a run that fails, is ended by a signal
 * or finds the disk full leaves the old file as it was, and no temporary file. The temporary
 * file gets a name only at the end; on a file system where each file needs a name from the
 * start, SIGKILL leaves it there. A symbolic link remains a link, and its target is replaced. A
 * path that is not a regular file (a pipe, a device, /dev/stdout) is written to directly.
 */
#ifndef LOGP_TOOL_FILE_H
#define LOGP_TOOL_FILE_H

#include "text/problem.h"

#include <stdbool.h>
#include <stdio.h>

/* Starts as {0}. */
struct new_file {
    FILE *f;      /* to write to and, unless it is a device, to read; NULL: there is none */
    char *target; /* the file to be replaced; NULL: none, or it has been replaced */
    int slot;     /* of the temporary file's name */
};

/* ---- replace.c ---- */

/* Check whether a file can be written there, and change nothing.
 * @return an errno; 0: no obstacle is known */
int place_error(const char *path);
/* The problem of an option that names the file; NULL: no obstacle is known. */
CHECKED struct problem *check_place(const char *option, const char *path);
/* Begin a file. @return an errno; 0: f->f is open */
int new_file_begin(struct new_file *f, const char *path);
/* Replace the old file now, and continue to write.
 * @return an errno: the old file is as it was; 0 */
int new_file_publish(struct new_file *f);
/* Replace the old file, as all is written. @return an errno: the old file is as it was; 0 */
int new_file_keep(struct new_file *f);
/* Leave the old file as it was. */
void new_file_drop(struct new_file *f);
/* Remove all temporary files, before _Exit(). */
void drop_all_files(void);

/* ---- answer_file.c: a command's answer ---- */

struct answer_file {
    FILE *f;      /* to write to */
    FILE *before; /* f before the file was opened, and after it was closed */
    struct new_file file;
    const char *path; /* NULL: f was given */
    bool existed;
    bool is_whole;   /* the answer is kept whatever the exit code */
    bool is_refused; /* there is no answer, and the line of a problem is enough */
};

/* Begin an answer in a file that the option names. */
CHECKED struct problem *answer_open(struct answer_file *a, const char *option, const char *path);
/* End it: check that all of it was written; after exit code 0, or where the answer is whole, replace
 * the old file, otherwise leave it and report that. interrupted: the answer is not whole.
 * @return the exit code */
int answer_close(struct answer_file *a, int code, bool interrupted);

/* ---- trusted.c: what a replay may start and load ---- */

/* Trust only files below the folder of this file or below the current folder, in this process and
 * in all that it starts. @return an errno; 0 */
int trust_only(const char *path);
/* Trust all files again. */
void trust_all(void);
bool trusts_all(void);
/* Whether a file may be started or loaded; links are followed. */
bool is_trusted(const char *path);

#endif

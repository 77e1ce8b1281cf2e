/* SPDX-License-Identifier: MIT */
/*
 * Problems. A function that cannot continue returns a problem: an exit code, and one line with
 * the error and the allowed values. NULL is success. A caller frees its memory and returns the
 * problem in turn; main() prints it once and exits with its code.
 */
#ifndef LOGP_PROBLEM_H
#define LOGP_PROBLEM_H

#include "text/text.h"

struct problem {
    int code;        /* EXIT_WRONG or EXIT_USAGE */
    char option[32]; /* whose value is wrong; "": none. problem_line() of the question names it */
    int value_bytes; /* so many bytes of the text are that value */
    char text[];     /* one line, without its end; "": the error has been printed as a note */
};

/* A problem that is returned is printed, passed on or freed: the compiler warns of a call that drops it. */
#define CHECKED __attribute__((warn_unused_result))

/* Return the problem of a call, if there is one. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        struct problem *const problem_ = (call);                                                   \
        if (problem_ != NULL)                                                                      \
            return problem_;                                                                       \
    } while (0)

/* Bad input: code EXIT_USAGE. Free each with free(). */
CHECKED struct problem *usage_problem(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* The same for one option, with or without its dashes: "--algo ring: needs P >= 3"; where its value
 * comes from the environment: "LOGP_ALGO 'ring': ...". */
CHECKED struct problem *option_problem(const char *option, const char *value, const char *format,
                                       ...) __attribute__((format(printf, 3, 4)));
/* The same with the allowed values, as a noun: "--root 9: must be a rank, 0 .. 7". */
CHECKED struct problem *must_be(const char *option, const char *value, const char *allowed_format,
                                ...) __attribute__((format(printf, 3, 4)));
/* The same for a value that is not one of these names. */
CHECKED struct problem *name_problem(const char *option, const char *text,
                                     const struct names *names);
/* The index of the text among the names; a problem where it is none of them. */
CHECKED struct problem *which_name(const char *option, const char *text, const struct names *names,
                                   int *which);
/* A run or another part of the work failed: code EXIT_WRONG. */
CHECKED struct problem *failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The problem of an exit code whose reason a note or another process has printed; EXIT_OK: NULL. */
CHECKED struct problem *told(int code);

/* Return memory. Without memory nothing can continue, so a function that main() sets ends the
 * process; the default aborts it. */
void *need(void *memory);
/* The same for a result of the library, -ENOMEM. @return rc */
int need_memory(int rc);
void without_memory(void (*end)(void));

#endif

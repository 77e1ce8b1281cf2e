/* SPDX-License-Identifier: MIT */
/*
 * err(), warn(), error() and their relatives. The C library's own end the process, without a call of exit() that a
 * rank could see, and name the program that the process was started as.
 */
#include "host.h"

#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdarg.h>
#include <string.h>

static const char *name_of_program(bool whole)
{
    const struct host_rank *h = host_here();
    const struct job *job = h != NULL ? h->job : the_job;
    const char *slash;

    if (job == NULL || job->argc == 0)
        return whole ? program_invocation_name : program_invocation_short_name;
    slash = strrchr(job->argv[0], '/');
    return whole || slash == NULL ? job->argv[0] : slash + 1;
}

/* "prog: WORDS: No such file or directory"; error: -1: without it. As one line: it is one of a rank. */
static void complain(int error, const char *format, va_list args)
{
    char words[1024] = "";

    if (format != NULL)
        vsnprintf(words, sizeof(words), format, args);
    fprintf(stderr, "%s: %s%s%s\n", name_of_program(false), words,
            format != NULL && error >= 0 ? ": " : "", error >= 0 ? strerror(error) : "");
}

EXPORT void vwarn(const char *format, va_list args)
{
    complain(errno, format, args);
}

EXPORT void vwarnx(const char *format, va_list args)
{
    complain(-1, format, args);
}

EXPORT void verr(int code, const char *format, va_list args)
{
    complain(errno, format, args);
    exit(code);
}

EXPORT void verrx(int code, const char *format, va_list args)
{
    complain(-1, format, args);
    exit(code);
}

EXPORT void warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(errno, format, args);
    va_end(args);
}

EXPORT void warnx(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(-1, format, args);
    va_end(args);
}

EXPORT void err(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    verr(code, format, args);
}

EXPORT void errx(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    verrx(code, format, args);
}

/* place: "file.c:12:"; error: 0: none is named */
static void complain_at(int code, int error, const char *place, const char *format, va_list args)
{
    char words[1024];

    fflush(stdout);
    vsnprintf(words, sizeof(words), format, args);
    fprintf(stderr, "%s:%s %s%s%s\n", name_of_program(true), place, words, error != 0 ? ": " : "",
            error != 0 ? strerror(error) : "");
    if (code != 0)
        exit(code);
}

EXPORT void error(int code, int error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain_at(code, error, "", format, args);
    va_end(args);
}

EXPORT void error_at_line(int code, int error, const char *file, unsigned line, const char *format,
                          ...)
{
    char place[256];
    va_list args;

    snprintf(place, sizeof(place), "%s:%u:", file, line);
    va_start(args, format);
    complain_at(code, error, place, format, args);
    va_end(args);
}

/* SPDX-License-Identifier: MIT */
/* Bad input: one line on stderr that says what, and exit code 2. */
#include "text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void bad_usage(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("logp: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_USAGE);
}

void *or_end(void *memory)
{
    if (memory == NULL)
        bad_usage("no memory");
    return memory;
}

void bad_option(const char *option, const char *value, const char *allowed_format, ...)
{
    const char *quote = option_in_environment(option) ? "'" : "";
    char name[32];
    va_list args;

    va_start(args, allowed_format);
    fprintf(stderr, "logp: %s %s%s%s: ", option_shown(option, name), quote, value, quote);
    vfprintf(stderr, allowed_format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_USAGE);
}

void refuse_name(const char *option, const char *text, const struct names *names)
{
    char list[MAX_LIST];

    bad_option(option, text, "%s", one_of(names, text, list));
}

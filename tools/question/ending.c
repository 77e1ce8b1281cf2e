/* SPDX-License-Identifier: MIT */
/* Ends of the process, for code that does not return problems yet. */
#include "question/rows.h"

#include <stdarg.h>
#include <stdlib.h>

static const struct question *asked;

void asked_is(const struct question *q)
{
    asked = q;
}

void end_with(struct problem *problem)
{
    if (problem == NULL)
        return;
    if (*problem->text != '\0')
        say("%s", problem_line(asked, problem));
    if (problem->code == EXIT_USAGE)
        leave_for_bad_input();
    exit(problem->code);
}

_Noreturn static void end(const char *option, const char *value, const char *format, va_list args)
{
    char text[8192];

    vsnprintf(text, sizeof(text), format, args);
    end_with(option != NULL ? option_problem(option, value, "%s", text)
                            : usage_problem("%s", text));
    abort();
}

void bad_usage(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    end(NULL, NULL, format, args);
}

void bad_option(const char *option, const char *value, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    end(option, value, format, args);
}

void refuse_name(const char *option, const char *text, const struct names *names)
{
    end_with(name_problem(option, text, names));
    abort();
}

void *or_end(void *memory)
{
    if (memory == NULL)
        bad_usage("no memory");
    return memory;
}

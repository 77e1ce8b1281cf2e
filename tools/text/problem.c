/* SPDX-License-Identifier: MIT */
/* Problems. See problem.h. */
#include "text/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*end_without_memory)(void) = abort;

void without_memory(void (*end)(void))
{
    end_without_memory = end;
}

void *need(void *memory)
{
    if (memory == NULL)
        end_without_memory();
    return memory;
}

static struct problem *problem_of(int code, const char *what, const char *format, va_list args)
{
    const size_t n = strlen(what), most = 8192;
    struct problem *p = need(malloc(sizeof(*p) + n + most));

    p->code = code;
    memcpy(p->text, what, n);
    vsnprintf(p->text + n, most, format, args);
    return p;
}

struct problem *usage_problem(const char *format, ...)
{
    struct problem *p;
    va_list args;

    va_start(args, format);
    p = problem_of(EXIT_USAGE, "", format, args);
    va_end(args);
    return p;
}

struct problem *option_problem(const char *option, const char *value, const char *allowed_format,
                               ...)
{
    const char *quote = option_is_preset(option) ? "'" : "";
    char name[32], what[9000];
    struct problem *p;
    va_list args;

    snprintf(what, sizeof(what), "%s %s%.4000s%s: ", option_shown(option, name), quote, value,
             quote);
    va_start(args, allowed_format);
    p = problem_of(EXIT_USAGE, what, allowed_format, args);
    va_end(args);
    return p;
}

struct problem *name_problem(const char *option, const char *text, const struct names *names)
{
    char list[MAX_LIST];

    return option_problem(option, text, "%s", one_of(names, text, list));
}

struct problem *failure(const char *format, ...)
{
    struct problem *p;
    va_list args;

    va_start(args, format);
    p = problem_of(EXIT_WRONG, "", format, args);
    va_end(args);
    return p;
}

struct problem *failure_told(void)
{
    struct problem *p = need(calloc(1, sizeof(*p) + 1));

    p->code = EXIT_WRONG;
    return p;
}

int tell_problem(struct problem *problem)
{
    const int code = problem != NULL ? problem->code : EXIT_OK;

    if (problem != NULL && *problem->text != '\0')
        say("%s", problem->text);
    free(problem);
    return code;
}

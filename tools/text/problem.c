/* SPDX-License-Identifier: MIT */
/* Problems. See problem.h. */
#include "text/problem.h"

#include <errno.h>
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

int need_memory(int rc)
{
    if (rc == -ENOMEM)
        end_without_memory();
    return rc;
}

static struct problem *problem_of(int code, const char *value, const char *format, va_list args)
{
    const size_t most = 8192;
    const int n = (int)strnlen(value, 4000);
    struct problem *p = need(calloc(1, sizeof(*p) + (size_t)n + most));

    p->code = code;
    p->value_bytes = n;
    memcpy(p->text, value, (size_t)n);
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

static struct problem *problem_with(const char *option, const char *value, const char *format,
                                    va_list args)
{
    struct problem *p = problem_of(EXIT_USAGE, value, format, args);

    snprintf(p->option, sizeof(p->option), "%s", option);
    return p;
}

struct problem *option_problem(const char *option, const char *value, const char *format, ...)
{
    struct problem *p;
    va_list args;

    va_start(args, format);
    p = problem_with(option, value, format, args);
    va_end(args);
    return p;
}

struct problem *must_be(const char *option, const char *value, const char *allowed_format, ...)
{
    char format[MAX_LIST];
    struct problem *p;
    va_list args;

    snprintf(format, sizeof(format), "must be %s", allowed_format);
    va_start(args, allowed_format);
    p = problem_with(option, value, format, args);
    va_end(args);
    return p;
}

struct problem *name_problem(const char *option, const char *text, const struct names *names)
{
    char list[MAX_LIST];

    return option_problem(option, text, "%s", one_of(names, text, list));
}

struct problem *which_name(const char *option, const char *text, const struct names *names,
                           int *which)
{
    *which = find_name(names, text);
    return *which < 0 ? name_problem(option, text, names) : NULL;
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

struct problem *told(int code)
{
    struct problem *p;

    if (code == EXIT_OK)
        return NULL;
    p = need(calloc(1, sizeof(*p) + 1));
    p->code = code;
    return p;
}

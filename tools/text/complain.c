/* SPDX-License-Identifier: MIT */
/*
 * Errors and notes, in one line on stderr; bad input ends the command with exit code 2.
 *
 * All processes of a launcher usually have the same error. On each host the first of them prints
 * it: it takes a name that contains a hash of the line, and keeps the name until it ends.
 */
#include "text/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void (*leave_others)(void); /* NULL: there are no others */
static const char something_wrong[] = "";

void speak_among_others(void (*leave)(void))
{
    leave_others = leave;
}

uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Whether this process is the first of its launcher on this host to print the line. The name of
 * the socket is abstract: no file has it. */
static bool is_first_to_say(const char *line)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int at = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "logp %ld %ld %016llx", (long)getuid(),
             (long)getppid(), (unsigned long long)hash_text(FIRST_HASH, line));
    return at < 0 || bind(at, (const struct sockaddr *)&name, sizeof(name)) == 0;
}

static void say_of(const char *what, const char *format, va_list args)
{
    static char shown[1 << 15];
    char line[8192];
    const int n = snprintf(line, sizeof(line), "%s", what);
    FILE *f;

    vsnprintf(line + n, sizeof(line) - (size_t)n, format, args);
    if (leave_others != NULL && !is_first_to_say(line))
        return;
    f = is_printable(line) ? NULL : fmemopen(shown, sizeof(shown), "w");
    if (f != NULL) {
        write_shown(f, line);
        fclose(f);
    }
    /* in one piece, because the launcher may print at the same time */
    fprintf(stderr, "logp: %s\n", f != NULL ? shown : line);
}

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_of("", format, args);
    va_end(args);
}

static bool quiet;

void keep_quiet(void)
{
    quiet = true;
}

void say_note(const char *format, ...)
{
    va_list args;

    if (quiet)
        return;
    va_start(args, format);
    say_of("", format, args);
    va_end(args);
}

_Noreturn static void end(void)
{
    if (leave_others != NULL) {
        is_first_to_say(something_wrong);
        leave_others();
    }
    exit(EXIT_USAGE);
}

void end_if_another_says_why(void)
{
    const struct timespec while_others_speak = {.tv_nsec = 200000000};

    if (leave_others == NULL)
        return;
    nanosleep(&while_others_speak, NULL);
    if (!is_first_to_say(something_wrong))
        end();
}

void bad_usage(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_of("", format, args);
    va_end(args);
    end();
}

void end_with(struct problem *problem)
{
    if (problem == NULL)
        return;
    if (*problem->text != '\0')
        say("%s", problem->text);
    if (problem->code == EXIT_USAGE)
        end();
    exit(problem->code);
}

void *or_end(void *memory)
{
    if (memory == NULL)
        bad_usage("no memory");
    return memory;
}

void bad_option(const char *option, const char *value, const char *allowed_format, ...)
{
    const char *quote = option_is_preset(option) ? "'" : "";
    char name[32], what[9000];
    va_list args;

    snprintf(what, sizeof(what), "%s %s%.4000s%s: ", option_shown(option, name), quote, value,
             quote);
    va_start(args, allowed_format);
    say_of(what, allowed_format, args);
    va_end(args);
    end();
}

void refuse_name(const char *option, const char *text, const struct names *names)
{
    char list[MAX_LIST];

    bad_option(option, text, "%s", one_of(names, text, list));
}

int which_name(const char *option, const char *text, const struct names *names)
{
    const int which = find_name(names, text);

    if (which < 0)
        refuse_name(option, text, names);
    return which;
}

/* SPDX-License-Identifier: MIT */
/*
 * Errors and notes, in one line on stderr.
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

static FILE *notes; /* NULL: stderr */

void say_to(FILE *f)
{
    notes = f;
}

FILE *notes_stream(void)
{
    return notes != NULL ? notes : stderr;
}

static void say_of(const char *format, va_list args, bool of_all)
{
    char line[8192], *shown;

    vsnprintf(line, sizeof(line), format, args);
    if (of_all && leave_others != NULL && !is_first_to_say(line))
        return;
    shown = is_printable(line) ? NULL : shown_text(line);
    /* in one piece, because the launcher may print at the same time */
    fprintf(notes != NULL ? notes : stderr, "logp: %s\n", shown != NULL ? shown : line);
    free(shown);
}

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_of(format, args, true);
    va_end(args);
}

void say_here(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_of(format, args, false);
    va_end(args);
}

static bool quiet;

void keep_quiet(bool is)
{
    quiet = is;
}

void say_note(const char *format, ...)
{
    va_list args;

    if (quiet)
        return;
    va_start(args, format);
    say_of(format, args, true);
    va_end(args);
}

void leave_for_bad_input(void)
{
    if (leave_others == NULL)
        return;
    is_first_to_say(something_wrong);
    leave_others();
}

bool another_says_why(void)
{
    const struct timespec while_others_speak = {.tv_nsec = 200000000};

    if (leave_others == NULL)
        return false;
    nanosleep(&while_others_speak, NULL);
    return !is_first_to_say(something_wrong);
}

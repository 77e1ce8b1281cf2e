/* SPDX-License-Identifier: MIT */
/* See harness.h. */
#define _GNU_SOURCE
#include "harness.h"

#include "commands/command.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Without the environment and the notes of a user; mpirun would start this program again. */
static void begin(void)
{
    static bool begun;

    if (begun)
        return;
    begun = true;
    for (char **name = environ; *name != NULL;)
        if (strncmp(*name, "LOGP_", 5) == 0)
            unsetenv(strndupa(*name, strcspn(*name, "=")));
        else
            name++;
    setenv("LOGP_CONFIG", "", 1);
    setenv("LOGP_MPIRUN", "", 1);
    say_to(fopen("/dev/null", "w"));
}

void fuzz_begin(struct question *q)
{
    begin();
    begin_question(q, vocabulary());
}

void fuzz_end(struct question *q, struct problem *problem)
{
    tell_problem(q, problem);
    end_question(q);
}

void fuzz_logp(int n, char **words)
{
    char *all[FUZZ_WORDS + 2] = {(char *)"logp"};
    struct question q;

    n = n < FUZZ_WORDS ? n : FUZZ_WORDS;
    memcpy(all + 1, words, (size_t)n * sizeof(*words));
    fuzz_begin(&q);
    fuzz_end(&q, question_of_words(&q, n + 1, all));
}

const char *fuzz_file(const void *contents, size_t n)
{
    static char path[32];
    static int file = -1;

    if (file >= 0)
        close(file);
    file = memfd_create("fuzz", 0);
    if (write(file, contents, n) != (ssize_t)n)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

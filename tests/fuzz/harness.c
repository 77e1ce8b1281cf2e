/* SPDX-License-Identifier: MIT */
/*
 * See harness.h. The command ends where it finds something wrong, and has variables that count on
 * being new: here exit() jumps back (fuzz_exit), and the writable part of this shared object, in
 * which all that is looked at is, is set back before each call. What the command had not freed is
 * lost: long runs are made of many processes (run).
 */
#define _GNU_SOURCE
#include "harness.h"

#include "question/question.h"

#include <getopt.h>
#include <link.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int logp_main(int argc, char **argv);
_Noreturn void fuzz_exit(int code);
void fuzz_resolve(struct question *q, const char *command, unsigned sets);

/* What is set back; allocated, and so not set back itself. */
struct kept {
    sigjmp_buf back;
    char *begin, *copy;
    size_t n;
    int file; /* -1: none */
    char path[32];
    bool resolved; /* fuzz_resolve() was called */
};

static struct kept *kept;

_Noreturn void fuzz_exit(int code)
{
    siglongjmp(kept->back, code + 1);
}

/* In place of the command's own call. */
void fuzz_resolve(struct question *q, const char *command, unsigned sets)
{
    kept->resolved = true;
    resolve_options(q, command, sets);
    fuzz_exit(0);
}

/* The writable part of this object, without what the linker has closed. */
static int find_variables(struct dl_phdr_info *object, size_t size, void *arg)
{
    const uintptr_t here = (uintptr_t)&kept;
    uintptr_t begin = 0, end = 0, closed = 0;

    (void)size, (void)arg;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        const uintptr_t at = object->dlpi_addr + p->p_vaddr;

        if (p->p_type == PT_LOAD && here >= at && here < at + p->p_memsz) {
            begin = at;
            end = at + p->p_memsz;
        }
        if (p->p_type == PT_GNU_RELRO)
            closed = at + p->p_memsz;
    }
    if (begin == 0)
        return 0;
    if (closed > begin && closed < end)
        begin = (closed + 4095) / 4096 * 4096;
    kept->begin = (char *)begin;
    kept->n = end - begin;
    return 1;
}

/* With what lies between the variables, where memcpy() may not go. */
__attribute__((no_sanitize("address"))) static void copy(char *to, const volatile char *from,
                                                         size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (to[i] != from[i])
            to[i] = from[i];
}

static void check_hook(void);

static void begin(void)
{
    kept = calloc(1, sizeof(*kept));
    kept->file = -1;
    for (char **name = environ; *name != NULL;)
        if (strncmp(*name, "LOGP_", 5) == 0)
            unsetenv(strndupa(*name, strcspn(*name, "=")));
        else
            name++;
    dl_iterate_phdr(find_variables, NULL);
    kept->copy = malloc(kept->n);
    copy(kept->copy, kept->begin, kept->n);
    check_hook();
}

/* Where the hook is not reached, each input would run its command. */
static void check_hook(void)
{
    char *valid[] = {(char *)"predict", (char *)"broadcast"};

    fuzz_logp(2, valid);
    if (kept->resolved)
        return;
    fputs("fuzz_resolve() is not called in place of resolve_options(): see CMakeLists.txt\n",
          stderr);
    abort();
}

void fuzz_call(void (*function)(void *arg), void *arg)
{
    if (kept == NULL)
        begin();
    copy(kept->begin, kept->copy, kept->n);
    if (sigsetjmp(kept->back, 0) == 0)
        function(arg);
}

struct words {
    int n;
    char **words;
};

static void call_logp(void *arg)
{
    const struct words *w = arg;

    logp_main(w->n, w->words);
}

void fuzz_logp(int n, char **words)
{
    char *all[FUZZ_WORDS + 2] = {(char *)"logp"};
    struct words w = {n < FUZZ_WORDS ? n + 1 : FUZZ_WORDS + 1, all};

    optind = 0; /* getopt_long() begins anew */
    memcpy(all + 1, words, (size_t)(w.n - 1) * sizeof(*words));
    fuzz_call(call_logp, &w);
}

const char *fuzz_file(const void *contents, size_t n)
{
    if (kept == NULL)
        begin();
    if (kept->file >= 0)
        close(kept->file);
    kept->file = memfd_create("fuzz", 0);
    if (write(kept->file, contents, n) != (ssize_t)n)
        abort();
    snprintf(kept->path, sizeof(kept->path), "/proc/self/fd/%d", kept->file);
    return kept->path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

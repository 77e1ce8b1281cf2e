/* SPDX-License-Identifier: MIT */
/*
 * Preloaded, a host that refuses memory: the command is run again and again, in a child each, and
 * the k-th request of the command, of the library or of jansson is refused, all others are granted.
 * Each time it must end by itself, with what it says with all memory, or with one line more on
 * stderr, which says that there was none, and the exit code of an error.
 * Of many requests REFUSE_MOST, spread evenly, are refused; 0: all.
 * With REFUSE=roughly what it says may differ, but for its exit code: it holds measured times.
 * Says on stdout how many requests there were; exit code 1 where it was otherwise.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STANDS_IN __attribute__((visibility("default"), noinline))
#define CALLER ((uintptr_t)__builtin_return_address(0))

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

enum { MOST_RANGES = 32, PATIENCE_S = 20 };

static struct range {
    uintptr_t begin, end;
} ranges[MOST_RANGES];
static int n_ranges;
static atomic_int until_refusal; /* <= 0: it is over */
static struct shared {
    atomic_bool was_refused;
    atomic_int n_requests;
} * shared; /* with the parent */

static int look_at(struct dl_phdr_info *object, size_t size, void *arg)
{
    const char *name = object->dlpi_name;

    if (name[0] != '\0' && strstr(name, "liblogp.so") == NULL && strstr(name, "libjansson") == NULL)
        return 0;
    for (int i = 0; i < object->dlpi_phnum && n_ranges < MOST_RANGES; i++) {
        const uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;

        if (object->dlpi_phdr[i].p_type == PT_LOAD)
            ranges[n_ranges++] = (struct range){begin, begin + object->dlpi_phdr[i].p_memsz};
    }
    return 0;
}

static bool refused(uintptr_t caller)
{
    bool ours = false;

    if (atomic_load(&until_refusal) <= 0)
        return false;
    for (int i = 0; i < n_ranges; i++)
        ours |= caller >= ranges[i].begin && caller < ranges[i].end;
    if (ours)
        atomic_fetch_add(&shared->n_requests, 1);
    if (!ours || atomic_fetch_sub(&until_refusal, 1) != 1)
        return false;
    atomic_store(&shared->was_refused, true);
    errno = ENOMEM;
    return true;
}

STANDS_IN void *malloc(size_t n)
{
    return refused(CALLER) ? NULL : __libc_malloc(n);
}

STANDS_IN void *calloc(size_t n, size_t size)
{
    return refused(CALLER) ? NULL : __libc_calloc(n, size);
}

STANDS_IN void *realloc(void *p, size_t n)
{
    return refused(CALLER) ? NULL : __libc_realloc(p, n);
}

/* What asks for memory within the C library. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

STANDS_IN char *strdup(const char *text)
{
    return refused(CALLER) ? NULL : REAL(strdup)(text);
}

STANDS_IN char *strndup(const char *text, size_t n)
{
    return refused(CALLER) ? NULL : REAL(strndup)(text, n);
}

STANDS_IN FILE *open_memstream(char **text, size_t *n)
{
    return refused(CALLER) ? NULL : REAL(open_memstream)(text, n);
}

STANDS_IN FILE *fopen(const char *path, const char *mode)
{
    return refused(CALLER) ? NULL : REAL(fopen)(path, mode);
}

/* ---- again and again ---- */

typedef int (*main_function)(int argc, char **argv, char **environment);

static main_function real_main;

struct outcome {
    int status;
    char *out, *err;
    size_t n_out;
};

static char *contents(int file, size_t *n)
{
    const off_t end = lseek(file, 0, SEEK_END);
    char *text = __libc_calloc(1, (size_t)end + 1);

    if (pread(file, text, (size_t)end, 0) != end)
        _exit(3);
    close(file);
    *n = (size_t)end;
    return text;
}

static struct outcome run(int k, int argc, char **argv, char **environment)
{
    const int out = memfd_create("out", 0), err = memfd_create("err", 0);
    struct outcome o;
    size_t n_err;
    pid_t child;

    atomic_store(&shared->was_refused, false);
    atomic_store(&shared->n_requests, 0);
    child = fork();
    if (child == 0) {
        alarm(PATIENCE_S);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        atomic_store(&until_refusal, k);
        exit(real_main(argc, argv, environment));
    }
    if (child < 0 || waitpid(child, &o.status, 0) != child)
        _exit(3);
    o.out = contents(out, &o.n_out);
    o.err = contents(err, &n_err);
    return o;
}

static int count_lines(const char *text)
{
    int n = 0;

    for (; (text = strchr(text, '\n')) != NULL; text++)
        n++;
    return n;
}

/* The last line on stderr is about memory, and there are no more others than ever. */
static bool says_so(const struct outcome *o, const struct outcome *all)
{
    const size_t n = strlen(o->err);
    const char *line = o->err + n;

    if (!WIFEXITED(o->status) || n == 0 || line[-1] != '\n' ||
        (WEXITSTATUS(o->status) != 1 && WEXITSTATUS(o->status) != 2) ||
        count_lines(o->err) > count_lines(all->err) + 1)
        return false;
    for (line--; line > o->err && line[-1] != '\n'; line--)
        ;
    return strcasestr(line, "memory") != NULL || strcasestr(line, "unavailable") != NULL;
}

static bool is_right(const struct outcome *one, const struct outcome *all, bool roughly)
{
    const bool same =
        roughly || (one->n_out == all->n_out && memcmp(one->out, all->out, all->n_out) == 0);

    return (one->status == all->status && same) || says_so(one, all);
}

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? atoi(text) : otherwise;
}

static int each(int argc, char **argv, char **environment)
{
    const bool roughly = getenv("REFUSE") != NULL && strcmp(getenv("REFUSE"), "roughly") == 0;
    const int most = number("REFUSE_MOST", 0);
    struct outcome all, one;
    int failed = 0, n, tries;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    dl_iterate_phdr(look_at, NULL);
    unsetenv("LD_PRELOAD");
    all = run(INT_MAX, argc, argv, environment);
    n = atomic_load(&shared->n_requests);
    tries = most > 0 && most < n ? most : n;
    for (int i = 0; i < tries && failed < 10; i++) {
        const int k = (int)((long)i * n / tries) + 1;

        one = run(k, argc, argv, environment);
        if (atomic_load(&shared->was_refused) && !is_right(&one, &all, roughly)) {
            printf("request %d refused: status %#x, stderr: %s\n", k, (unsigned)one.status,
                   one.err);
            fflush(stdout); /* or the next child says it again */
            failed++;
        }
        free(one.out);
        free(one.err);
    }
    printf("%d of %d requests\n", tries, n);
    return all.status != 0 || n == 0 || failed > 0;
}

int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
STANDS_IN int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void),
                                void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*real)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void),
                void *);

    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = entry;
    return real(each, argc, argv, init, fini, rtld_fini, stack_end);
}

/* SPDX-License-Identifier: MIT */
/*
 * What the C library keeps once for a process, and a rank has for itself: the program's start and
 * end, random numbers, strtok(), and output in whole lines. These functions come before the C
 * library's in the order of search. Outside of a rank they pass on to it.
 */
#include "host.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void *next_of(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);

    if (f == NULL)
        _exit(127);
    return f;
}

struct rank *rank_here(void)
{
    struct job *job = the_job;
    struct logp_vp *vp = job != NULL ? logp_vp_current() : NULL;
    const int rank = vp != NULL ? logp_vp_rank(vp) : -1;

    return rank >= 0 && rank < job->n_ranks && job->hosts[rank].running ? &job->ranks[rank] : NULL;
}

static struct host_rank *host_here(void)
{
    struct rank *r = rank_here();

    return r != NULL ? r->host : NULL;
}

/* ---- start and end ---- */

void leave_rank(int code, int rc)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        abort();
    h->code = code;
    h->rc = rc;
    if (rc != 0)
        h->place = place_here();
    while (rc == 0 && h->exit_calls != NULL) { /* a handler may add more, or call exit() */
        struct exit_call *call = h->exit_calls;

        h->exit_calls = call->next;
        call->function(call->arg);
        free(call);
    }
    longjmp(h->end, 1);
}

EXPORT void exit(int code)
{
    if (host_here() != NULL)
        leave_rank(code, 0);
    ((void (*)(int))next_of("exit"))(code);
    __builtin_unreachable();
}

/* What the process was started with, if no command runs it as ranks. */
int run_alone(main_function *main, int argc, char **argv);

static main_function *own_main;

static int main_alone(int argc, char **argv, char **env)
{
    (void)env;
    return run_alone(own_main, argc, argv);
}

typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    if (host_here() != NULL)
        exit(main(the_job->argc, the_job->argv, environ));
    if (getenv("LOGP_MPIRUN") == NULL) {
        own_main = main;
        main = main_alone;
    }
    return ((start_function *)next_of("__libc_start_main"))(main, argc, argv, init, fini, rtld_fini,
                                                            stack_end);
}

EXPORT int __cxa_atexit(void (*function)(void *), void *arg, void *object);

EXPORT int __cxa_atexit(void (*function)(void *), void *arg, void *object)
{
    struct host_rank *h = host_here();
    struct exit_call *call;

    if (h == NULL)
        return ((int (*)(void (*)(void *), void *, void *))next_of("__cxa_atexit"))(function, arg,
                                                                                    object);
    call = malloc(sizeof(*call));
    if (call == NULL)
        return -1;
    *call = (struct exit_call){h->exit_calls, function, arg};
    h->exit_calls = call;
    return 0;
}

EXPORT void abort(void)
{
    struct rank *r = rank_here();
    char place[PLACE_TEXT];

    if (r != NULL) {
        fprintf(stderr, "rank %d: abort(), last in %s%s\n", logp_vp_rank(r->vp), r->call,
                name_here(place));
        abort_run(128 + SIGABRT);
    }
    ((void (*)(void))next_of("abort"))();
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function);

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    fprintf(stderr, "%s:%u: %s: assertion `%s' failed\n", file, line, function, what);
    abort();
}

/* ---- random numbers and strtok(): as the C library's, for each rank ---- */

static struct random_data *random_of(struct host_rank *h)
{
    if (h->random.state == NULL)
        initstate_r(1, h->random_state, sizeof(h->random_state), &h->random);
    return &h->random;
}

EXPORT long random(void)
{
    struct host_rank *h = host_here();
    int32_t n = 0;

    if (h == NULL)
        return ((long (*)(void))next_of("random"))();
    random_r(random_of(h), &n);
    return n;
}

EXPORT int rand(void)
{
    return (int)random();
}

EXPORT void srandom(unsigned seed)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        ((void (*)(unsigned))next_of("srandom"))(seed);
    else
        srandom_r(seed, random_of(h));
}

EXPORT void srand(unsigned seed)
{
    srandom(seed);
}

EXPORT double drand48(void)
{
    struct host_rank *h = host_here();
    double x = 0;

    if (h == NULL)
        return ((double (*)(void))next_of("drand48"))();
    drand48_r(&h->drand48, &x);
    return x;
}

EXPORT long lrand48(void)
{
    struct host_rank *h = host_here();
    long x = 0;

    if (h == NULL)
        return ((long (*)(void))next_of("lrand48"))();
    lrand48_r(&h->drand48, &x);
    return x;
}

EXPORT void srand48(long seed)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        ((void (*)(long))next_of("srand48"))(seed);
    else
        srand48_r(seed, &h->drand48);
}

EXPORT char *strtok(char *text, const char *separators)
{
    struct host_rank *h = host_here();
    static char *outside;

    return strtok_r(text, separators, h != NULL ? &h->token : &outside);
}

/* ---- sleeping: on the emulated clock ---- */

static bool sleeps(int64_t ns)
{
    struct rank *r = rank_here();

    if (r == NULL)
        return false;
    class_of(logp_sleep_until(r->vp, logp_now(r->vp) + ns));
    return true;
}

EXPORT unsigned sleep(unsigned seconds)
{
    return sleeps(seconds * INT64_C(1000000000))
               ? 0
               : ((unsigned (*)(unsigned))next_of("sleep"))(seconds);
}

EXPORT int usleep(useconds_t us)
{
    return sleeps(us * INT64_C(1000)) ? 0 : ((int (*)(useconds_t))next_of("usleep"))(us);
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
    return sleeps(t->tv_sec * INT64_C(1000000000) + t->tv_nsec)
               ? 0
               : ((int (*)(const struct timespec *, struct timespec *))next_of("nanosleep"))(t,
                                                                                             left);
}

/* ---- output: whole lines ---- */

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static void write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t written = write(fd, text, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        n -= (size_t)written;
    }
}

/* Write the first n bytes of a rank's lines, each line with the rank if that is wanted. */
static void put_lines(int fd, const struct lines *l, size_t n, int rank)
{
    char tag[32];
    const int length = snprintf(tag, sizeof(tag), "[%d] ", rank);

    pthread_mutex_lock(&output);
    if (!the_job->tags_output)
        write_all(fd, l->text, n);
    for (size_t i = 0; the_job->tags_output && i < n;) {
        const char *end = memchr(l->text + i, '\n', n - i);
        const size_t k = end != NULL ? (size_t)(end + 1 - (l->text + i)) : n - i;

        write_all(fd, tag, (size_t)length);
        write_all(fd, l->text + i, k);
        i += k;
    }
    pthread_mutex_unlock(&output);
}

static ssize_t put(int fd, struct lines *l, const char *text, size_t n, int rank)
{
    const char *end;

    if (l->n + n > l->capacity) {
        const size_t capacity = 2 * (l->n + n) + 256;
        char *more = realloc(l->text, capacity);

        if (more == NULL)
            return -1;
        l->text = more;
        l->capacity = capacity;
    }
    memcpy(l->text + l->n, text, n);
    l->n += n;
    end = memrchr(l->text, '\n', l->n);
    if (end != NULL) {
        const size_t whole = (size_t)(end + 1 - l->text);

        put_lines(fd, l, whole, rank);
        l->n -= whole;
        memmove(l->text, end + 1, l->n);
    }
    return (ssize_t)n;
}

static ssize_t put_out(void *fd, const char *text, size_t n)
{
    const int to = (int)(intptr_t)fd;
    struct rank *r = rank_here();

    if (r == NULL) {
        write_all(to, text, n);
        return (ssize_t)n;
    }
    return put(to, to == STDOUT_FILENO ? &r->host->out : &r->host->err, text, n,
               logp_vp_rank(r->vp));
}

static FILE *open_lines(int fd)
{
    FILE *f = fopencookie((void *)(intptr_t)fd, "w", (cookie_io_functions_t){.write = put_out});

    if (f != NULL)
        setvbuf(f, NULL, _IONBF, 0);
    return f;
}

void begin_output(void)
{
    FILE *out = open_lines(STDOUT_FILENO), *err = open_lines(STDERR_FILENO);

    fflush(NULL);
    stdout = out != NULL ? out : stdout;
    stderr = err != NULL ? err : stderr;
}

void end_output(struct rank *r)
{
    struct host_rank *h = r->host;

    if (h->out.n > 0)
        put_lines(STDOUT_FILENO, &h->out, h->out.n, logp_vp_rank(r->vp));
    if (h->err.n > 0)
        put_lines(STDERR_FILENO, &h->err, h->err.n, logp_vp_rank(r->vp));
    free(h->out.text);
    free(h->err.text);
    h->out = h->err = (struct lines){NULL, 0, 0};
}

/* A program's buffers would mix the lines of ranks: these streams stay without. */
EXPORT int setvbuf(FILE *f, char *buffer, int mode, size_t size)
{
    if (host_here() != NULL && (f == stdout || f == stderr))
        return 0;
    return ((int (*)(FILE *, char *, int, size_t))next_of("setvbuf"))(f, buffer, mode, size);
}

EXPORT void setbuf(FILE *f, char *buffer)
{
    setvbuf(f, buffer, buffer != NULL ? _IOFBF : _IONBF, BUFSIZ);
}

EXPORT void setlinebuf(FILE *f)
{
    setvbuf(f, NULL, _IOLBF, 0);
}

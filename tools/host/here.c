/* SPDX-License-Identifier: MIT */
/*
 * The rank of the calling thread; and the C library's own functions, where this library has one of
 * the same name.
 */
#include "host.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

struct job *the_job;

/* Of a thread: that whose rank it is, where each rank is a thread; and that which has made it. */
static _Thread_local struct host_rank *own, *maker;
static _Thread_local int number;

struct host_rank *host_maker(void)
{
    return maker;
}

int host_thread_number(void)
{
    return number;
}

void host_be_made_by(struct host_rank *h, int its_number)
{
    maker = h;
    number = its_number;
}

void host_be_thread_of(struct host_rank *h)
{
    own = h;
}

/* The rank that has the core of this thread. */
static struct host_rank *holder(struct job *job)
{
    struct logp_vp *vp = job != NULL ? logp_vp_current() : NULL;
    const int rank = vp != NULL ? logp_vp_rank(vp) : -1;

    return rank >= 0 && rank < job->n_ranks &&
                   atomic_load_explicit(&job->hosts[rank].running, memory_order_relaxed)
               ? &job->hosts[rank]
               : NULL;
}

/* A thread that acts for a rank (logp_vp_act()) is not the rank's own, which runs while it waits. */
struct host_rank *host_here(void)
{
    struct job *job = the_job;

    if (maker != NULL)
        return NULL;
    /* relaxed, here and below: the rank's own thread writes it */
    if (own != NULL)
        return atomic_load_explicit(&own->running, memory_order_relaxed) ? own : NULL;
    return holder(job);
}

struct host_rank *host_of_process(void)
{
    struct host_rank *h = host_here();

    return h != NULL && syscall(SYS_getpid) == the_job->pid ? h : NULL;
}

/* ---- the C library's own ---- */

/* In a process that loads this library for a tool alone (LD_PRELOAD) it comes after the C library in
 * the order of search: then nothing of it is called instead of that of the C library, but its own code
 * needs the C library, too. */
static void *find_before(const char *name)
{
    void *c_library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *f = c_library != NULL ? dlsym(c_library, name) : NULL;

    if (c_library != NULL)
        dlclose(c_library);
    return f;
}

void *host_next_of(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);

    if (f == NULL)
        f = find_before(name);
    if (f == NULL)
        syscall(SYS_exit_group, 127);
    return f;
}

int host_close(int fd)
{
    extern int __close(int);

    return __close(fd);
}

ssize_t host_read(int fd, void *buf, size_t n)
{
    extern ssize_t __read(int, void *, size_t);

    return __read(fd, buf, n);
}

ssize_t host_write(int fd, const void *buf, size_t n)
{
    extern ssize_t __write(int, const void *, size_t);

    return __write(fd, buf, n);
}

int host_fileno(FILE *f)
{
    return NEXT(fileno)(f);
}

typedef int exec_function(const char *path, char *const *words, char *const *environment);

static exec_function *next_execvpe;

__attribute__((constructor)) static void find_next(void)
{
    next_execvpe = (exec_function *)host_next_of("execvpe");
}

int host_execvpe(const char *path, char *const *words, char *const *environment)
{
    return next_execvpe(path, words, environment);
}

void host_abort(void)
{
    NEXT(abort)();
    __builtin_unreachable();
}

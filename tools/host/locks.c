/* SPDX-License-Identifier: MIT */
/*
 * Locks of parts of files, by fcntl() and lockf(): those of two ranks exclude each other, though the kernel has them for
 * the process. This table has the locks of each rank. The process has the union of them, which excludes other
 * processes. A library that ranks share keeps its own account of the locks of its process (SQLite does), so its calls
 * lock for the process, as before.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct lock {
    struct lock *next;
    const struct host_rank *of;
    dev_t device;
    ino_t file;
    int64_t from, to; /* bytes; INT64_MAX: to the end, whatever it is */
    short type;
    int fd; /* by which it was set */
};

static struct lock *locks;
static atomic_int n_locks;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static bool is_over(const struct lock *a, const struct lock *b)
{
    return a->device == b->device && a->file == b->file && a->from < b->to && b->from < a->to;
}

/* One that overlaps, of another rank; excludes: that does not go with this type. NULL: none */
static const struct lock *other_over(const struct lock *l, bool excludes)
{
    for (const struct lock *o = locks; o != NULL; o = o->next)
        if (o->of != l->of && is_over(o, l) &&
            (!excludes || o->type == F_WRLCK || l->type == F_WRLCK))
            return o;
    return NULL;
}

/* ---- of the process ---- */

static int lock_of_process(int fd, int command, short type, int64_t from, int64_t to)
{
    struct flock l = {.l_type = type,
                      .l_whence = SEEK_SET,
                      .l_start = from,
                      .l_len = to == INT64_MAX ? 0 : to - from};

    return (int)syscall(SYS_fcntl, fd, command, &l);
}

/* Unlock this part but for the locks of other ranks. */
static int unlock_of_process(int fd, struct lock part)
{
    const struct lock *other = part.from < part.to ? other_over(&part, false) : NULL;
    struct lock before = part, after = part;
    int rc, last;

    if (part.from >= part.to)
        return 0;
    if (other == NULL)
        return lock_of_process(fd, F_SETLK, F_UNLCK, part.from, part.to);
    before.to = other->from;
    after.from = other->to;
    rc = unlock_of_process(fd, before);
    last = unlock_of_process(fd, after);
    return rc != 0 ? rc : last;
}

/* ---- of a rank ---- */

static bool add(struct lock l)
{
    struct lock *new = malloc(sizeof(*new));

    if (new == NULL)
        return false;
    *new = l;
    new->next = locks;
    locks = new;
    atomic_fetch_add_explicit(&n_locks, 1,
                              memory_order_relaxed); /* a hint, read without the mutex */
    return true;
}

/* Remove the locks of this rank from the part, or the part from them. */
static bool cut(const struct lock *part)
{
    bool has_memory = true;

    for (struct lock **at = &locks, *l; (l = *at) != NULL;) {
        const struct lock was = *l;

        if (l->of != part->of || !is_over(l, part)) {
            at = &l->next;
            continue;
        }
        if (was.from >= part->from && was.to <= part->to) {
            *at = l->next;
            free(l);
            atomic_fetch_sub_explicit(&n_locks, 1, memory_order_relaxed);
            continue;
        }
        l->to = was.from < part->from ? part->from : was.to;
        l->from = was.from < part->from ? was.from : part->to;
        at = &l->next;
        if (was.from < part->from && was.to > part->to) {
            struct lock rest = was;

            rest.from = part->to;
            has_memory = add(rest) && has_memory;
        }
    }
    return has_memory;
}

/* The part of a file that *l is about. @return 0; -1: errno is set */
static int part_of(const struct host_rank *h, int fd, const struct flock *l, struct lock *out)
{
    struct stat st;
    int64_t from = l->l_start;

    if (fstat(fd, &st) != 0)
        return -1;
    if (l->l_whence == SEEK_CUR)
        from += lseek(fd, 0, SEEK_CUR);
    else if (l->l_whence == SEEK_END)
        from += st.st_size;
    *out = (struct lock){.of = h,
                         .device = st.st_dev,
                         .file = st.st_ino,
                         .from = l->l_len < 0 ? from + l->l_len : from,
                         .to = l->l_len > 0   ? from + l->l_len
                               : l->l_len < 0 ? from
                                              : INT64_MAX,
                         .type = l->l_type,
                         .fd = fd};
    if (out->from >= 0 && out->from < out->to)
        return 0;
    errno = EINVAL;
    return -1;
}

/* @return 0; -1: errno is set: EAGAIN: another rank or process has a lock */
static int try(const struct lock *l)
{
    int rc;

    pthread_mutex_lock(&mutex);
    if (l->type != F_UNLCK && other_over(l, true) != NULL) {
        errno = EAGAIN;
        rc = -1;
    } else if (l->type == F_UNLCK) {
        rc = unlock_of_process(l->fd, *l);
    } else {
        rc = lock_of_process(l->fd, F_SETLK, l->type, l->from, l->to);
    }
    if (rc == 0 && (!cut(l) || (l->type != F_UNLCK && !add(*l)))) {
        errno = ENOLCK;
        rc = -1;
    }
    pthread_mutex_unlock(&mutex);
    return rc;
}

/* Let other ranks run, and other processes for a moment. */
static void let_others(const struct host_rank *h)
{
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 50000}, NULL);
    the_guest.charge_computing();
    the_guest.note_result(logp_yield(h->vp));
    the_guest.resume_computing();
}

static int lock(const struct host_rank *h, int fd, int command, struct flock *l)
{
    const struct lock *other;
    struct lock part;

    if (part_of(h, fd, l, &part) != 0)
        return -1;
    if (command != F_GETLK) {
        while (try(&part) != 0) {
            if (command != F_SETLKW || (errno != EAGAIN && errno != EACCES))
                return -1;
            let_others(h);
        }
        return 0;
    }
    pthread_mutex_lock(&mutex);
    other = other_over(&part, true);
    if (other != NULL)
        *l = (struct flock){.l_type = other->type,
                            .l_whence = SEEK_SET,
                            .l_start = other->from,
                            .l_len = other->to == INT64_MAX ? 0 : other->to - other->from,
                            .l_pid = host_number_of(the_job, (int)(other->of - the_job->hosts))};
    pthread_mutex_unlock(&mutex);
    return other != NULL ? 0 : (int)syscall(SYS_fcntl, fd, command, l);
}

/* ---- the functions ---- */

/* The rank whose locks a call is about; NULL: those of the process. */
static struct host_rank *owner(const void *caller)
{
    struct host_rank *h = the_job != NULL && the_job->main == NULL && !host_is_own_code(caller)
                              ? host_of_process()
                              : NULL;

    return h != NULL && host_place_of(h, (void *)caller) != 0 ? h : NULL;
}

static int control(int fd, int command, void *argument, const void *caller)
{
    struct host_rank *h =
        command == F_SETLK || command == F_SETLKW || command == F_GETLK ? owner(caller) : NULL;

    return h != NULL ? lock(h, fd, command, argument)
                     : (int)syscall(SYS_fcntl, fd, command, argument);
}

#define CONTROL(name)                                                                              \
    EXPORT int name(int fd, int command, ...)                                                      \
    {                                                                                              \
        va_list args;                                                                              \
        void *argument;                                                                            \
                                                                                                   \
        va_start(args, command);                                                                   \
        argument = va_arg(args, void *);                                                           \
        va_end(args);                                                                              \
        return control(fd, command, argument, __builtin_return_address(0));                        \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

static int lock_from_here(int fd, int command, int64_t n, const void *caller)
{
    struct flock l = {
        .l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK, .l_whence = SEEK_CUR, .l_len = n};
    int rc;

    if (command != F_TEST)
        return control(fd, command == F_LOCK ? F_SETLKW : F_SETLK, &l, caller);
    rc = control(fd, F_GETLK, &l, caller);
    if (rc != 0 || l.l_type == F_UNLCK)
        return rc;
    errno = EACCES;
    return -1;
}

EXPORT int lockf(int fd, int command, off_t n)
{
    return lock_from_here(fd, command, n, __builtin_return_address(0));
}

EXPORT int lockf64(int fd, int command, off64_t n)
{
    return lock_from_here(fd, command, n, __builtin_return_address(0));
}

int host_close_locked(const struct host_rank *h, int fd, int (*closes)(void *), void *of)
{
    struct lock all = {.of = h, .to = INT64_MAX};
    struct stat st;
    int rc, error;

    if (h == NULL || atomic_load_explicit(&n_locks, memory_order_relaxed) == 0 ||
        fstat(fd, &st) != 0)
        return closes(of);
    all.device = st.st_dev;
    all.file = st.st_ino;
    pthread_mutex_lock(&mutex);
    cut(&all);
    rc = closes(of); /* the process loses all its locks of the file, also those of other ranks */
    error = errno;
    for (const struct lock *l = locks; l != NULL; l = l->next)
        if (is_over(l, &all))
            lock_of_process(l->fd, F_SETLK, l->type, l->from, l->to);
    pthread_mutex_unlock(&mutex);
    errno = error;
    return rc;
}

void host_end_locks(const struct host_rank *h)
{
    if (atomic_load_explicit(&n_locks, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&mutex);
    for (struct lock **at = &locks, *l; (l = *at) != NULL;)
        if (l->of == h) {
            *at = l->next;
            unlock_of_process(l->fd, *l);
            free(l);
            atomic_fetch_sub_explicit(&n_locks, 1, memory_order_relaxed);
        } else {
            at = &l->next;
        }
    pthread_mutex_unlock(&mutex);
}

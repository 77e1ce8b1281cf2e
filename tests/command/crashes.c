/* SPDX-License-Identifier: MIT */
/*
 * A test program with a run that ends the process, for crashes.sh, as C and as C++.
 *
 *     crashes KIND EXECUTOR [STRATEGY]    of its six processors, and of three, rank 2 crashes if the
 *                                         message of rank 1 is the first
 */
#undef NDEBUG /* assert() is one of the ends */

#include <logp/logp.h>

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __cplusplus
#include <stdexcept>
#endif

static const char *kind;
static bool is_late;
static pid_t self;

static int deeper(int n)
{
    volatile char room[4096];

    room[0] = (char)n;
    return n < 0 ? 0 : deeper(n + 1) + room[0];
}

static void *touch_null(void *arg)
{
    *(volatile int *)arg = 1;
    return NULL;
}

static void crash(void)
{
    volatile int zero = 0;

    if (strcmp(kind, "segv") == 0)
        *(volatile int *)NULL = 1;
    else if (strcmp(kind, "assert") == 0)
        assert(zero == 1);
    else if (strcmp(kind, "abort") == 0 || (strcmp(kind, "here") == 0 && getpid() == self))
        abort();
    else if (strcmp(kind, "free") == 0) {
        char *block = (char *)malloc(100);

        memset(block - 16, 0xff, 200);
        free(block);
        free(malloc(200));
        abort();
    } else if (strcmp(kind, "fpe") == 0)
        raise(SIGFPE);
    else if (strcmp(kind, "ill") == 0)
        raise(SIGILL);
    else if (strcmp(kind, "stack") == 0)
        deeper(0);
    else if (strcmp(kind, "exit") == 0)
        exit(0);
    else if (strcmp(kind, "quick_exit") == 0)
        quick_exit(0);
#ifdef __cplusplus
    else if (strcmp(kind, "throw") == 0)
        throw std::runtime_error("thrown");
#endif
    else if (strcmp(kind, "thread") == 0) {
        pthread_t thread;

        pthread_create(&thread, NULL, touch_null, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(kind, "bus") == 0) {
        FILE *empty = tmpfile();
        void *at = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(empty), 0);

        *(volatile char *)at = 1;
    }
}

static int program(struct logp_vp *vp, void *arg)
{
    struct logp_status status;
    int x = 0, rc;

    if (strcmp(kind, "child") == 0 && logp_vp_rank(vp) == 0) { /* ends as it should */
        const pid_t child = fork();

        if (child == 0)
            exit(3);
        if (waitpid(child, &x, 0) != child || WEXITSTATUS(x) != 3)
            return -1;
    }
    if (logp_vp_rank(vp) != 2)
        return logp_send(vp, 2, 3, &x, sizeof(x));
    for (int i = 1; i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 3, &x, sizeof(x), &status);
        if (rc != 0)
            return rc;
        if (i > 1 || status.source != 1 || getenv("MENDED") != NULL)
            continue;
        crash();
        is_late = true;
    }
    return 0;
}

static int before(int P, void *arg)
{
    is_late = false;
    return 0;
}

static int after(const struct logp_report *report, void *arg)
{
    if (is_late && strcmp(kind, "after") == 0)
        exit(0);
    return 0;
}

static void handler(int number)
{
    if (write(STDOUT_FILENO, "the program's own\n", 18) != 18)
        _exit(1);
    _exit(77);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {6};
    struct logp_check check;
    struct logp_failure failure;

    memset(&check, 0, sizeof(check));
    kind = argc > 1 ? argv[1] : "";
    self = getpid();
    check.sizes = sizes;
    check.n_sizes = 1;
    check.smallest = 3;
    check.seed = 1;
    check.before = before;
    check.after = after;
    check.name = "crash";
    check.executor = argc > 2 ? argv[2] : NULL;
    check.strategy = argc > 3 ? LOGP_STRATEGY_EXHAUSTIVE : LOGP_STRATEGY_RANDOM;
    if (getenv("HANDLER") != NULL)
        signal(SIGSEGV, handler);
    printf("ends with %d\n", logp_check(program, NULL, &check, &failure));
    logp_failure_free(&failure);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Threads that a rank makes itself.
 * usage: threads              they compute, print and ask what any thread may ask, beside MPI
 *        threads cores        rank 0 prints on how many cores they may run, and how many it is told of
 *        threads level N      what MPI_Init_thread grants
 *        threads calls        where it grants MPI_THREAD_MULTIPLE, all threads call MPI, one at a time
 *        threads multiple     and at the same time
 *        threads once         and two at the same time, which is wrong
 *        threads KIND CALL    rank 1 has one (KIND: posix, c11, second: made by another) that calls MPI, or crashes
 */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

enum { N = 3 };

static const char *call;
static pthread_barrier_t meeting;
static pid_t process;
static int level;

/* The C library's sched_getaffinity() may be another. */
static int n_cores(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CHECK(syscall(SYS_sched_getaffinity, 0, sizeof(set), &set) > 0);
    return CPU_COUNT(&set);
}

/* ---- beside MPI ---- */

static void *add(void *arg)
{
    long *sum = arg;
    int flag = -1, provided = -1;

    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Query_thread(&provided) == MPI_SUCCESS && provided == level);
    CHECK(atoi(getenv("THREADS_RANK")) == me && getpid() == process);
    for (int i = 0; i < 1000; i++)
        *sum += i;
    pthread_barrier_wait(&meeting);
    printf("a thread of rank %d\n", me);
    return sum;
}

static void work(void)
{
    long sums[N] = {0};
    pthread_t threads[N];
    char text[16];
    int flag = 0;

    snprintf(text, sizeof(text), "%d", me);
    CHECK(setenv("THREADS_RANK", text, 1) == 0);
    process = getpid();
    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag);
    pthread_barrier_init(&meeting, NULL, N + 1);
    for (int i = 0; i < N; i++)
        CHECK(pthread_create(&threads[i], NULL, add, &sums[i]) == 0);
    for (int i = 0; i < 20; i++) {
        int mine = me, all = -1;

        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(all == P * (P - 1) / 2);
    }
    pthread_barrier_wait(&meeting);
    for (int i = 0; i < N; i++) {
        void *result;

        CHECK(pthread_join(threads[i], &result) == 0 && result == &sums[i] && sums[i] == 499500);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- calls of MPI, one at a time ---- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void call_in_turn(int n)
{
    int mine = me + n, all = -1, got = -1;
    MPI_Request requests[2];

    pthread_mutex_lock(&turn);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == P * (P - 1) / 2 + n * P);
    MPI_Irecv(&got, 1, MPI_INT, left(), n, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, right(), n, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(got == left() + n);
    pthread_mutex_unlock(&turn);
}

static void *call_by_thread(void *arg)
{
    int flag = 1;

    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && !flag);
    call_in_turn(*(int *)arg);
    return NULL;
}

/* Threads call one after the other, and others at the same time as the rank's own thread, which computes. */
static void call_by_threads(void)
{
    pthread_t thread;

    for (int i = 0; i < 4; i++) {
        int n = i;

        CHECK(pthread_create(&thread, NULL, call_by_thread, &n) == 0);
        printf("beside thread %d\n", i);
        CHECK(usleep(100) == 0 && pthread_join(thread, NULL) == 0);
        call_in_turn(10 + i);
    }
}

/* Several threads of each rank, each with a communicator of its own, call at the same time, and the main one waits for a
 * message that one of them sends to it. */
/* Threads join two halves with one tag, and number handles for Fortran. */
static void join_halves(MPI_Comm comm)
{
    MPI_Comm half, between, all;
    int n = 0;

    MPI_Comm_split(comm, me < P / 2, me, &half);
    MPI_Intercomm_create(half, 0, comm, me < P / 2 ? P / 2 : 0, 99, &between);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(between)) == between);
    MPI_Comm_remote_size(between, &n);
    CHECK(n == (me < P / 2 ? P - P / 2 : P / 2));
    MPI_Intercomm_merge(between, me >= P / 2, &all);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(all)) == all);
    MPI_Comm_free(&all);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void *call_beside(void *arg)
{
    MPI_Comm comm = *(MPI_Comm *)arg, copy;
    int x, sum;

    for (int i = 0; i < 10; i++) {
        MPI_Sendrecv(&me, 1, MPI_INT, right(), i, &x, 1, MPI_INT, left(), i, comm,
                     MPI_STATUS_IGNORE);
        CHECK(x == left());
        MPI_Comm_dup(comm, &copy);
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, copy);
        CHECK(sum == P * (P - 1) / 2);
        MPI_Comm_free(&copy);
        if (P > 1)
            join_halves(comm);
    }
    MPI_Barrier(comm);
    return arg;
}

static void *send_to_main(void *arg)
{
    MPI_Send(&me, 1, MPI_INT, me, 5, MPI_COMM_WORLD);
    return arg;
}

static void call_at_the_same_time(void)
{
    enum { N = 3 };
    pthread_t threads[N + 1];
    MPI_Comm comms[N];
    int x;

    for (int i = 0; i < N; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        CHECK(pthread_create(&threads[i], NULL, call_beside, &comms[i]) == 0);
    }
    CHECK(pthread_create(&threads[N], NULL, send_to_main, NULL) == 0);
    MPI_Recv(&x, 1, MPI_INT, me, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(x == me);
    for (int i = 0; i <= N; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < N; i++)
        MPI_Comm_free(&comms[i]);
}

static void *call_on_and_on(void *arg)
{
    int flag;

    for (;;)
        MPI_Iprobe(left(), 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return arg;
}

static void call_at_once(void)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, call_on_and_on, NULL) == 0);
    call_on_and_on(NULL);
}

/* ---- cores ---- */

static void *count(void *arg)
{
    *(int *)arg = n_cores();
    return NULL;
}

static int count_c11(void *arg)
{
    count(arg);
    return 7;
}

static void tell_cores(void)
{
    int by_posix, by_c11, by_choice, result;
    pthread_attr_t attr;
    cpu_set_t shown, one;
    pthread_t p;
    thrd_t t;

    CHECK(pthread_create(&p, NULL, count, &by_posix) == 0 && pthread_join(p, NULL) == 0);
    CHECK(thrd_create(&t, count_c11, &by_c11) == thrd_success);
    CHECK(thrd_join(t, &result) == thrd_success && result == 7 && by_c11 == by_posix);
    CHECK(sched_getaffinity(0, sizeof(shown), &shown) == 0 && CPU_COUNT(&shown) == by_posix);
    CHECK(pthread_getaffinity_np(pthread_self(), sizeof(one), &one) == 0 &&
          CPU_EQUAL(&one, &shown));
    for (size_t cpu = 0; CPU_COUNT(&one) > 1; cpu++)
        CPU_CLR(cpu, &one);
    pthread_attr_init(&attr);
    pthread_attr_setaffinity_np(&attr, sizeof(one), &one); /* the program's own choice */
    CHECK(pthread_create(&p, &attr, count, &by_choice) == 0 && pthread_join(p, NULL) == 0);
    CHECK(by_choice == 1);
    pthread_attr_destroy(&attr);
    if (me == 0)
        printf("%d of %d\n", by_posix, n_cores());
}

/* ---- what is granted ---- */

static int grant(int *argc, char ***argv)
{
    int provided = -1, asked = -1;

    MPI_Init_thread(argc, argv, atoi((*argv)[2]), &provided);
    MPI_Query_thread(&asked);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0)
        printf("granted %d %d\n", provided, asked);
    MPI_Finalize();
    return 0;
}

/* ---- mistakes ---- */

static void do_call(void)
{
    int x = 1, n;
    char text[MPI_MAX_ERROR_STRING];

    if (strcmp(call, "crash") == 0)
        *(volatile int *)NULL = x;
    else if (strcmp(call, "send") == 0)
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (strcmp(call, "wrong") == 0)
        MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    else if (strcmp(call, "isend") == 0)
        MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &(MPI_Request){0});
    else if (strcmp(call, "barrier") == 0)
        PMPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(call, "text") == 0)
        MPI_Error_string(MPI_ERR_COMM, text, &n);
    else
        MPI_Wtime();
}

static void *by_posix(void *arg)
{
    pthread_t next;

    if (arg == NULL)
        do_call();
    else
        CHECK(pthread_create(&next, NULL, by_posix, NULL) == 0 && pthread_join(next, NULL) == 0);
    return NULL;
}

static int by_c11(void *arg)
{
    by_posix(arg);
    return 0;
}

static void go_wrong(const char *kind)
{
    pthread_t p;
    thrd_t t;

    if (strcmp(kind, "c11") == 0)
        CHECK(thrd_create(&t, by_c11, NULL) == thrd_success && thrd_join(t, NULL) == thrd_success);
    else
        CHECK(pthread_create(&p, NULL, by_posix, strcmp(kind, "second") == 0 ? &p : NULL) == 0 &&
              pthread_join(p, NULL) == 0);
}

int main(int argc, char **argv)
{
    int provided;

    if (argc > 2 && strcmp(argv[1], "level") == 0)
        return grant(&argc, &argv);
    MPI_Init_thread(&argc, &argv,
                    argc == 2 && strcmp(argv[1], "once") == 0 ? MPI_THREAD_SERIALIZED
                                                              : MPI_THREAD_MULTIPLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    level = provided;
    if (argc == 2 && provided == MPI_THREAD_MULTIPLE && strcmp(argv[1], "multiple") == 0) {
        call_at_the_same_time();
        return all_hold("threads");
    }
    if (argc == 2 && provided == MPI_THREAD_MULTIPLE && strcmp(argv[1], "calls") == 0) {
        call_by_threads();
        return all_hold("threads");
    }
    if (argc == 2 && strcmp(argv[1], "once") == 0 && me == 1)
        call_at_once();
    call = argc > 2 ? argv[2] : "";
    if (argc == 1)
        work();
    else if (argc == 2)
        tell_cores();
    else if (me == 1)
        go_wrong(argv[1]);
    return all_hold("threads");
}

/* SPDX-License-Identifier: MIT */
/* What a process asks of its system, and each rank has for itself: system [nodes SIZE|clocks EPOCH|own|launched ENTRY FOLDER] */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The ranks of a node, `size` in a row, share memory and a name; size 0: there is one node. */
static void nodes(int size)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME],
         *all = malloc((size_t)P * MPI_MAX_PROCESSOR_NAME), host[256];
    int n, rank, length, *memory;
    struct utsname system;
    MPI_Comm node;
    MPI_Win win;

    size = size > 0 ? size : P;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n);
    MPI_Comm_rank(node, &rank);
    CHECK(n == (me / size * size + size <= P ? size : P % size) && rank == me % size);
    MPI_Get_processor_name(name, &length);
    CHECK(length == (int)strlen(name));
    memcpy(first, name, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, node);
    CHECK(strcmp(first, name) == 0);
    CHECK(gethostname(host, sizeof(host)) == 0 && strcmp(host, name) == 0);
    CHECK(uname(&system) == 0 && strcmp(system.nodename, name) == 0);
    CHECK(gethostname(host, 2) != 0);
    MPI_Allgather(name, sizeof(name), MPI_CHAR, all, sizeof(name), MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < P; i++)
        CHECK((strcmp(all + i * MPI_MAX_PROCESSOR_NAME, name) == 0) == (i / size == me / size));
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    if (size < P) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        FAILS(MPI_ERR_RMA_SHARED, MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL,
                                                          MPI_COMM_WORLD, &memory, &win));
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
    free(all);
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A reading costs nothing, so clocks that are read in a row agree. */
static int is_about(double a, double b)
{
    return a - b < 1e-6 && b - a < 1e-6;
}

/* All clocks of the system show the emulated time. epoch: 0: of now */
static void clocks(time_t epoch)
{
    const clockid_t own[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
                             CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    struct timespec t;
    struct timeval day;
    struct rusage usage;
    struct tms ticks;
    double now, end;

    if (me == 0)
        usleep(1500000);
    now = MPI_Wtime();
    CHECK(me != 0 || now >= 1.5);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        CHECK(is_about(seconds_of(own[i]), now));
    CHECK(epoch == 0 || is_about(seconds_of(CLOCK_REALTIME) - (double)epoch, now));
    gettimeofday(&day, NULL);
    CHECK(epoch == 0 || day.tv_sec == epoch + (time_t)now);
    CHECK(timespec_get(&t, TIME_UTC) == TIME_UTC && t.tv_sec == day.tv_sec);
    CHECK(time(NULL) == day.tv_sec && time(&day.tv_sec) == day.tv_sec);
    CHECK(is_about((double)clock() / CLOCKS_PER_SEC, now));
    CHECK(times(&ticks) == (clock_t)(now * (double)sysconf(_SC_CLK_TCK)) && ticks.tms_stime == 0);
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_utime.tv_sec == (time_t)now);
    CHECK(clock_gettime((clockid_t)99, &t) != 0);
    /* loops that wait for a time, by each kind of reading, and a sleep until a time */
    for (end = now + 2e-3; seconds_of(CLOCK_MONOTONIC) < end;)
        ;
    for (end += 2e-3; (double)clock() / CLOCKS_PER_SEC < end;)
        ;
    CHECK(MPI_Wtime() >= end && MPI_Wtime() < end + 1e-3);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 2;
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == 0);
    CHECK(MPI_Wtime() > now + 2 && MPI_Wtime() < now + 2.1);
}

static void *post(void *semaphore)
{
    usleep(1000);
    sem_post(semaphore);
    return NULL;
}

/* Waits until a time that the clocks give: that which is in vain takes its time, and no other. */
static void waits_with_ends(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_t thread;
    struct timespec t;
    double now = MPI_Wtime();
    sem_t semaphore;

    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 20000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    CHECK(pthread_cond_timedwait(&condition, &mutex, &t) == ETIMEDOUT);
    CHECK(MPI_Wtime() >= now + 0.0199 && MPI_Wtime() < now + 0.021);
    pthread_mutex_unlock(&mutex);
    now = MPI_Wtime();
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 1000;
    CHECK(pthread_create(&thread, NULL, post, &semaphore) == 0 &&
          sem_timedwait(&semaphore, &t) == 0);
    CHECK(pthread_join(thread, NULL) == 0 && MPI_Wtime() < now + 1e-3);
    CHECK(sem_timedwait(&semaphore, &(struct timespec){0, 0}) != 0 && errno == ETIMEDOUT);
    sem_destroy(&semaphore);
}

/* Numbers of processes differ, also in a child. */
static void numbers(void)
{
    int *all = malloc((size_t)P * sizeof(*all)), pid = getpid(), status;
    pid_t child;

    MPI_Allgather(&pid, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < P; i++)
        CHECK(pid > 0 && (all[i] == pid) == (i == me) && kill(all[i], 0) == 0);
    child = fork();
    if (child == 0)
        _exit(getpid() == pid);
    CHECK(child != pid && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
          WEXITSTATUS(status) == 0);
    free(all);
}

extern char **environ;

static int has_entry(const char *entry)
{
    for (char **e = environ; e != NULL && *e != NULL; e++)
        if (strcmp(*e, entry) == 0)
            return 1;
    return 0;
}

static void environments(void)
{
    static char put[32];
    char name[32], entry[32], command[96];

    snprintf(name, sizeof(name), "%d", me);
    snprintf(entry, sizeof(entry), "OWN=%d", me);
    snprintf(put, sizeof(put), "PUT=%d", me);
    CHECK(getenv("PATH") != NULL && getenv("OWN") == NULL);
    CHECK(setenv("OWN", "none", 1) == 0 && setenv("OWN", name, 1) == 0 &&
          setenv("OWN", "other", 0) == 0);
    CHECK(putenv(put) == 0);
    if (me % 2 == 1)
        CHECK(unsetenv("PATH") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(strcmp(getenv("OWN"), name) == 0 && strcmp(getenv("PUT"), name) == 0);
    CHECK(has_entry(entry) && has_entry(put) && !has_entry("OWN=none"));
    CHECK((getenv("PATH") == NULL) == (me % 2 == 1));
    snprintf(command, sizeof(command), "test \"$OWN\" = %d && test \"$PUT\" = %d", me, me);
    CHECK(system(command) == 0);
    CHECK(setenv("", "x", 1) != 0 && setenv("a=b", "x", 1) != 0 && unsetenv("a=b") != 0);
    if (me == 0)
        CHECK(clearenv() == 0 && getenv("OWN") == NULL && setenv("OWN", "0", 1) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(strcmp(getenv("OWN"), name) == 0);
}

static volatile sig_atomic_t handled, alarmed, from;

static void handler(int number)
{
    handled = number;
}

static void handler_of_alarm(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    alarmed = number;
}

static void handler_with(int number, siginfo_t *info, void *context)
{
    (void)context;
    handled = number;
    from = info->si_pid;
}

static void handlers(void)
{
    struct sigaction action = {.sa_sigaction = handler_with, .sa_flags = SA_SIGINFO}, old;
    int next = getpid(), mine = getpid();

    CHECK(signal(SIGUSR1, handler) == SIG_DFL);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(raise(SIGUSR1) == 0 && handled == SIGUSR1);
    CHECK(signal(SIGUSR1, SIG_IGN) == handler);
    handled = 0;
    CHECK(raise(SIGUSR1) == 0 && handled == 0);
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0 && sigaction(SIGUSR2, NULL, &old) == 0 &&
          old.sa_sigaction == handler_with);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(kill(mine, SIGUSR2) == 0 && handled == SIGUSR2 && from == mine);
    handled = 0;
    MPI_Sendrecv_replace(&next, 1, MPI_INT, left(), 0, right(), 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    CHECK(kill(next, SIGUSR2) == 0); /* of the right neighbour */
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(handled == SIGUSR2);
    CHECK(signal(0, handler) == SIG_ERR && signal(SIGKILL, handler) == SIG_ERR);
    /* an alarm of each rank */
    action.sa_sigaction = handler_of_alarm;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    if (me == 0)
        CHECK(setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 20000}}, NULL) ==
              0);
    CHECK(me == 0 || (alarm(1000) == 0 && alarm(1000) > 990));
    while (me == 0 && !alarmed)
        ;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK((alarmed == SIGALRM) == (me == 0));
    /* a signal from outside is for all */
    handled = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        CHECK(system("kill -USR2 $PPID") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 1000 && !handled; i++)
        usleep(1000);
    CHECK(handled == SIGUSR2);
}

static void directories(void)
{
    char name[32], path[4096], first[4096];
    struct stat at;
    FILE *f;
    int folder;

    snprintf(name, sizeof(name), "folder%d", me);
    CHECK(getcwd(first, sizeof(first)) != NULL && mkdir(name, 0777) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(chdir(name) == 0 && chdir("nowhere") != 0);
    CHECK(umask(me % 2 == 0 ? 077 : 027) == 022);
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(getcwd(path, sizeof(path)) != NULL && strcmp(strrchr(path, '/') + 1, name) == 0);
    }
    f = fopen("file", "w");
    CHECK(f != NULL && fclose(f) == 0 && stat("file", &at) == 0);
    CHECK((at.st_mode & 0777) == (me % 2 == 0 ? 0600 : 0640));
    usleep(1000);
    CHECK(system("test -e file && test -d ../folder0") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    folder = open("..", O_RDONLY);
    CHECK(fchdir(folder) == 0 && close(folder) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(getcwd(path, sizeof(path)) != NULL && strcmp(path, first) == 0);
    snprintf(path, sizeof(path), "%s/file", name);
    CHECK(unlink(path) == 0 && rmdir(name) == 0 && umask(022) == (mode_t)(me % 2 == 0 ? 077 : 027));
}

static int set_lock(int fd, int command, short type, off_t from, off_t n, pid_t *by)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = n};
    const int rc = fcntl(fd, command, &l);

    if (by != NULL)
        *by = l.l_type != F_UNLCK ? l.l_pid : 0;
    return rc;
}

/* Locks of parts of a file: those of two ranks exclude each other, and all exclude other processes. */
static void locks(void)
{
    const int fd = open("locked", O_RDWR | O_CREAT, 0666);
    int first = getpid(), n = 0, status, other;
    pid_t by, child;

    CHECK(fd >= 0);
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0)
        CHECK(set_lock(fd, F_SETLK, F_WRLCK, 10, 10, NULL) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK((set_lock(fd, F_SETLK, F_WRLCK, 15, 1, NULL) == 0) == (me == 0));
    CHECK(set_lock(fd, F_GETLK, F_WRLCK, 0, 0, &by) == 0 && (me == 0 ? by == 0 : by == first));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(set_lock(fd, F_SETLK, F_RDLCK, 20, 5, NULL) == 0); /* all of them */
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        /* unlocking, and closing another descriptor of the file, leave the locks of the others */
        CHECK(set_lock(fd, F_SETLK, F_UNLCK, 12, 20, NULL) == 0);
        other = open("locked", O_RDONLY);
        CHECK(close(other) == 0);
        child = fork();
        if (child == 0)
            _exit(set_lock(fd, F_GETLK, F_WRLCK, 20, 1, &by) == 0 ? by != 0 : 2);
        CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == (P > 1));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(P == 1 || set_lock(fd, F_SETLK, F_WRLCK, 22, 1, NULL) != 0 || P == 2);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(set_lock(fd, F_SETLK, F_UNLCK, 0, 0, NULL) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++) { /* each adds 1, alone */
        if (i % 2 == 0)
            CHECK(set_lock(fd, F_SETLKW, F_WRLCK, 0, 0, NULL) == 0);
        else
            CHECK(lseek(fd, 0, SEEK_SET) == 0 && lockf(fd, F_LOCK, 0) == 0);
        n = 0;
        CHECK(pread(fd, &n, sizeof(n), 0) >= 0);
        n++;
        usleep(10);
        CHECK(pwrite(fd, &n, sizeof(n), 0) == sizeof(n));
        CHECK(i % 2 == 0 ? set_lock(fd, F_SETLK, F_UNLCK, 0, 0, NULL) == 0
                         : lockf(fd, F_ULOCK, 0) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(pread(fd, &n, sizeof(n), 0) == sizeof(n) && n == 20 * P);
    if (me == 0)
        CHECK(lockf(fd, F_TLOCK, 0) == 0 && close(fd) == 0); /* which unlocks it */
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(me != P - 1 || me == 0 || (lockf(fd, F_TEST, 0) == 0 && lockf(fd, F_TLOCK, 0) == 0));
    CHECK(me == 0 || close(fd) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(me != 0 || unlink("locked") == 0);
}

/* Values of a key are a rank's own, also if all ranks of a thread use it, and of its threads. */
static pthread_key_t key;

static void *value_of_thread(void *arg)
{
    (void)arg;
    return pthread_getspecific(key) == NULL && pthread_setspecific(key, &key) == 0
               ? pthread_getspecific(key)
               : NULL;
}

static void keys(void)
{
    pthread_t thread;
    void *value;

    for (int i = 0; i < 2; i++) {
        CHECK(pthread_key_create(&key, NULL) == 0 && pthread_getspecific(key) == NULL);
        CHECK(pthread_setspecific(key, &me) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(pthread_getspecific(key) == &me);
        if (P < 100) { /* there are not more keys for threads than for some hundred ranks */
            CHECK(pthread_create(&thread, NULL, value_of_thread, NULL) == 0);
            CHECK(pthread_join(thread, &value) == 0 && value == &key);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(pthread_getspecific(key) == &me && pthread_key_delete(key) == 0);
    }
}

/* What the launcher has set: NAME=VALUE, and the last part of the working directory. */
static void launched(const char *entry, const char *folder)
{
    char path[4096];

    CHECK(has_entry(entry));
    CHECK(getcwd(path, sizeof(path)) != NULL && strcmp(strrchr(path, '/') + 1, folder) == 0);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    start(&argc, &argv);
    if (strcmp(way, "clocks") == 0)
        clocks((time_t)atol(argv[2]));
    if (strcmp(way, "clocks") == 0 && P < 100)
        waits_with_ends();
    if (strcmp(way, "nodes") == 0)
        nodes(atoi(argv[2]));
    if (strcmp(way, "keys") == 0)
        keys();
    if (strcmp(way, "launched") == 0)
        launched(argv[2], argv[3]);
    if (strcmp(way, "own") == 0) {
        numbers();
        handlers();
        keys();
        locks();
        directories();
        environments();
    }
    return all_hold("system");
}

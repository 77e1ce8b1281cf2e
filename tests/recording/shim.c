/* SPDX-License-Identifier: MIT */
/* Stands for the command while it is recorded: tells the recorder that a command line begins, runs it with its own
 * streams, passes signals on, tells its end. Linked statically, so that LD_PRELOAD is for the command alone; it writes
 * nothing but to the recorder's socket, so that no limit of files is noticed.
 * usage: RECORDED=PATH_OF_THE_COMMAND RECORDER=SOCKET shim WORDS... */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
enum { N_PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };
static volatile pid_t child;

static void pass_on(int signal_number)
{
    if (child > 0)
        kill(child, signal_number);
}

/* Tell the recorder, and wait until it has looked. */
static void tell(int recorder, const char *what, int code)
{
    char line[64];
    const int n = snprintf(line, sizeof(line), "%s %d %d\n", what, getpid(), code);

    if (recorder >= 0 && write(recorder, line, (size_t)n) == n)
        (void)!read(recorder, line, 1);
}

int main(int argc, char **argv)
{
    const char *const path = getenv("RECORDER"), *const command = getenv("RECORDED");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int recorder = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), status = 0;
    sigset_t all, before;

    (void)argc;
    if (path == NULL || command == NULL || strlen(path) >= sizeof(address.sun_path))
        return 125;
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (recorder < 0 || connect(recorder, (struct sockaddr *)&address, sizeof(address)) != 0)
        recorder = -1;
    tell(recorder, "begin", 0);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execv(command, argv);
        _exit(125);
    }
    for (int i = 0; i < N_PASSED_ON;
         i++) /* also those that are ignored here: the command may watch them */
        signal(passed_on[i], pass_on);
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (waitpid(child, &status, 0) < 0)
        ;
    tell(recorder, "end", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

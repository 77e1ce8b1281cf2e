/* SPDX-License-Identifier: MIT */
/*
 * The start of a program: its entry point leads to __libc_start_main(), which is this one. A rank
 * continues with its main(); a process that no command runs as ranks becomes the only one.
 */
#include "host.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What the process was started with, if no command runs it as ranks. */
static main_function *own_main;

static int main_alone(int argc, char **argv, char **env)
{
    (void)env;
    return the_guest.run_alone(own_main, argc, argv);
}

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

char **host_copy_arguments(int n, char **argv)
{
    size_t bytes = (size_t)(n + 1) * sizeof(char *);
    char **copy, *text;

    for (int i = 0; i < n; i++)
        bytes += strlen(argv[i]) + 1;
    copy = malloc(bytes);
    text = (char *)(copy + n + 1);
    for (int i = 0; copy != NULL && i <= n; i++) {
        copy[i] = i < n ? text : NULL;
        text = i < n ? stpcpy(text, argv[i]) + 1 : text;
    }
    return copy;
}

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    struct host_rank *h = host_here();

    if (h != NULL) {
        h->argv = host_copy_arguments(h->job->argc, h->job->argv);
        if (h->argv == NULL)
            host_leave_rank(1, -ENOMEM);
        the_guest.resume_computing();
        exit(main(h->job->argc, h->argv, host_environment(h)));
    }
    if (getenv("LOGP_MPIRUN") == NULL) {
        own_main = main;
        main = main_alone;
    }
    return NEXT(__libc_start_main)(main, argc, argv, init, fini, rtld_fini, stack_end);
}

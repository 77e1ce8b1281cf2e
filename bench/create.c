/* SPDX-License-Identifier: MIT */
/*
 * Time to create a machine of two vps: the first of a process, the second, and later ones. Each
 * process creates its machines and ends; the output has the least and the median of all processes.
 */
#include "bench.h"

#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 101, MACHINES = 50, KEPT = 3 };

/* Time the first machine, the second, and the median of the rest, in us. */
static void make(const char *executor, double us[KEPT])
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = 2,
                                       .delay = logp_delay_none(),
                                       .executor = executor};
    double took[MACHINES];

    for (int i = 0; i < MACHINES; i++) {
        const int64_t start = bench_now_ns();
        struct logp_machine *m;

        bench_check(logp_machine_create(&config, &m), "create");
        took[i] = (double)(bench_now_ns() - start) / 1000;
        logp_machine_destroy(m);
    }
    us[0] = took[0];
    us[1] = took[1];
    us[2] = bench_median(took + 2, MACHINES - 2);
}

static void make_elsewhere(const char *executor, double us[KEPT])
{
    const size_t size = KEPT * sizeof(us[0]);
    int ends[2], status;

    bench_check(pipe(ends) == 0 ? 0 : -errno, "pipe");
    switch (fork()) {
    case -1:
        bench_check(-errno, "fork");
        break;
    case 0:
        make(executor, us);
        _exit(write(ends[1], us, size) != (ssize_t)size);
    default:
        bench_check(read(ends[0], us, size) == (ssize_t)size ? 0 : -EPIPE, "read");
        wait(&status);
        close(ends[0]);
        close(ends[1]);
    }
}

int main(void)
{
    static const char *const executors[] = {"thread", "fiber"};
    static const char *const names[KEPT] = {"first", "second", "later"};

    for (int e = 0; e < 2; e++) {
        double us[KEPT][PROCESSES];

        for (int i = 0; i < PROCESSES; i++) {
            double one[KEPT];

            make_elsewhere(executors[e], one);
            for (int k = 0; k < KEPT; k++)
                us[k][i] = one[k];
        }
        for (int k = 0; k < KEPT; k++) {
            const double median = bench_median(us[k], PROCESSES);

            printf("%-7s a machine of 2, the %-6s of its process: least %7.1f, median %7.1f us\n",
                   executors[e], names[k], us[k][0], median);
        }
    }
    return 0;
}

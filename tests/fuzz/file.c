/* SPDX-License-Identifier: MIT */
/* Files that an option names: the option in the first line, the contents below it. "schedule" (JSON
 * and GOAL) and "machine". What a schedule holds is folded, too. */
#include "harness.h"
#include "question/schedule/schedule.h"

#include <string.h>

enum { MOST_P = 64, MOST_MESSAGES = 10000 };

static void fold_with(const char *name, const struct logp_step_list *list)
{
    const struct logp_params params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4};
    const struct logp_args args = {.list = list};
    struct logp_network model = {.params = params};
    struct logp_schedule s;
    struct logp_delay delay;
    struct logp_fold fold;

    if (logp_delay_params(name, &params, &model.params) != 0 ||
        logp_delay_create(name, &params, &delay) != 0)
        return;
    s = logp_schedule_of(logp_algorithm_find("schedule", "listed"), list->P, &args, &model);
    logp_schedule_fold(&s, &delay, MOST_MESSAGES, &fold);
    logp_delay_destroy(&delay);
}

static void read_and_fold(const char *path)
{
    const struct logp_step_list *list;
    struct problem *problem;
    struct question q;

    fuzz_begin(&q);
    problem = read_schedule(&q, "--schedule", path, &list);
    if (problem == NULL && list->P <= MOST_P) {
        fold_with("loggp", list);
        fold_with("loggops", list);
    }
    fuzz_end(&q, problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size);
    const char *path;

    if (end == NULL)
        return 0;
    path = fuzz_file(end + 1, size - (size_t)(end + 1 - data));
    if (end - data == 8 && memcmp(data, "schedule", 8) == 0) {
        read_and_fold(path);
    } else if (end - data == 7 && memcmp(data, "machine", 7) == 0) {
        char *words[] = {(char *)"predict", (char *)"broadcast", (char *)"--machine",
                         (char *)(uintptr_t)path};

        fuzz_logp(4, words);
    }
    return 0;
}

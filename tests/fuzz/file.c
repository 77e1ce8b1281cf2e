/* SPDX-License-Identifier: MIT */
/* Files that an option names: the option in the first line, the contents below it. "schedule" (JSON,
 * GOAL and its binary form), "machine" and "arrival". What a schedule holds is folded, too. */
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

/* By LogGOPSim's rules, and by liblogp's where a list can have the operations. */
static void evaluate(const struct logp_graph *graph)
{
    const struct logp_network network = {
        .params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4, .recv_streams = true},
        .rendezvous_from = 9};
    struct logp_graph_time time;
    struct logp_step_list *list;

    logp_graph_evaluate(graph, &network, NULL, NULL, NULL, &time);
    if (logp_graph_list(graph, &list) != 0)
        return;
    fold_with("loggp", list);
    logp_graph_list_destroy(list);
}

static void read_and_fold(const char *path)
{
    const struct logp_step_list *list;
    struct problem *problem;
    struct question q;

    fuzz_begin(&q);
    problem = read_schedule(&q, "--schedule", path, &list);
    q.what.list = problem == NULL ? list : NULL;
    if (problem == NULL && list->P <= MOST_P && has_graph(&q))
        evaluate(graph_of_schedule(&q));
    else if (problem == NULL && list->P <= MOST_P)
        fold_with("loggp", list);
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
    } else if (end - data == 7 && memcmp(data, "arrival", 7) == 0) {
        char *words[] = {(char *)"predict", (char *)"broadcast", (char *)"--arrival",
                         (char *)(uintptr_t)path};

        fuzz_logp(4, words);
    }
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * A program that is not linked with the library loads it while it has threads. They and main() run
 * machines with it, and end after it is closed.
 * usage: dlopen LIBRARY
 */
#include <logp/logp.h>
#include <logp/paper.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { P = 5 };

/* name and the pointer to it, for each function of the library that is called */
#define FUNCTIONS(X)                                                                               \
    X(logp_barrier)                                                                                \
    X(logp_broadcast)                                                                              \
    X(logp_delay_create)                                                                           \
    X(logp_delay_none)                                                                             \
    X(logp_machine_create)                                                                         \
    X(logp_machine_destroy)                                                                        \
    X(logp_machine_run)                                                                            \
    X(logp_machine_set_delay)                                                                      \
    X(logp_now)                                                                                    \
    X(logp_recv)                                                                                   \
    X(logp_send)                                                                                   \
    X(logp_tree_find)                                                                              \
    X(logp_tree_init)                                                                              \
    X(logp_vp_current)                                                                             \
    X(logp_vp_rank)
#define POINTER(name) static __typeof__(name) *p_##name;
FUNCTIONS(POINTER)

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 250, .g_ns = 400};
static pthread_barrier_t step;

static void expect(int64_t is, int64_t wanted, const char *what)
{
    if (is == wanted)
        return;
    fprintf(stderr, "%s: %lld instead of %lld\n", what, (long long)is, (long long)wanted);
    exit(1);
}

static void load(void *library)
{
#define LOAD(name)                                                                                 \
    *(void **)&p_##name = dlsym(library, #name);                                                   \
    expect(p_##name != NULL, true, #name);
    FUNCTIONS(LOAD)
}

/* A message from rank 0 to rank 1, which arg says the time of, and an item for all. */
static int program(struct logp_vp *vp, void *arg)
{
    const int rank = p_logp_vp_rank(vp);
    char item = rank == 0 ? 42 : 0, word = 0;
    int rc = 0;

    expect(p_logp_vp_current() == vp, true, "logp_vp_current");
    if (rank == 0)
        rc = p_logp_send(vp, 1, 7, &item, 1);
    else if (rank == 1)
        rc = p_logp_recv(vp, 0, 7, &word, 1, NULL);
    if (rank == 1) {
        expect(p_logp_now(vp), *(int64_t *)arg, "the time of a message");
        expect(word, 42, "the message");
    }
    if (rc == 0)
        rc = p_logp_barrier(vp);
    if (rc == 0)
        rc = p_logp_broadcast(vp, &item, 1, 0);
    expect(item, 42, "the item");
    return rc;
}

static void live(const char *executor, enum logp_stacks stacks)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = executor,
                                 .stacks = stacks};
    int64_t expected = params.o_send_ns + params.L_ns + params.o_recv_ns;
    struct logp_machine *m;

    expect(p_logp_delay_create("logp", &params, &config.delay), 0, "delay");
    expect(p_logp_machine_create(&config, &m), 0, "create");
    expect(p_logp_machine_run(m, program, &expected, 0), 0, "run");
    expect(p_logp_machine_set_delay(m, p_logp_delay_none(), 0), 0, "replacement");
    expected = 0;
    expect(p_logp_machine_run(m, program, &expected, 0), 0, "run without delays");
    expect(p_logp_machine_destroy(m), 0, "destroy");
}

static const struct kind {
    const char *executor;
    enum logp_stacks stacks;
} kinds[] = {
    {"thread", LOGP_STACKS_AUTO}, {"fiber", LOGP_STACKS_OWN}, {"fiber", LOGP_STACKS_SHARED}};

enum { N_THREADS = sizeof(kinds) / sizeof(kinds[0]) };

static void *work(void *arg)
{
    const struct kind *kind = arg;
    struct logp_tree tree;

    pthread_barrier_wait(&step); /* the library is loaded */
    live(kind->executor, kind->stacks);
    expect(p_logp_tree_init(&tree, 8, 1, 1), 0, "tree");
    expect(p_logp_tree_find(&tree, 7).time, 0, "the last node of 8"); /* of a binomial tree */
    pthread_barrier_wait(&step);                                      /* it is closed after this */
    pthread_barrier_wait(&step);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    void *library;

    pthread_barrier_init(&step, NULL, N_THREADS + 1);
    for (int i = 0; i < N_THREADS; i++)
        expect(pthread_create(&threads[i], NULL, work, (void *)&kinds[i]), 0, "thread");
    library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: dlopen LIBRARY");
        return 1;
    }
    load(library);
    live(NULL, LOGP_STACKS_AUTO);
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    expect(dlclose(library), 0, "dlclose");
    pthread_barrier_wait(&step);
    for (int i = 0; i < N_THREADS; i++)
        expect(pthread_join(threads[i], NULL), 0, "join");
    pthread_barrier_destroy(&step);
    return 0;
}

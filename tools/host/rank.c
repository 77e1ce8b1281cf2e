/* SPDX-License-Identifier: MIT */
/* What a rank has of its own from its start to its end, around the program that it runs. */
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void host_begin_rank(const struct job *job, struct host_rank *h)
{
    char name[16];

    if (job->names_threads) {
        snprintf(name, sizeof(name), "rank %d", logp_vp_rank(h->vp));
        pthread_setname_np(pthread_self(), name);
        host_be_thread_of(job->kept == NULL ? h : NULL);
    }
    h->handler_stack = host_make_handler_stack();
    host_look_here();
    host_begin_directory(job, h,
                         !job->names_threads && logp_machine_cores(logp_vp_machine(h->vp)) == 1);
    atomic_store_explicit(&h->running, true, memory_order_relaxed); /* this thread reads it */
}

void *host_start_image(const struct job *job, struct host_rank *h)
{
    char why[512];
    void *entry = host_load_image(job, h, why, sizeof(why));
    int none = -1;

    if (entry == NULL) {
        /* relaxed, as in host_abort_run(); only the first one that fails gives the reason */
        if (atomic_compare_exchange_strong_explicit(&the_job->abort_code, &none, 1,
                                                    memory_order_relaxed, memory_order_relaxed))
            fprintf(stderr, "%s: %s\n", job->path, why);
        host_abort_run(1);
    }
    host_begin_image(job, h);
    return entry;
}

void host_end_rank(struct host_rank *h)
{
    atomic_store_explicit(&h->running, false, memory_order_relaxed); /* and host_is_abandoned() */
    host_be_thread_of(NULL);
    host_free_handler_stack(h->handler_stack);
    host_end_redirections(h);
    host_end_signals(h);
    host_end_keys(h);
    host_end_locks(h);
    host_end_directory(h);
    free(h->environment);
    h->environment = NULL;
    free(h->argv);
    free(h->streams);
}

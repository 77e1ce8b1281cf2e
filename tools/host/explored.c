/* SPDX-License-Identifier: MIT */
/*
 * A program in many orders of events, by the test kit. Each run has copies of the executable of its
 * own. What a run writes is kept until the next one begins: the last run is the failure, as small
 * as the kit could make it.
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void host_forget_rank(struct host_rank *h)
{
    const int file = (host_unload_image(h), h->image_file);

    host_forget_calls(h);
    host_end_redirections(h);
    *h = (struct host_rank){.image_file = file};
}

void host_begin_explored(struct job *job)
{
    for (int i = 0; i < job->n_ranks; i++)
        host_forget_rank(&job->hosts[i]);
    for (size_t i = 0; i < job->kept->n; i++)
        free(job->kept->pieces[i].text);
    job->kept->n = 0;
    job->abort_code = -1;
    job->pid = getpid(); /* the kit may have made a child process */
}

void host_print_output(const struct job *job)
{
    for (size_t i = 0; i < job->kept->n; i++)
        host_write_all(job->kept->pieces[i].fd, job->kept->pieces[i].text, job->kept->pieces[i].n);
}

/* The line that a rank has begun. */
static void print_rest(const struct job *job, int rank, int fd)
{
    const struct host_rank *h = &job->hosts[rank];
    const struct lines *l = fd == STDOUT_FILENO ? &h->out : &h->err;
    char tag[32];
    const int length = job->tags_output ? snprintf(tag, sizeof(tag), "[%d] ", rank) : 0;

    if (l->n == 0)
        return;
    host_write_all(fd, tag, (size_t)length);
    host_write_all(fd, l->text, l->n);
    host_write_all(fd, "\n", 1);
}

void host_print_crashed(const struct job *job)
{
    host_print_output(job);
    for (int i = 0; i < job->n_ranks; i++)
        for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
            print_rest(job, i, fd);
}

void host_print_places(const struct job *job, int P)
{
    uintptr_t places[MOST_PLACES] = {0};
    char texts[MOST_PLACES][PLACE_TEXT];
    const int n = P < MOST_PLACES ? P : MOST_PLACES;

    for (int i = 0; i < n; i++)
        places[i] = job->hosts[i].place;
    host_name_places(job, places, n, texts);
    fprintf(stderr, "where each rank was:\n");
    for (int i = 0; i < n; i++)
        if (job->hosts[i].rc == 0 && job->hosts[i].code == 0)
            fprintf(stderr, "  rank %d had ended\n", i);
        else if (host_is_after_main(job, places[i]))
            fprintf(stderr, "  rank %d had returned from main, last in %s\n", i,
                    *job->hosts[i].call);
        else
            fprintf(stderr, "  rank %d in %s%s\n", i, *job->hosts[i].call, texts[i]);
    if (P > n)
        fprintf(stderr, "  and %d more ranks\n", P - n);
}

/* SPDX-License-Identifier: MIT */
/* How a rank leaves its program, whatever function it is in. */
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>

void host_end_calls(struct exit_call **calls, bool called)
{
    while (*calls != NULL) {
        struct exit_call *call = *calls;

        *calls = call->next;
        if (called)
            call->function(call->arg);
        free(call);
    }
}

void host_forget_calls(struct host_rank *h)
{
    host_end_calls(&h->exit_calls, false);
    host_end_calls(&h->quick_calls, false);
}

void host_leave_rank(int code, int rc)
{
    struct host_rank *h = host_here();

    if (h == NULL && host_maker() != NULL) { /* a thread that acts for its rank */
        host_maker()->place = host_place_here();
        host_end_thread();
    }
    if (h == NULL)
        host_abort();
    h->code = code;
    h->rc = rc;
    if (rc != 0 || code != 0)
        h->place = host_place_here();
    if (rc == 0) /* a handler may call exit() */
        host_end_calls(&h->exit_calls, true);
    if (rc == 0)
        host_end_image(h->job, h);
    else if (h->flush != NULL) /* another rank may have ended the run */
        h->flush();
    longjmp(h->end, 1);
}

void host_fail_explored(struct host_rank *h, const char *why)
{
    if (h->place == 0)
        h->place = host_place_here();
    logp_check_fails(h->vp, why, "", -(int)(h->place & INT_MAX)); /* other places: other failures */
}

void host_fail_by_end(struct host_rank *h, const char *end)
{
    char words[512];

    snprintf(words, sizeof(words), "%s%s%s", end,
             *h->said != '\0' ? "\n  its last line on stderr: " : "", h->said);
    host_fail_explored(h, words);
}

void host_abort_run(int code)
{
    struct host_rank *h = host_here() != NULL ? host_here() : host_maker();
    int none = -1;

    if (h == NULL)
        host_abort();
    /* relaxed: it is read when all ranks have ended */
    atomic_compare_exchange_strong_explicit(&the_job->abort_code, &none, code, memory_order_relaxed,
                                            memory_order_relaxed);
    if (the_job->kept != NULL) {
        h->code = code;
        host_fail_explored(h, h->said); /* the line that the caller has written names the end */
    }
    logp_machine_stop(logp_vp_machine(h->vp), -ECANCELED);
    host_leave_rank(code, -ECANCELED);
}

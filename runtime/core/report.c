/* SPDX-License-Identifier: MIT */
/* Errors, waits and the report of a run in words: see machine.h. */
#include "core/core.h"
#include "state/run_queue.h"
#include "state/stop.h"

#include <logp/machine.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int error;
    const char *text;
} errors[] = {
    {0, "no error"},
    {-E2BIG, "too large, or this version of the library does not know a field"},
    {-EAGAIN, "no more threads, or too many collectives under way: try again later"},
    {-EBADMSG, "messages are left over"},
    {-EBUSY, "busy: an earlier run, or a call with the same buffers, has not ended"},
    {-ECANCELED, "the run is over: another processor has returned an error"},
    {-ECHILD, "a process of the check was killed"},
    {-EDEADLK, "deadlock: every processor waits and nothing is on its way"},
    {-EEXIST, "this name is already taken"},
    {-EFBIG, "the file is too large"},
    {-EHOSTDOWN, "the delay model has stopped the processor"},
    {-EINPROGRESS, "the message has arrived or is on its way: too late to cancel"},
    {-EINTR, "interrupted"},
    {-EINVAL, "invalid argument"},
    {-EIO, "input or output has failed"},
    {-ELIBACC, "a shared library cannot be loaded"},
    {-ELOOP, "the run has more events than it may have"},
    {-EMSGSIZE, "the message is larger than the buffer, or than the queue of the machine"},
    {-ENAMETOOLONG, "the name is too long"},
    {-ENODATA, "the history is linearizable: there is nothing to draw"},
    {-ENOBUFS, "the queue of the machine is full"},
    {-ENOENT, "no such name"},
    {-ENOMEM, "no memory"},
    {-ENOSPC, "no space, or no context for another group"},
    {-ENOTSUP, "not supported by this machine, its delay model or the algorithm"},
    {-EOVERFLOW, "a time or a size is too large"},
    {-EPERM, "not permitted: MPI was started without the threads that it needs"},
    {-EPROTO, "a check does not hold, calls of a collective differ, or a schedule is not sound"},
    {-EPROTONOSUPPORT, "compiled for another version of the library"},
    {-ESRCH, "no program is running"},
    {-ESTALE, "the recorded choices do not belong to this program"},
    {-ETIME, "the wait has timed out, and no message has arrived"},
    {-ETIMEDOUT, "timeout: the run did not end within its time limit"},
};

const char *logp_error_text(int error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].error == error)
            return errors[i].text;
    return error < 0 && error > INT_MIN ? strerror(-error) : "an error code of the program";
}

void lpi_assert_fails(const struct lpi_proc *p, const char *file, int line, const char *expression,
                      const char *detail)
{
    struct logp_machine *m = p->core->machine;

    if (!lpi_stop(m, -EPROTO))
        return;
    if (detail != NULL)
        snprintf(m->detail, sizeof(m->detail), "%s", detail);
    m->report.asserted = (struct logp_asserted){.file = file,
                                                .line = line,
                                                .expression = expression,
                                                .rank = p->rank,
                                                .time_ns = lpi_clock(p),
                                                .detail = detail != NULL ? m->detail : NULL};
}

/* "rank 3", "any rank", "outside" */
static const char *source_text(int source, char text[24])
{
    if (source == LOGP_ANY_SOURCE || source == LOGP_OUTSIDE)
        return source == LOGP_OUTSIDE ? "outside" : "any rank";
    snprintf(text, 24, "rank %d", source);
    return text;
}

static const char *tag_text(int tag, char text[24])
{
    if (tag == LOGP_ANY_TAG)
        return "any tag";
    snprintf(text, 24, "tag %d", tag);
    return text;
}

int logp_wait_text(const struct logp_wait_info *wait, char *text, size_t n_bytes)
{
    char source[24], tag[24];

    switch (wait->kind) {
    case LOGP_WAIT_RECV:
        return snprintf(text, n_bytes, "waits for a message from %s, %s",
                        source_text(wait->source, source), tag_text(wait->tag, tag));
    case LOGP_WAIT_SEND:
        return snprintf(text, n_bytes, "waits for %s to receive, %s",
                        source_text(wait->source, source), tag_text(wait->tag, tag));
    case LOGP_WAIT_SPACE:
        return snprintf(text, n_bytes, "waits for space for a message to %s",
                        source_text(wait->source, source));
    case LOGP_WAIT_SYNC:
        return snprintf(text, n_bytes, "waits for all other ranks");
    case LOGP_WAIT_POLL:
        return snprintf(text, n_bytes, "polls and finds nothing");
    case LOGP_WAIT_RUNNING:
        return snprintf(text, n_bytes, "is outside the runtime and holds its core");
    case LOGP_WAIT_HALTED:
        return snprintf(text, n_bytes, "has stopped");
    case LOGP_WAIT_NONE:
        break;
    }
    return snprintf(text, n_bytes, "waits for nothing");
}

static void print_waits(const struct logp_report *r, FILE *out)
{
    char text[128];

    for (int i = 0; i < r->n_waits && i < LPI_WAITS_SHOWN; i++) {
        logp_wait_text(&r->waits[i], text, sizeof(text));
        fprintf(out, "  rank %d %s\n", r->waits[i].rank, text);
    }
    if (r->n_waits > LPI_WAITS_SHOWN)
        fprintf(out, "  ... and %d more\n", r->n_waits - LPI_WAITS_SHOWN);
}

int logp_report_print(const struct logp_machine *m, FILE *out)
{
    const struct logp_report *r = &m->report;

    if (r->error == 0)
        fprintf(out, "%d processors: %" PRId64 " ns, %" PRIu64 " messages", m->P, r->time_ns,
                r->messages);
    else if (r->error_rank < 0)
        fputs(logp_error_text(r->error), out);
    else
        fprintf(out, "%s of rank %d returned %d: %s",
                r->error_call != NULL ? r->error_call : "the program", r->error_rank, r->error,
                logp_error_text(r->error));
    fputs("\n", out);
    if (r->error == 0 && r->unreceived > 0)
        fprintf(out, "  %" PRIu64 " messages were never received\n", r->unreceived);
    if (r->late_starts > 0)
        fprintf(out, "  a core was late at a common start: %d time%s\n", r->late_starts,
                r->late_starts == 1 ? "" : "s");
    if (r->asserted.file != NULL && r->asserted.line <= 0)
        fprintf(out, "  %s\n", r->asserted.detail);
    else if (r->asserted.file != NULL && *r->asserted.expression == '\0')
        fprintf(out, "  %s:%d: %s on rank %d at %" PRId64 " ns\n", r->asserted.file,
                r->asserted.line, r->asserted.detail, r->asserted.rank, r->asserted.time_ns);
    else if (r->asserted.file != NULL)
        fprintf(out, "  %s:%d: %s does not hold on rank %d at %" PRId64 " ns%s%s\n",
                r->asserted.file, r->asserted.line, r->asserted.expression, r->asserted.rank,
                r->asserted.time_ns, r->asserted.detail != NULL ? ": " : "",
                r->asserted.detail != NULL ? r->asserted.detail : "");
    print_waits(r, out);
    return ferror(out) ? -EIO : 0;
}

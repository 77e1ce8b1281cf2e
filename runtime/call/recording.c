/* SPDX-License-Identifier: MIT */
/* Tracing, for the machine's owner and for the programs of vps: see trace.h. */
#include "host/host.h"
#include "mail/mail.h"
#include "call/call.h"

#include <logp/trace.h>

#include <errno.h>

/* Start recording, or stop it (NULL). Called with the machine's lock. */
static int set_recording(struct logp_machine *m, const struct logp_trace_config *config)
{
    int rc = 0;

    if (m->running > 0)
        return -EBUSY;
    lpi_tracing_destroy(m);
    if (config != NULL)
        rc = lpi_tracing_create(m, config);
    return rc;
}

int logp_machine_trace(struct logp_machine *m, const struct logp_trace_config *given)
{
    struct logp_trace_config config;
    int rc = given != NULL ? m->processes->only_one : 0;

    if (lpi_process_is_orphan())
        return -ENOTSUP;
    if (given != NULL && rc == 0)
        rc = logp_struct_take(&config, sizeof(config),
                              LOGP_UP_TO(struct logp_trace_config, events_most), given);
    if (rc != 0)
        return rc;
    if (given != NULL && (config.events_ahead < 0 || config.events_most < 0))
        return -EINVAL;
    pthread_mutex_lock(&m->lock);
    rc = set_recording(m, given != NULL ? &config : NULL);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

int logp_machine_take_trace(struct logp_machine *m, struct logp_trace **out)
{
    int rc;

    if (lpi_process_is_orphan())
        return -ENOTSUP;
    pthread_mutex_lock(&m->lock);
    rc = m->running > 0 ? -EBUSY : m->record->take(m, m->time->source(m), out);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

/* ---- for a vp ---- */

/* A call of vp that needs its clock, if events are recorded. @return they are */
static bool enter_recorded(const struct logp_vp *vp)
{
    if (vp->proc->core->machine->recorders == NULL)
        return false;
    enter(vp->proc);
    return true;
}

int logp_mark(struct logp_vp *vp, const char *name)
{
    const int rc = lpi_stopped(vp->proc);

    if (rc == 0 && vp->proc->core->machine->explore != NULL)
        lpi_note(vp->proc, LOGP_NOTE_MARKED, -1, -1, (int64_t)(uintptr_t)name);
    if (rc != 0 || !enter_recorded(vp))
        return rc;
    lpi_record_mark(vp->proc, name);
    return leave(vp->proc, 0);
}

uint32_t logp_label(struct logp_vp *vp, uint32_t label)
{
    return vp->proc->core->machine->record->label(vp->proc, label);
}

uint32_t logp_label_of(struct logp_vp *vp, const char *first, const char *second)
{
    uint32_t label;

    if (!enter_recorded(vp))
        return 0;
    label = lpi_record_label_of(vp->proc, first, second);
    leave(vp->proc, 0);
    return label;
}

void logp_trace_begin(struct logp_vp *vp, int64_t start_ns)
{
    vp->proc->core->machine->record->begin(vp->proc, start_ns);
}

void logp_trace_end(struct logp_vp *vp)
{
    vp->proc->core->machine->record->end(vp->proc);
}

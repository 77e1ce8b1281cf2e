/* SPDX-License-Identifier: MIT */
/* The named machines in cycles and bits: see preset.h. */
#include <logp/machine.h>
#include <logp/paper.h>

#include <pthread.h>
#include <string.h>

enum { MOST = 64 };

static struct logp_preset presets[MOST];
static size_t n_presets;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Those that are stored and forwarded in whole cycles; logp_preset_params() undoes it. */
static void make_presets(void)
{
    const struct logp_machine_file *m;

    for (size_t i = 0; n_presets < MOST && (m = logp_machine_file_at(i)) != NULL; i++) {
        const struct logp_params *p = &m->params;

        if (!p->store_forward || p->G_ps == 0)
            continue;
        presets[n_presets++] =
            (struct logp_preset){.name = m->name,
                                 .title = m->title,
                                 .cycle_ns = m->unit_ns,
                                 .width = 8 * m->unit_ns * 1000 / p->G_ps,
                                 .overhead = (p->o_send_ns + p->o_recv_ns) / m->unit_ns,
                                 .gap = p->g_ns / m->unit_ns,
                                 .delay = p->L_ns / m->unit_ns};
    }
}

const struct logp_preset *logp_preset_at(size_t i)
{
    pthread_once(&once, make_presets);
    return i < n_presets ? &presets[i] : NULL;
}

const struct logp_preset *logp_preset_find(const char *name)
{
    const struct logp_preset *p;

    for (size_t i = 0; (p = logp_preset_at(i)) != NULL; i++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

struct logp_params logp_preset_params(const struct logp_preset *p)
{
    const int64_t send = p->overhead / 2, byte_ps = 8 * p->cycle_ns * 1000;
    struct logp_params params = {.L_ns = p->delay * p->cycle_ns,
                                 .o_send_ns = send * p->cycle_ns,
                                 .o_recv_ns = (p->overhead - send) * p->cycle_ns,
                                 .g_ns = p->gap * p->cycle_ns,
                                 .G_ps = (byte_ps + p->width - 1) / p->width};

    logp_delay_params("store-forward", &params, &params);
    return params;
}

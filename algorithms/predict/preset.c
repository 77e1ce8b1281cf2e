/* SPDX-License-Identifier: MIT */
/* Real machines: see preset.h. */
#include <logp/preset.h>

#include <string.h>

/* Source: Liu, Li & Cui 1996, table 1: cycle, width, overhead, gap, delay. */
static const struct logp_preset presets[] = {
    {"ncube2", "nCUBE/2", 25, 1, 6400, 6400, 40},
    {"cm5", "Thinking Machines CM-5", 25, 4, 3600, 3600, 8},
    {"dash", "Stanford DASH", 30, 16, 30, 40, 2},
    {"jmachine", "MIT J-Machine", 31, 8, 16, 40, 2},
    {"monsoon", "MIT Monsoon", 20, 16, 10, 10, 2},
};

const struct logp_preset *logp_presets(size_t *n)
{
    *n = sizeof(presets) / sizeof(presets[0]);
    return presets;
}

const struct logp_preset *logp_preset_find(const char *name)
{
    for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
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

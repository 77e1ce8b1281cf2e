/* SPDX-License-Identifier: MIT */
/* Plug-ins that the command must refuse, or bear: what tests/CMakeLists.txt defines makes each of
 * them another. */
#include <logp/algorithm.h>

#include <errno.h>
#include <stdio.h>

#ifndef ODD_SIZE
#define ODD_SIZE sizeof(struct logp_plugin)
#endif
#ifndef ODD_NEWER
#define ODD_NEWER 0
#endif
#ifndef ODD_ROWS
#define ODD_ROWS 0
#endif
#ifndef ODD_NAMES
#define ODD_NAMES "idle"
#endif
#ifndef ODD_BRINGS
#define ODD_BRINGS true
#endif

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->ready;
}

static void transfer(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->done = t->arrival = t->start;
}

static const struct logp_delay_ops incomplete = {
    .size = sizeof(incomplete), .name = "odd", .start = start, .send = transfer};

/* It refuses in three lines, as the command must not; "quiet": without a word; "none": it makes
 * the model that emulates nothing; "zero": none at all; "incomplete": one that cannot receive. */
static int create(const struct logp_plugin_call *call, struct logp_delay *out,
                  char why[LOGP_PLUGIN_WHY])
{
    switch (call->arguments[0]) {
    case 'q':
        return -EDOM;
    case 'n':
        *out = logp_delay_none();
        return 0;
    case 'z':
        return 0;
    case 'i':
        *out = (struct logp_delay){&incomplete, NULL};
        return 0;
    default:
        snprintf(why, LOGP_PLUGIN_WHY, "%s\nP = %d\nseed %d, %s", "not with", (int)call->P,
                 (int)call->seed, call->arguments);
        return -EINVAL;
    }
}

static bool idle(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                 struct logp_step *out)
{
    (void)P, (void)rank, (void)c, (void)i, (void)out;
    return false;
}

/* Nobody gets anything: refused for its name, or found out by who looks at what it did. */
static const struct logp_algorithm row = {LOGP_ALGORITHM("broadcast", ODD_NAMES, "odd", "nobody"),
                                          .steps = idle};
static const struct logp_algorithm *const rows[] = {&row, NULL};

/* With something behind it, as one of a time to come may have. */
extern const struct odd {
    struct logp_plugin plugin;
    long what;
} odd __asm__("logp_plugin") __attribute__((visibility("default")));

const struct odd odd = {{.size = ODD_SIZE,
                         .version = LOGP_PLUGIN_VERSION + ODD_NEWER,
                         .name = "odd",
                         .create_delay = ODD_BRINGS ? create : NULL,
                         .algorithms = ODD_ROWS ? rows : NULL},
                        1};

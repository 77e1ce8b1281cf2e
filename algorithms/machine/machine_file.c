/* SPDX-License-Identifier: MIT */
/* A machine in a file, and the named machines, which are such files: see logp/machine.h. */
#include <logp/machine.h>
#include <logp/quantity.h>
#include <logp/paper.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The state of reading a file, one line at a time. */
struct reading {
    struct logp_machine_file *m;
    struct logp_machine_file_error *error;
    int line;
    int line_of_G;
    unsigned seen; /* a bit for each key */
};

static int refuse(const struct reading *r, const char *what, const char *allowed)
{
    r->error->line = r->line;
    snprintf(r->error->what, sizeof(r->error->what), "%s", what);
    snprintf(r->error->allowed, sizeof(r->error->allowed), "%s", allowed);
    return -EINVAL;
}

/* ---- values ---- */

enum key {
    NAME,
    TITLE,
    SOURCE,
    NODES,
    INTER,
    DELAY,
    UNIT,
    LATENCY,
    O,
    O_SEND,
    O_RECV,
    GAP,
    BYTE,
    GAMMA,
    KIND,
    CAPACITY,
    PORTS,
    N_KEYS
};

static int take_text(struct reading *r, enum key key, const char *value)
{
    struct logp_machine_file *const m = r->m;
    const size_t most[] = {sizeof(m->name), sizeof(m->title), sizeof(m->source), sizeof(m->nodes),
                           sizeof(m->inter)};
    char *const text[] = {m->name, m->title, m->source, m->nodes, m->inter};
    char allowed[32];

    snprintf(allowed, sizeof(allowed), "must be at most %zu bytes", most[key] - 1);
    if (strlen(value) >= most[key])
        return refuse(r, value, allowed);
    memcpy(text[key], value, strlen(value) + 1);
    return 0;
}

static int take_delay(struct reading *r, enum key key, const char *value)
{
    const struct logp_delay_model *model;
    char list[sizeof(r->error->allowed)] = "one of:";
    size_t n = strlen(list);

    (void)key;
    for (size_t i = 0; (model = logp_delay_model_at(i)) != NULL; i++) {
        if (strcmp(model->name, "none") == 0)
            continue;
        if (strcmp(model->name, value) == 0) {
            r->m->delay = model->name;
            return 0;
        }
        n += (size_t)snprintf(list + n, sizeof(list) - n, " %s", model->name);
        n = n < sizeof(list) ? n : sizeof(list) - 1;
    }
    return refuse(r, value, list);
}

/* Into whole ns, or into ps. */
static int take_time(struct reading *r, enum key key, const char *value)
{
    struct logp_params *const p = &r->m->params;
    int64_t *const of[N_KEYS] = {
        [UNIT] = &r->m->unit_ns,  [LATENCY] = &p->L_ns,     [O] = &p->o_send_ns,
        [O_SEND] = &p->o_send_ns, [O_RECV] = &p->o_recv_ns, [GAP] = &p->g_ns,
        [BYTE] = &p->G_ps,        [GAMMA] = &p->gamma_ps};
    const bool whole = key != BYTE && key != GAMMA;
    const size_t n = strlen(value);
    const int64_t unit_ps = (r->seen & 1u << UNIT) != 0 && key != UNIT ? r->m->unit_ns * 1000 : 0;
    int64_t ps;

    if (unit_ps == 0 && value[n - 1] != 's' && strcmp(value, "0") != 0)
        return refuse(
            r, value,
            key == BYTE
                ? "must be a time with a suffix ps, ns or us, or a rate as 10GB/s (80 Gbit/s)"
                : "must be a time with a suffix ns, us, ms or s");
    if (!(key == BYTE ? logp_byte_time_parse : logp_time_parse)(value, unit_ps != 0 ? unit_ps : 1,
                                                                &ps) ||
        ps > LOGP_PARAM_MAX_NS * (whole ? 1000 : 1))
        return refuse(r, value,
                      whole ? "must be a time >= 0, up to 11 days"
                      : key == BYTE
                          ? "must be a time >= 0, up to 1000 s, or a rate as 10GB/s (80 Gbit/s)"
                          : "must be a time >= 0, up to 1000 s");
    if (whole && ps % 1000 != 0)
        return refuse(r, value, "must be a whole number of nanoseconds");
    if (key == UNIT && ps == 0)
        return refuse(r, value, "must be a time >= 1ns");
    *of[key] = whole ? ps / 1000 : ps;
    if (key == O)
        p->o_recv_ns = p->o_send_ns;
    r->m->has_gamma |= key == GAMMA;
    if (key == BYTE)
        r->line_of_G = r->line;
    return 0;
}

static int take_kind(struct reading *r, enum key key, const char *value)
{
    (void)key;
    r->m->params.gap_shared = strcmp(value, "shared") == 0;
    return r->m->params.gap_shared || strcmp(value, "separate") == 0
               ? 0
               : refuse(r, value, "must be separate or shared");
}

static int take_capacity(struct reading *r, enum key key, const char *value)
{
    (void)key;
    r->m->params.capacity = strcmp(value, "on") == 0 ? LOGP_CAPACITY_RULE : 0;
    return r->m->params.capacity != 0 || strcmp(value, "off") == 0
               ? 0
               : refuse(r, value, "must be on or off");
}

static int take_ports(struct reading *r, enum key key, const char *value)
{
    int64_t n = 0;
    size_t i = 0;

    (void)key;
    while (i < 2 && value[i] >= '0' && value[i] <= '9')
        n = 10 * n + value[i++] - '0';
    if (value[i] != '\0' || n < 1 || n > LOGP_MOST_PORTS)
        return refuse(r, value, "must be a number of ports, 1 to 64");
    r->m->ports = n;
    return 0;
}

static const struct {
    const char *name;
    int (*take)(struct reading *r, enum key key, const char *value);
} keys[N_KEYS] = {
    [NAME] = {"name", take_text},     [TITLE] = {"title", take_text},
    [SOURCE] = {"source", take_text}, [NODES] = {"nodes", take_text},
    [INTER] = {"inter", take_text},   [DELAY] = {"delay", take_delay},
    [UNIT] = {"unit", take_time},     [LATENCY] = {"L", take_time},
    [O] = {"o", take_time},           [O_SEND] = {"o_send", take_time},
    [O_RECV] = {"o_recv", take_time}, [GAP] = {"g", take_time},
    [BYTE] = {"G", take_time},        [GAMMA] = {"gamma", take_time},
    [KIND] = {"gap", take_kind},      [CAPACITY] = {"capacity", take_capacity},
    [PORTS] = {"ports", take_ports},
};

/* ---- lines ---- */

/* Without the blanks around it. */
static char *trim(char *text)
{
    size_t n;

    text += strspn(text, " \t\r");
    for (n = strlen(text); n > 0 && strchr(" \t\r", text[n - 1]) != NULL;)
        n--;
    text[n] = '\0';
    return text;
}

static int refuse_key(const struct reading *r, const char *word)
{
    char list[sizeof(r->error->allowed)] = "one of:";
    size_t n = strlen(list);

    for (int i = 0; i < N_KEYS && n < sizeof(list); i++)
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i > 0 ? ", " : " ", keys[i].name);
    return refuse(r, word, list);
}

static int take_line(struct reading *r, char *text)
{
    const unsigned both = 1u << O_SEND | 1u << O_RECV;
    char *const equals = strchr(text, '=');
    const char *value;
    unsigned excluded;
    int key = 0;

    if (equals == NULL)
        return refuse(r, text, "write key = value, as L = 1.3us");
    *equals = '\0';
    value = trim(equals + 1);
    text = trim(text);
    while (key < N_KEYS && strcmp(keys[key].name, text) != 0)
        key++;
    if (key == N_KEYS)
        return refuse_key(r, text);
    if (*value == '\0')
        return refuse(r, text, "needs a value");
    excluded = key == O ? both : (1u << key & both) != 0 ? 1u << O : 0;
    if ((r->seen & 1u << key) != 0)
        return refuse(r, text, "given twice; keep one");
    if ((r->seen & excluded) != 0)
        return refuse(r, text, "give o, or o_send and o_recv");
    if (keys[key].take(r, (enum key)key, value) != 0)
        return -EINVAL;
    r->seen |= 1u << key;
    return 0;
}

/* Check the parameters that every machine has. */
static int check_whole(struct reading *r)
{
    static const enum key needed[] = {LATENCY, O_SEND, O_RECV, GAP};

    if ((r->seen & 1u << O) != 0)
        r->seen |= 1u << O_SEND | 1u << O_RECV;
    r->line += r->line == 0; /* of an empty file */
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if ((r->seen & 1u << needed[i]) == 0)
            return refuse(r, keys[needed[i]].name,
                          "missing; a machine has L, o or o_send and o_recv, and g");
    return 0;
}

/* The parameters that the delay model has. */
static int settle_params(struct reading *r)
{
    const int64_t G_ps = r->m->params.G_ps;

    logp_delay_params(r->m->delay, &r->m->params, &r->m->params);
    if (r->m->params.G_ps == G_ps)
        return 0;
    r->line = r->line_of_G;
    return refuse(r, "G", "this delay model has none; write delay = loggp, or leave G out");
}

int logp_machine_file_read(const char *text, struct logp_machine_file *out,
                           struct logp_machine_file_error *error)
{
    struct logp_machine_file m = {.size = sizeof(m), .delay = "loggp", .unit_ns = 1};
    struct logp_machine_file_error unwanted;
    struct reading r = {.m = &m, .error = error != NULL ? error : &unwanted};
    int rc = 0;

    while (rc == 0 && *text != '\0') {
        const size_t all = strcspn(text, "\n"), used = strcspn(text, "#\n");
        char line[512];

        r.line++;
        if (used >= sizeof(line))
            return refuse(&r, "a line", "at most 511 bytes");
        memcpy(line, text, used);
        line[used] = '\0';
        if (*trim(line) != '\0')
            rc = take_line(&r, trim(line));
        text += all + (text[all] == '\n');
    }
    if (rc == 0)
        rc = check_whole(&r);
    if (rc == 0)
        rc = settle_params(&r);
    if (rc != 0)
        return rc;
    if (m.title[0] == '\0')
        memcpy(m.title, m.name, sizeof(m.title));
    *out = m;
    return 0;
}

/* ---- the named ones ---- */

static const char *const texts[] = {
#include <machines.inc>
};

enum { N_MACHINES = sizeof(texts) / sizeof(texts[0]) };

static struct logp_machine_file machines[N_MACHINES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_all(void)
{
    for (size_t i = 0; i < N_MACHINES; i++)
        logp_machine_file_read(texts[i], &machines[i], NULL);
}

const struct logp_machine_file *logp_machine_file_at(size_t i)
{
    pthread_once(&once, read_all);
    return i < N_MACHINES ? &machines[i] : NULL;
}

const struct logp_machine_file *logp_machine_file_find(const char *name)
{
    const struct logp_machine_file *m;

    for (size_t i = 0; (m = logp_machine_file_at(i)) != NULL; i++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

/* ---- the named machines in cycles and bits ---- */

enum { MOST = 64 };

static struct logp_preset presets[MOST];
static size_t n_presets;
static pthread_once_t presets_once = PTHREAD_ONCE_INIT;

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
    pthread_once(&presets_once, make_presets);
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

/* SPDX-License-Identifier: MIT */
/*
 * A machine's parameters from a file, a line each, "key = value", # begins a comment:
 *
 *     name  = my cluster
 *     L     = 1300ns      # or us, ms, s
 *     o     = 210ns       # or o_send and o_recv
 *     g     = 400ns
 *     G     = 0.08ns      # of a byte; G and gamma may be left out
 *     gamma = 0.5ns       # of an element
 */
#include "options/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the file, for what is said of it. */
struct line {
    const char *option, *file;
    int number;
    char *text;
};

_Noreturn static void refuse_line(const struct line *l, const char *what, const char *allowed)
{
    char option[32];

    bad_usage("%s %s:%d: %s: %s", option_shown(l->option, option), l->file, l->number, what,
              allowed);
}

/* Without the blanks around it. */
static char *trim(char *text)
{
    size_t n;

    text += strspn(text, " \t\r\n");
    for (n = strlen(text); n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL;)
        n--;
    text[n] = '\0';
    return text;
}

/* In whole ns, or in ps. */
static int64_t time_of(const struct line *l, const char *text, bool whole)
{
    const size_t n = strlen(text);
    int64_t ps;

    if ((n == 0 || text[n - 1] != 's') && strcmp(text, "0") != 0)
        refuse_line(l, text, "a time with a suffix ns, us, ms or s");
    if (!parse_time_ps(text, 1, &ps) || ps > LOGP_PARAM_MAX_NS * (whole ? 1000 : 1))
        refuse_line(l, text, whole ? "a time >= 0, up to 11 days" : "a time >= 0, up to 1000 s");
    if (whole && ps % 1000 != 0)
        refuse_line(l, text, "a whole number of nanoseconds");
    return whole ? ps / 1000 : ps;
}

enum { NAME, LATENCY, O, O_SEND, O_RECV, GAP, BYTE, GAMMA, N_KEYS };

static const struct names keys = {{"name", "L", "o", "o_send", "o_recv", "g", "G", "gamma"},
                                  N_KEYS};

/* The key of a line, whose value is then at *value. */
static int key_of(const struct line *l, char **value)
{
    char *const equals = strchr(l->text, '='), list[MAX_LIST];
    int key;

    if (equals == NULL)
        refuse_line(l, l->text, "key = value");
    *equals = '\0';
    *value = trim(equals + 1);
    key = find_name(&keys, trim(l->text));
    if (key < 0)
        refuse_line(l, trim(l->text), one_of(&keys, trim(l->text), list));
    if (**value == '\0')
        refuse_line(l, keys.name[key], "needs a value");
    return key;
}

static void take_line(const struct line *l, char name[64], unsigned *seen, struct logp_params *p)
{
    char *value;
    const int key = key_of(l, &value);
    int64_t *const of[N_KEYS] = {NULL,          &p->L_ns, &p->o_send_ns, &p->o_send_ns,
                                 &p->o_recv_ns, &p->g_ns, &p->G_ps,      &p->gamma_ps};
    const unsigned both = 1u << O_SEND | 1u << O_RECV;
    const unsigned excluded = key == O ? both : (1u << key & both) != 0 ? 1u << O : 0;

    if ((*seen & (1u << key)) != 0)
        refuse_line(l, keys.name[key], "once");
    if ((*seen & excluded) != 0)
        refuse_line(l, keys.name[key], "o, or o_send and o_recv");
    *seen |= 1u << key;
    if (key == NAME)
        snprintf(name, 64, "%s", value);
    else
        *of[key] = time_of(l, value, key != BYTE && key != GAMMA);
    if (key == O)
        p->o_recv_ns = p->o_send_ns;
}

const struct logp_preset *read_machine(const char *option, const char *file, FILE *f,
                                       struct logp_params *params)
{
    static char name[64];
    static struct logp_preset machine = {.name = name, .title = name, .cycle_ns = 1};
    struct line l = {.option = option, .file = file};
    const int needed[] = {LATENCY, O_SEND, O_RECV, GAP};
    unsigned seen = 0;
    size_t room = 0;

    snprintf(name, sizeof(name), "%s", file);
    while (getline(&l.text, &room, f) >= 0) {
        char *const text = l.text;

        l.number++;
        text[strcspn(text, "#")] = '\0';
        l.text = trim(text);
        if (*l.text != '\0')
            take_line(&l, name, &seen, params);
        l.text = text;
    }
    free(l.text);
    if (ferror(f))
        bad_option(option, file, "a file that can be read: %s", strerror(errno));
    if ((seen & 1u << O) != 0)
        seen |= 1u << O_SEND | 1u << O_RECV;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if ((seen & 1u << needed[i]) == 0)
            refuse_line(&l, keys.name[needed[i]],
                        "missing; a machine has L, o or o_send and o_recv, and g");
    return &machine;
}

/* SPDX-License-Identifier: MIT */
/* What a report is about: the program, its command and parameters, the host and the date. */
#include "profile.h"
#include "text/problem.h"
#include "text/text.h"
#include "view/records/records.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* The words of the command line, in quotes where the shell needs them; to be freed. */
static char *command_line(const struct question *q)
{
    char *line = NULL;
    size_t size;
    FILE *f = need(open_memstream(&line, &size));

    for (char **word = q->line.argv; word != NULL && *word != NULL; word++) {
        const char *slash = word == q->line.argv ? strrchr(*word, '/') : NULL;
        const bool plain = **word != '\0' && strpbrk(*word, " \t\n\"'$&|;<>()*?\\`#!") == NULL;

        fprintf(f, plain ? "%s%s" : "%s'%s'", word > q->line.argv ? " " : "",
                slash != NULL ? slash + 1 : *word);
    }
    return close_text(f, &line);
}

/* All times in microseconds. */
static void write_parameters(FILE *f, const struct question *q)
{
    const struct logp_params *x = &q->model.network.params;
    char byte[64];

    fprintf(f, "L %.6g us, ", (double)x->L_ns / 1000);
    if (x->o_send_ns == x->o_recv_ns)
        fprintf(f, "o %.6g us, ", (double)x->o_send_ns / 1000);
    else
        fprintf(f, "o_send %.6g us, o_recv %.6g us, ", (double)x->o_send_ns / 1000,
                (double)x->o_recv_ns / 1000);
    fprintf(f, "g %.6g us", (double)x->g_ns / 1000);
    if (x->G_ps > 0 && !q->model.ignores_G)
        fprintf(f, ", G %s", show_byte_time(x->G_ps, byte));
}

static void add(struct profile_facts *facts, const char *name, char *value)
{
    facts->fact[facts->n].name = name;
    facts->fact[facts->n++].value = value;
}

struct profile_facts profile_facts(const struct profile *p)
{
    const struct question *q = p->q;
    struct profile_facts facts = {0};
    char text[HOST_SIZE + 128], processor[HOST_SIZE], *parameters = NULL;
    const time_t now = time(NULL);
    struct utsname host = {0};
    struct tm local = {0};
    size_t size;
    FILE *f;

    add(&facts, "Program", need(strdup(p->program)));
    add(&facts, "Command", command_line(q));
    if (q->model.emulated) {
        f = need(open_memstream(&parameters, &size));
        write_parameters(f, q);
        add(&facts, "Parameters", close_text(f, &parameters));
        add(&facts, "Clock", need(strdup(q->how.clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall")));
    } else {
        add(&facts, "Network", need(strdup("nothing emulated: times are those of this host")));
    }
    uname(&host);
    snprintf(text, sizeof(text), "%s, %s", host.nodename, host_processor(processor));
    add(&facts, "Host", need(strdup(text)));
    localtime_r(&now, &local);
    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &local);
    add(&facts, "Date", need(strdup(text)));
    return facts;
}

void profile_free_facts(struct profile_facts *facts)
{
    for (size_t i = 0; i < facts->n; i++)
        free(facts->fact[i].value);
    facts->n = 0;
}

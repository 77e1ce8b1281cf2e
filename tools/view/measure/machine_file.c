/* SPDX-License-Identifier: MIT */
/* The results as a file of a machine: see logp/machine.h. */
#include "view/views.h"
#include "answer/measure/measure.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void print_ns(FILE *f, const char *key, int64_t ns, const char *remark)
{
    fprintf(f, "%-8s = %lldns%s%s\n", key, (long long)ns, remark != NULL ? "  # " : "",
            remark != NULL ? remark : "");
}

static void print_ps(FILE *f, const char *key, int64_t ps, const char *remark)
{
    fprintf(f, "%-8s = %lld.%03lldns%s%s\n", key, (long long)(ps / 1000), (long long)(ps % 1000),
            remark != NULL ? "  # " : "", remark != NULL ? remark : "");
}

static void print_source(FILE *f, const struct measured *m)
{
    char host[64] = "?", day[16];
    const time_t now = time(NULL);
    struct tm when;

    gethostname(host, sizeof(host) - 1);
    localtime_r(&now, &when);
    strftime(day, sizeof(day), "%Y-%m-%d", &when);
    fprintf(f, "source   = logp measure, %s, %s, %s executor", host, day, m->q->how.executor);
    if (over_processes(m->q))
        fprintf(f, ", %s, %d processes", m->q->how.transport, m->n_processes);
    fputc('\n', f);
}

static void print_protocols(FILE *f, const struct logp_found *found)
{
    for (int i = 0; found->n_protocols > 1 && i < found->n_protocols; i++) {
        const struct logp_protocol *p = &found->protocols[i];

        fprintf(f, "# %zu .. %zu bytes: L %.0fns, G %.4fns end to end", p->from, p->to, p->L_ns,
                p->wire_G_ns);
        if (p->G_ns >= 0)
            fprintf(f, ", g %.0fns, G %.4fns in a stream", p->g_ns, p->G_ns);
        fputc('\n', f);
    }
}

void print_measured_machine(FILE *f, const struct measured *m)
{
    struct levels l;
    const bool nodes = m->n_pairs > 1 && find_levels(m, &l);
    const struct logp_found *found = &(nodes ? l.inside : &m->pairs[0])->found;
    const struct logp_params *p = &found->params;

    print_source(f, m);
    fprintf(f, "delay    = %s\n", found->delay);
    print_ns(f, "L", p->L_ns,
             found->L_hidden ? "the overheads are longer than half a round trip" : NULL);
    print_ns(f, "o_send", p->o_send_ns, NULL);
    print_ns(f, "o_recv", p->o_recv_ns, NULL);
    print_ns(f, "g", p->g_ns, found->g_hidden ? "or less: hidden behind the overhead" : NULL);
    print_ps(f, "G", p->G_ps, NULL);
    if (found->has_gamma)
        print_ps(f, "gamma", p->gamma_ps, NULL);
    else if (m->n_combining > 0)
        print_ps(f, "gamma", m->combining[m->n_combining / 2].ps, "of this host, sums of doubles");
    fprintf(f, "gap      = %s%s\n", p->gap_shared ? "shared" : "separate",
            found->gap == LOGP_GAP_UNSEEN ? "  # could not be measured" : "");
    print_protocols(f, found);
    if (nodes) {
        p = &l.between->found.params;
        fprintf(f,
                "nodes    = *x%d\n"
                "inter    = L=%lldns,o_send=%lldns,o_recv=%lldns,g=%lldns,G=%lld.%03lldns\n",
                l.node_size, (long long)p->L_ns, (long long)p->o_send_ns, (long long)p->o_recv_ns,
                (long long)p->g_ns, (long long)(p->G_ps / 1000), (long long)(p->G_ps % 1000));
    }
}

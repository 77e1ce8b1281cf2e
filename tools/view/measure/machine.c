/* SPDX-License-Identifier: MIT */
/* The results as a file of a machine: see logp/machine.h. */
#include "answer/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
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

/* ---- nodes ---- */

/* The longest time of a message between near ranks; 0: no two ranks are nearer than others. */
static double nearness(const struct measured *m)
{
    double *times = malloc(m->n_pairs * sizeof(*times)), most = 1.25, near = 0;

    for (size_t i = 0; times != NULL && i < m->n_pairs; i++)
        times[i] = m->pairs[i].sizes[0].one_way;
    if (times != NULL)
        qsort(times, m->n_pairs, sizeof(*times), ascending_reals);
    for (size_t i = 1; times != NULL && i < m->n_pairs; i++)
        if (times[i - 1] > 0 && times[i] > most * times[i - 1]) {
            most = times[i] / times[i - 1];
            near = times[i - 1];
        }
    free(times);
    return near;
}

/* The pair with the median time among the near pairs, or the others. */
static const struct pair *typical(const struct measured *m, double near, bool is_near)
{
    const struct pair *middle = NULL;
    size_t least = m->n_pairs;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const double time = m->pairs[i].sizes[0].one_way;
        size_t below = 0, above = 0, apart;

        if ((time <= near) != is_near)
            continue;
        for (size_t k = 0; k < m->n_pairs; k++) {
            const double other = m->pairs[k].sizes[0].one_way;

            below += (other <= near) == is_near && other < time;
            above += (other <= near) == is_near && other > time;
        }
        apart = below > above ? below - above : above - below;
        if (apart < least) {
            least = apart;
            middle = &m->pairs[i];
        }
    }
    return middle;
}

/*
 * Find nodes among all pairs. The pairs are sorted by the time of a message; the near pairs are
 * those before the largest relative increase, of at least a quarter. There are nodes if blocks of
 * consecutive ranks, equal in size, exist such that the near pairs are exactly those within a
 * block.
 */
bool find_levels(const struct measured *m, struct levels *out)
{
    const double near = nearness(m);
    const int64_t P = m->q->model.P;

    *out = (struct levels){.node_size = 1};
    if (near <= 0)
        return false;
    for (size_t i = 0; i < m->n_pairs; i++) /* rank 0 and the ranks near to it */
        out->node_size += m->pairs[i].client == 0 && m->pairs[i].sizes[0].one_way <= near;
    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct pair *p = &m->pairs[i];
        const bool same = p->client / out->node_size == p->server / out->node_size;

        if (same != (p->sizes[0].one_way <= near))
            return false;
    }
    out->inside = typical(m, near, true);
    out->between = typical(m, near, false);
    return out->node_size < P && out->inside != NULL && out->between != NULL;
}

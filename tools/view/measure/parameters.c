/* SPDX-License-Identifier: MIT */
/* The results, for people and for programs. */
#include "view/views.h"
#include "answer/measure/measure.h"
#include "view/records/records.h"
#include "text/text.h"

#include <stdio.h>
#include <string.h>

/* One of the parameters. */
struct value {
    const char *name;
    const struct logp_estimated *found;
    int64_t set_ps; /* the value in the options, of an emulated machine */
    bool of_byte;   /* ns per byte, or element; else us */
    bool hidden;
};

enum { N_VALUES = 6, DIGITS = 9 };

/* The parameters of this pair's messages in the options. Overheads and gaps are those of the first
 * rank, L is half of a round trip. */
static struct logp_params set_for(const struct measured *m, const struct pair *pair)
{
    struct logp_params there = m->q->model.network.params, back = m->q->model.network.params;

    if (m->q->model.network.links != NULL) {
        logp_links_of(m->q->model.network.links, pair->client, pair->server,
                      &m->q->model.network.params, &there);
        logp_links_of(m->q->model.network.links, pair->server, pair->client,
                      &m->q->model.network.params, &back);
    }
    there.o_recv_ns = back.o_recv_ns;
    there.L_ns = (there.L_ns + back.L_ns) / 2;
    return there;
}

static void list_values(const struct measured *m, const struct pair *pair,
                        struct value out[N_VALUES])
{
    const struct logp_found *f = &pair->found;
    const struct logp_params p = set_for(m, pair);
    const struct value all[N_VALUES] = {{"L", &f->L, p.L_ns * 1000, false, f->L_hidden},
                                        {"o_send", &f->o_send, p.o_send_ns * 1000, false, false},
                                        {"o_recv", &f->o_recv, p.o_recv_ns * 1000, false, false},
                                        {"g", &f->g, p.g_ns * 1000, false, f->g_hidden},
                                        {"G", &f->G, p.G_ps, true, false},
                                        {"gamma", &f->gamma, p.gamma_ps, true, false}};

    memcpy(out, all, sizeof(all));
}

static const char *gap_word(const struct logp_found *f)
{
    return f->gap == LOGP_GAP_SHARED ? "shared" : f->gap == LOGP_GAP_SEPARATE ? "separate" : NULL;
}

/* ---- for people ---- */

static bool is_emulated(const struct measured *m)
{
    return m->q->model.emulated && m->q->model.plugin == NULL;
}

static void print_heading(FILE *f, const struct measured *m)
{
    const struct question *q = m->q;

    print_model(f, q);
    print_conditions(f, q);
    print_carriers(f, q, &m->cores, m->n_processes);
    if (over_processes(q))
        fprintf(f, ", transport %s", q->how.transport);
    fputc('\n', f);
}

static void print_value(FILE *f, const struct measured *m, const struct value *v)
{
    const double unit = v->of_byte ? 1 : 1000;
    char text[32];

    snprintf(text, sizeof(text), "%s%.*f", v->hidden ? "<= " : "", v->of_byte ? 4 : 3,
             v->found->ns / unit);
    fprintf(f, "%-8s%14s", v->name, text);
    fprintf(f, "%14.*f%14.*f", v->of_byte ? 4 : 3, v->found->low_ns / unit, v->of_byte ? 4 : 3,
            v->found->high_ns / unit);
    if (is_emulated(m)) {
        const double set = (double)v->set_ps / 1000;

        fprintf(f, "%14.*f", v->of_byte ? 4 : 3, set / unit);
        if (set > 0 && !v->hidden)
            fprintf(f, "%+11.2f %%", (v->found->ns / set - 1) * 100);
    }
    fputc('\n', f);
}

static void print_remarks(FILE *f, const struct logp_found *found)
{
    char G[64];

    if (found->G.ns >= 0.001)
        fprintf(f, "G = %s.\n", show_byte_time((int64_t)(found->G.ns * 1000 + 0.5), G));
    if (found->g_hidden)
        fputs("g cannot be measured: it is not larger than the overhead, so it never limits the "
              "rate.\n",
              f);
    if (found->L_hidden)
        fputs("The overheads are longer than half a round trip: L is taken as 0.\n", f);
    if (found->doubtful[0] != '\0')
        fprintf(f, "DOUBTFUL: %s. Measure again on an idle host.\n", found->doubtful);
    if (gap_word(found) != NULL)
        fprintf(f, "Gaps of sends and receives: %s.", gap_word(found));
    else
        fputs("Whether sends and receives share one gap could not be determined.", f);
    if (found->exact)
        fputs(" All times of one kind were equal.\n", f);
    else
        fprintf(f, " %zu of %zu times were rejected as outliers.\n", found->n_left_out,
                found->n_times);
}

/* Whether the protocol's error is unexplained; exact times differ by the model's rounding only. */
static bool unexplained(const struct logp_found *f, const struct logp_protocol *p)
{
    return !f->exact && p->error > LOGP_UNEXPLAINED;
}

static bool impossible(const struct logp_size_seen *s)
{
    return s->one_way < 0 || s->o_send < 0 || s->o_recv < 0 || s->apart < 0 || s->sent_apart < 0 ||
           s->received_apart < 0;
}

static void print_protocols(FILE *f, const struct logp_found *found)
{
    fprintf(f, "\n%-22s%10s%14s%10s%15s%15s\n", "bytes", "L, us", "G end to end", "g, us",
            "G (streaming)", "max. residual");
    for (int i = 0; i < found->n_protocols; i++) {
        const struct logp_protocol *p = &found->protocols[i];
        char range[32];

        snprintf(range, sizeof(range), "%zu .. %zu", p->from, p->to);
        fprintf(f, "%-22s%10.3f%14.4f", range, p->L_ns / 1000, p->wire_G_ns);
        if (p->g_ns < 0 && p->G_ns < 0)
            fprintf(f, "%10s%15s", "hidden", "-");
        else
            fprintf(f, "%10.3f%15.4f", p->g_ns / 1000, p->G_ns);
        fprintf(f, "%13.1f %%%s\n", p->error * 100, unexplained(found, p) ? "  unexplained" : "");
    }
}

static void print_sizes(FILE *f, const struct pair *pair)
{
    fprintf(f, "\n%12s%14s%12s%12s%16s\n", "bytes", "one way, us", "o_send", "o_recv", "interval");
    for (size_t i = 0; i < pair->n_sizes; i++) {
        const struct logp_size_seen *s = &pair->sizes[i];

        fprintf(f, "%12zu%14.3f%12.3f%12.3f%16.3f%s\n", s->n_bytes, s->one_way / 1000,
                s->o_send / 1000, s->o_recv / 1000, s->apart / 1000,
                impossible(s) ? "  impossible" : "");
    }
}

static void print_pair(FILE *f, const struct measured *m, const struct pair *pair)
{
    const struct logp_found *found = &pair->found;
    struct value values[N_VALUES];

    fprintf(f, "\nranks %d and %d: times in us, of a byte or an element in ns\n", pair->client,
            pair->server);
    fprintf(f, "%-8s%14s%28s%s\n", "", "measured", "95 % interval",
            is_emulated(m) ? "        set to" : "");
    list_values(m, pair, values);
    for (int i = 0; i < N_VALUES - !found->has_gamma; i++)
        print_value(f, m, &values[i]);
    print_remarks(f, found);
    if (found->n_protocols > 1)
        fprintf(f, "\nThe parameters differ in %d ranges of sizes:", found->n_protocols);
    if (found->n_protocols > 1 || !found->exact)
        print_protocols(f, found);
    print_sizes(f, pair);
}

static void print_combining(FILE *f, const struct measured *m)
{
    if (m->n_combining == 0)
        return;
    fprintf(f, "\n%12s%14s\n", "doubles", "gamma, ns");
    for (size_t i = 0; i < m->n_combining; i++)
        fprintf(f, "%12lld%14.4f\n", (long long)m->combining[i].count,
                (double)m->combining[i].ps / 1000);
}

/* Print the options that describe the nodes. */
static void print_levels(FILE *f, const struct measured *m)
{
    const struct logp_params *p;
    struct levels l;

    if (m->n_pairs < 2)
        return;
    if (!find_levels(m, &l)) {
        fputs("\nNo nodes were found: all pairs are alike, or close pairs do not form blocks of "
              "ranks.\n",
              f);
        return;
    }
    p = &l.between->found.params;
    fprintf(f,
            "\nNodes of %d ranks were found; inside a node as ranks %d and %d, between nodes as %d "
            "and %d:\n"
            "  --nodes '*x%d' --inter L=%lldns,o_send=%lldns,o_recv=%lldns,g=%lldns,G=%lldps\n",
            l.node_size, l.inside->client, l.inside->server, l.between->client, l.between->server,
            l.node_size, (long long)p->L_ns, (long long)p->o_send_ns, (long long)p->o_recv_ns,
            (long long)p->g_ns, (long long)p->G_ps);
}

static void print_table_of(FILE *f, const struct measured *m)
{
    print_heading(f, m);
    for (size_t i = 0; i < m->n_pairs; i++)
        print_pair(f, m, &m->pairs[i]);
    print_levels(f, m);
    print_combining(f, m);
}

/* ---- for programs ---- */

static json_t *interval_json(const struct logp_estimated *e)
{
    return json_pack("[f,f]", e->low_ns, e->high_ns);
}

static json_t *protocols_json(const struct logp_found *f)
{
    json_t *all = json_array();

    for (int i = 0; i < f->n_protocols; i++) {
        const struct logp_protocol *p = &f->protocols[i];
        json_t *g = p->g_ns < 0 && p->G_ns < 0 ? json_null() : json_real(p->g_ns);
        json_t *G = p->G_ns < 0 ? json_null() : json_real(p->G_ns);

        json_array_append_new(all, json_pack("{s:I,s:I,s:f,s:f,s:o,s:o,s:f}", "from",
                                             (json_int_t)p->from, "to", (json_int_t)p->to, "L_ns",
                                             p->L_ns, "wire_G_ns_per_byte", p->wire_G_ns, "g_ns", g,
                                             "G_ns_per_byte", G, "error", p->error));
    }
    return all;
}

static json_t *size_json(const struct logp_size_seen *s)
{
    return json_pack("{s:I,s:f,s:f,s:f,s:f,s:f,s:f}", "bytes", (json_int_t)s->n_bytes, "one_way_ns",
                     s->one_way, "o_send_ns", s->o_send, "o_recv_ns", s->o_recv, "apart_ns",
                     s->apart, "sent_apart_ns", s->sent_apart, "received_apart_ns",
                     s->received_apart);
}

/* The lines of CSV: the ranks of the pair, and the size. */
static void put_sizes(struct records *r, const struct pair *pair)
{
    for (size_t i = 0; i < pair->n_sizes; i++) {
        json_t *line = size_json(&pair->sizes[i]);

        json_object_set_new(line, "client", json_integer(pair->client));
        json_object_set_new(line, "server", json_integer(pair->server));
        put_record(r, line);
    }
}

static json_t *sizes_json(const struct pair *pair)
{
    json_t *all = json_array();

    for (size_t i = 0; i < pair->n_sizes; i++)
        json_array_append_new(all, size_json(&pair->sizes[i]));
    return all;
}

static json_t *combining_json(const struct measured *m)
{
    json_t *all = json_array();

    for (size_t i = 0; i < m->n_combining; i++)
        json_array_append_new(all,
                              json_pack("{s:I,s:f}", "count", (json_int_t)m->combining[i].count,
                                        "gamma_ns", (double)m->combining[i].ps / 1000));
    return all;
}

static json_t *pair_json(const struct measured *m, const struct pair *pair)
{
    const struct question *q = m->q;
    const struct logp_found *f = &pair->found;
    const struct logp_params *p = &f->params;
    struct value values[N_VALUES];
    json_t *intervals = json_object();

    list_values(m, pair, values);
    for (int i = 0; i < N_VALUES; i++)
        json_object_set_new(intervals, values[i].name, interval_json(values[i].found));
    return json_pack(
        "{s:[i,i],s:I,s:I,s:I,s:I,s:f,s:f,s:s,s:s?,s:b,s:b,s:b,s:b,"
        "s:o,s:I,s:I,s:f,s:s?,s:o,s:o,s:o,s:I,s:s,s:s,s:s,s:i}",
        "ranks", pair->client, pair->server, "L_ns", (json_int_t)p->L_ns, "o_send_ns",
        (json_int_t)p->o_send_ns, "o_recv_ns", (json_int_t)p->o_recv_ns, "g_ns",
        (json_int_t)p->g_ns, "G_ns_per_byte", (double)p->G_ps / 1000, "gamma_ns",
        (double)p->gamma_ps / 1000, "delay", f->delay, "gap", gap_word(f), "g_hidden",
        (int)f->g_hidden, "L_hidden", (int)f->L_hidden, "gamma_seen", (int)f->has_gamma, "exact",
        (int)f->exact, "intervals_ns", intervals, "times", (json_int_t)f->n_times, "left_out",
        (json_int_t)f->n_left_out, "error", f->error, "doubtful",
        f->doubtful[0] != '\0' ? f->doubtful : NULL, "protocols", protocols_json(f), "sizes",
        sizes_json(pair), "combining", combining_json(m), "P", (json_int_t)q->model.P, "clock",
        q->how.clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall", "executor", q->how.executor,
        "transport", over_processes(q) ? q->how.transport : "mailbox", "processes", m->n_processes);
}

void print_measured(FILE *f, enum record_form form, const struct measured *m)
{
    struct records r = {.f = f,
                        .form = form,
                        .digits = DIGITS,
                        .columns = "client,server,bytes,one_way_ns,o_send_ns,o_recv_ns,apart_ns,"
                                   "sent_apart_ns,received_apart_ns"};

    if (form == RECORDS_NONE)
        print_measured_machine(f, m);
    if (form == RECORDS_TABLE)
        print_table_of(f, m);
    if (form == RECORDS_NONE || form == RECORDS_TABLE)
        return;
    for (size_t i = 0; i < m->n_pairs; i++)
        if (form == RECORDS_CSV)
            put_sizes(&r, &m->pairs[i]);
        else
            put_record(&r, pair_json(m, &m->pairs[i]));
    end_records(&r);
}

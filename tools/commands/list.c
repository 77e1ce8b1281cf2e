/* SPDX-License-Identifier: MIT */
/* logp list: all items of a kind, such as algorithms. Each kind is a table of (name, of,
 * summary, source, same). */
#include "commands/command.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ENTRIES = 256 };

struct entry {
    const char *name, *of, *summary, *source; /* of, source: NULL, where there is none */
    const struct logp_algorithm
        *same; /* whether all ranks get the same bits; NULL: not an allreduce */
};

static bool gives_same(const struct logp_algorithm *a)
{
    const struct logp_args inexact = {.op = logp_op_find("sum", "double")};

    return logp_algorithm_same_results(a, &inexact);
}

static size_t list_collectives(struct entry *out)
{
    const struct logp_collective *c;
    size_t n = 0;

    for (; n < MAX_ENTRIES && (c = logp_collective_at(n)) != NULL; n++)
        out[n] = (struct entry){.name = c->name, .summary = c->summary};
    return n;
}

static size_t list_algorithms(struct entry *out)
{
    const struct logp_algorithm *a;
    size_t n = 0;

    for (; n < MAX_ENTRIES && (a = logp_algorithm_at(NULL, n)) != NULL; n++)
        out[n] = (struct entry){a->name, a->collective, a->summary, a->source,
                                logp_collective_find(a->collective)->same_results ? a : NULL};
    return n;
}

static size_t list_delays(struct entry *out)
{
    const struct logp_delay_model *d;
    size_t n = 0;

    for (; n < MAX_ENTRIES && (d = logp_delay_model_at(n)) != NULL; n++)
        out[n] = (struct entry){.name = d->name, .summary = d->summary};
    return n;
}

static size_t list_topologies(struct entry *out)
{
    const struct logp_topology_kind *t;
    size_t n = 0;

    for (; n < MAX_ENTRIES && (t = logp_topology_kind_at(n)) != NULL; n++)
        out[n] = (struct entry){.name = t->name, .summary = t->summary};
    return n;
}

static size_t list_machines(struct entry *out)
{
    static char summaries[MAX_ENTRIES][320];
    const struct logp_machine_file *m;
    size_t n = 0;

    for (; n < MAX_ENTRIES && (m = logp_machine_file_at(n)) != NULL; n++) {
        const struct logp_params *p = &m->params;
        const bool levels = *m->nodes != '\0';
        char G[64];

        snprintf(summaries[n], sizeof(summaries[n]),
                 "%s: L %lld, o %lld, g %lld ns, G %s%s%s%s%s; a unit is %lld ns; %s", m->title,
                 (long long)p->L_ns, (long long)p->o_send_ns, (long long)p->g_ns,
                 show_byte_time(p->G_ps, G), levels ? "; nodes " : "", m->nodes,
                 levels ? ", between them " : "", m->inter, (long long)m->unit_ns, m->delay);
        out[n] = (struct entry){.name = m->name, .summary = summaries[n], .source = m->source};
    }
    return n;
}

static size_t list_faults(struct entry *out)
{
    const struct logp_fault_kind *f;
    size_t n = 0;

    for (; n < MAX_ENTRIES && (f = logp_fault_kind_at(n)) != NULL; n++)
        out[n] = (struct entry){.name = f->form, .summary = f->summary};
    return n;
}

static const struct kind {
    const char *name;
    size_t (*list)(struct entry *out);
} kinds[] = {
    {"collectives", list_collectives}, {"algorithms", list_algorithms}, {"delays", list_delays},
    {"topologies", list_topologies},   {"machines", list_machines},     {"faults", list_faults},
};

enum { ALGORITHMS = 1, N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void print_entry(FILE *f, const struct entry *e)
{
    const bool sourced = e->source != NULL;

    if (e->of != NULL)
        fprintf(f, "  %-10s %-22s %-48s %s%s\n", e->of, e->name, e->summary, e->source,
                e->same == NULL       ? ""
                : gives_same(e->same) ? "; same results"
                                      : "; results may differ");
    else
        fprintf(f, "  %-15s %s%s%s%s\n", e->name, e->summary, sourced ? " (" : "",
                sourced ? e->source : "", sourced ? ")" : "");
}

static void print_entries(FILE *f, enum record_form form, const struct entry *all, size_t n)
{
    struct records r = {
        .f = f, .form = form, .columns = "name,collective,summary,source,same_results"};

    for (size_t i = 0; i < n; i++)
        if (form == RECORDS_TABLE)
            print_entry(f, &all[i]);
        else
            put_record(
                &r, json_pack("{s:s, s:s, s:s*, s:s*, s:o*}", "name", all[i].name, "summary",
                              all[i].summary, "collective", all[i].of, "source", all[i].source,
                              "same_results",
                              all[i].same != NULL ? json_boolean(gives_same(all[i].same)) : NULL));
    if (form != RECORDS_TABLE)
        end_records(&r);
}

static void print_kind(FILE *f, const struct question *q, const struct kind *kind)
{
    struct entry entries[MAX_ENTRIES];

    print_entries(f, q->form.format->form, entries, kind->list(entries));
}

static void print_algorithms_of(FILE *f, const struct question *q, const char *collective)
{
    struct entry all[MAX_ENTRIES];
    const size_t n = list_algorithms(all);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].of, collective) == 0)
            all[kept++] = all[i];
    print_entries(f, q->form.format->form, all, kept);
}

static struct names kind_names(void)
{
    struct names names = {0};

    for (int i = 0; i < N_KINDS; i++)
        add_name(&names, kinds[i].name);
    return names;
}

static struct problem *list_all(struct question *q, struct answer_file *to)
{
    const struct names names = kind_names();
    const struct logp_collective *c;
    struct names collectives = {0};
    char list[MAX_LIST], hint[MAX_HINT];
    int wanted = ALGORITHMS;

    if (q->line.n_words > 2)
        return usage_problem("%s: unexpected argument; %s", q->line.words[2],
                             one_of(&names, NULL, list));
    if (q->line.n_words > 1 && logp_collective_find(q->line.words[1]) != NULL) {
        print_algorithms_of(to->f, q, q->line.words[1]);
        return NULL;
    }
    if (q->line.n_words > 1)
        wanted = find_name(&names, q->line.words[1]);
    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++)
        add_name(&collectives, c->name);
    if (wanted < 0 && nearest_name(&names, q->line.words[1]) == NULL)
        return usage_problem("list %s: %s%s, or a collective", q->line.words[1],
                             did_you_mean(&collectives, q->line.words[1], hint),
                             one_of(&names, NULL, list));
    if (wanted < 0)
        return usage_problem("list %s: %s, or a collective", q->line.words[1],
                             one_of(&names, q->line.words[1], list));
    if (q->line.n_words > 1 || !q->form.format->for_people) {
        print_kind(to->f, q, &kinds[wanted]);
        return NULL;
    }
    for (int i = 0; i < N_KINDS; i++) {
        fprintf(to->f, "%s%s\n", i > 0 ? "\n" : "", kinds[i].name);
        print_kind(to->f, q, &kinds[i]);
    }
    return NULL;
}

const struct command command_list = {
    .name = "list",
    .arguments = "[KIND|COLLECTIVE]",
    .summary = "the collectives, algorithms, delays and machines; the algorithms of a collective",
    .options = OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_PLUGIN | OPTIONS_FORGIVING,
    .answer = ANSWER_FORM,
    .call = list_all,
    .words = kind_names,
};

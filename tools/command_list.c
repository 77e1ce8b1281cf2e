/* SPDX-License-Identifier: MIT */
/* logp list: what there is. Each kind is a table of (name, of, summary, source). */
#include "command.h"

#include <jansson.h>
#include <string.h>

enum { MAX_ENTRIES = 256 };

struct entry {
    const char *name, *of, *summary, *source;
};

static size_t list_collectives(struct entry *out)
{
    size_t n;
    const struct logp_collective *c = logp_collectives(&n);

    for (size_t i = 0; i < n; i++)
        out[i] = (struct entry){.name = c[i].name, .summary = c[i].summary};
    return n;
}

static size_t list_algorithms(struct entry *out)
{
    size_t n;
    const struct logp_algorithm *a = logp_algorithms(&n);

    for (size_t i = 0; i < n; i++)
        out[i] = (struct entry){a[i].name, a[i].collective, a[i].summary, a[i].source};
    return n;
}

static size_t list_delays(struct entry *out)
{
    size_t n;
    const struct logp_delay_model *d = logp_delay_models(&n);

    for (size_t i = 0; i < n; i++)
        out[i] = (struct entry){.name = d[i].name, .summary = d[i].summary};
    return n;
}

static size_t list_topologies(struct entry *out)
{
    size_t n;
    const struct logp_topology_kind *t = logp_topologies(&n);

    for (size_t i = 0; i < n; i++)
        out[i] = (struct entry){.name = t[i].name, .summary = t[i].summary};
    return n;
}

static size_t list_machines(struct entry *out)
{
    static char summaries[MAX_ENTRIES][128];
    size_t n;
    const struct logp_preset *m = logp_presets(&n);

    for (size_t i = 0; i < n; i++) {
        snprintf(summaries[i], sizeof(summaries[i]),
                 "%s: L %lld, o %g, g %lld cycles of %lld ns, %lld-bit links", m[i].title,
                 (long long)m[i].delay, (double)m[i].overhead / 2, (long long)m[i].gap,
                 (long long)m[i].cycle_ns, (long long)m[i].width);
        out[i] = (struct entry){.name = m[i].name, .summary = summaries[i]};
    }
    return n;
}

static const struct kind {
    const char *name;
    size_t (*list)(struct entry *out);
} kinds[] = {
    {"collectives", list_collectives}, {"algorithms", list_algorithms}, {"delays", list_delays},
    {"topologies", list_topologies},   {"machines", list_machines},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static json_t *entry_json(const struct entry *e)
{
    json_t *j = json_pack("{s:s, s:s}", "name", e->name, "summary", e->summary);

    if (e->of != NULL)
        json_object_set_new(j, "collective", json_string(e->of));
    if (e->source != NULL)
        json_object_set_new(j, "source", json_string(e->source));
    return j;
}

static void print_entries(enum output_format format, const struct entry *e, size_t n)
{
    if (format == FORMAT_JSON)
        putchar('[');
    else if (format == FORMAT_CSV)
        puts("name,collective,summary,source");
    for (size_t i = 0; i < n; i++) {
        const char *of = e[i].of != NULL ? e[i].of : "";

        if (format == FORMAT_JSON) {
            json_t *j = entry_json(&e[i]);

            fputs(i > 0 ? ",\n " : "", stdout);
            json_dumpf(j, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
            json_decref(j);
        } else if (format == FORMAT_CSV) {
            const char *const cells[] = {e[i].name, of, e[i].summary, e[i].source};

            for (int k = 0; k < 4; k++) {
                print_csv_text(cells[k] != NULL ? cells[k] : "");
                putchar(k < 3 ? ',' : '\n');
            }
        } else if (e[i].of != NULL) {
            printf("  %-10s %-22s %-48s %s\n", of, e[i].name, e[i].summary, e[i].source);
        } else {
            printf("  %-15s %s\n", e[i].name, e[i].summary);
        }
    }
    if (format == FORMAT_JSON)
        puts("]");
}

int command_list(struct options *o)
{
    struct entry entries[MAX_ENTRIES];
    const char *wanted = o->n_words > 1 ? o->words[1] : NULL;
    struct names names = {0};
    char list[MAX_LIST];
    bool found = false;

    for (size_t i = 0; i < N_KINDS; i++)
        add_name(&names, kinds[i].name);
    if (o->n_words > 2)
        bad_usage("%s: unexpected word; %s", o->words[2], one_of(&names, NULL, list));
    if (wanted == NULL && o->format != FORMAT_TABLE)
        wanted = "algorithms";
    for (size_t i = 0; i < N_KINDS; i++) {
        if (wanted != NULL && strcmp(wanted, kinds[i].name) != 0)
            continue;
        found = true;
        if (wanted == NULL)
            printf("%s%s\n", i > 0 ? "\n" : "", kinds[i].name);
        print_entries(o->format, entries, kinds[i].list(entries));
    }
    if (!found)
        bad_usage("list %s: %s", wanted, one_of(&names, wanted, list));
    return EXIT_OK;
}

/* SPDX-License-Identifier: MIT */
/* What there is, as `logp list` shows it. */
#include "output/output.h"

#include <jansson.h>
#include <stdio.h>

void print_entries_table(const struct entry *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].of != NULL)
            printf("  %-10s %-22s %-48s %s\n", all[i].of, all[i].name, all[i].summary,
                   all[i].source);
        else
            printf("  %-15s %s%s%s%s\n", all[i].name, all[i].summary,
                   all[i].source != NULL ? " (" : "", all[i].source != NULL ? all[i].source : "",
                   all[i].source != NULL ? ")" : "");
}

static json_t *entry_json(const struct entry *e)
{
    json_t *j = json_pack("{s:s, s:s}", "name", e->name, "summary", e->summary);

    if (e->of != NULL)
        json_object_set_new(j, "collective", json_string(e->of));
    if (e->source != NULL)
        json_object_set_new(j, "source", json_string(e->source));
    return j;
}

void print_entries_json(const struct entry *all, size_t n)
{
    putchar('[');
    for (size_t i = 0; i < n; i++) {
        json_t *j = entry_json(&all[i]);

        fputs(i > 0 ? ",\n " : "", stdout);
        json_dumpf(j, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
        json_decref(j);
    }
    puts("]");
}

void print_entries_csv(const struct entry *all, size_t n)
{
    puts("name,collective,summary,source");
    for (size_t i = 0; i < n; i++) {
        const char *const cells[] = {all[i].name, all[i].of, all[i].summary, all[i].source};

        for (int k = 0; k < 4; k++) {
            print_csv_text(cells[k] != NULL ? cells[k] : "");
            putchar(k < 3 ? ',' : '\n');
        }
    }
}

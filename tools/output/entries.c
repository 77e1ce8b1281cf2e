/* SPDX-License-Identifier: MIT */
/* What there is, as `logp list` shows it. */
#include "output/output.h"
#include "text/text.h"

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

void print_entries_json(const struct entry *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        print_json_record(json_pack("{s:s, s:s, s:s*, s:s*}", "name", all[i].name, "summary",
                                    all[i].summary, "collective", all[i].of, "source",
                                    all[i].source),
                          i, 0);
    end_json_records(n);
}

void print_entries_csv(const struct entry *all, size_t n)
{
    puts("name,collective,summary,source");
    for (size_t i = 0; i < n; i++)
        print_csv_record(
            json_pack("[s, s?, s, s?]", all[i].name, all[i].of, all[i].summary, all[i].source), 0,
            "\n");
}

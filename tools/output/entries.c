/* SPDX-License-Identifier: MIT */
/* What there is, as `logp list` shows it. */
#include "output/output.h"
#include "text/text.h"

#include <stdio.h>

static void print_entry(const struct entry *e)
{
    const bool sourced = e->source != NULL;

    if (e->of != NULL)
        printf("  %-10s %-22s %-48s %s\n", e->of, e->name, e->summary, e->source);
    else
        printf("  %-15s %s%s%s%s\n", e->name, e->summary, sourced ? " (" : "",
               sourced ? e->source : "", sourced ? ")" : "");
}

void print_entries(enum record_form form, const struct entry *all, size_t n)
{
    struct records r = {.form = form, .columns = "name,collective,summary,source"};

    for (size_t i = 0; i < n; i++)
        if (form == RECORDS_TABLE)
            print_entry(&all[i]);
        else
            put_record(&r,
                       json_pack("{s:s, s:s, s:s*, s:s*}", "name", all[i].name, "summary",
                                 all[i].summary, "collective", all[i].of, "source", all[i].source));
    if (form != RECORDS_TABLE)
        end_records(&r);
}

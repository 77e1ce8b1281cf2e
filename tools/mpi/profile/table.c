/* SPDX-License-Identifier: MIT */
/* The tables of the page, which scripts sort and save. */
#include "html.h"

/* heads: NULL at the end; '|' at the beginning of one aligns it to the left, like its column, and '~'
 * is a column of times, which files have in ns. */
void profile_begin_table(FILE *f, const char *title, const char *const heads[])
{
    fprintf(f,
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: %s\"><table "
            "class=\"wide\"><caption class=\"hidden\">%s</caption><thead><tr>",
            title, title);
    for (; *heads != NULL; heads++)
        fprintf(f, "<th scope=\"col\"%s>%s</th>",
                **heads == '|'   ? " class=\"left\""
                : **heads == '~' ? " data-unit=\"ns\""
                                 : "",
                *heads + (**heads == '|' || **heads == '~'));
    fprintf(f, "</tr></thead><tbody>\n");
}

void profile_end_table(FILE *f)
{
    fprintf(f, "</tbody></table></div>\n");
}

/* A time, which scripts sort and save by its number. */
void profile_time_cell(FILE *f, int64_t ns, const char *before)
{
    char time[32];

    fprintf(f, "<td data-v=\"%lld\">%s%s</td>", (long long)ns, before, profile_time(ns, time));
}

void profile_time_or_none(FILE *f, int64_t ns, const char *before)
{
    if (ns >= 0)
        profile_time_cell(f, ns, before);
    else
        fputs("<td data-v=\"\">-</td>", f);
}

void profile_share_cell(FILE *f, double percent)
{
    fprintf(f, "<td data-v=\"%.3f\">%.1f&#8239;%%</td>", percent, percent);
}

/* SPDX-License-Identifier: MIT */
/* The table of records for a document: Markdown (with the table extension of GitHub) and LaTeX
 * (plain tabular, no package needed). */
#include "view/records/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines above the table, to be freed. */
static char *heading_of(const struct output *out)
{
    char *text = NULL;
    size_t size;
    FILE *f = need(open_memstream(&text, &size));

    print_table_heading(f, out);
    return close_text(f, &text);
}

/* ---- Markdown ---- */

static void put_markdown(FILE *f, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_|<[", *text) != NULL)
            fputc('\\', f);
        fputc(*text, f);
    }
}

void print_markdown(FILE *f, const struct output *out)
{
    char *heading = heading_of(out);
    struct table t;

    say_free_bytes_in(out);
    put_markdown(f, heading);
    free(heading);
    fill_table(&t, out);
    for (int row = -1; row < (int)t.rows && t.rows > 0; row++) {
        fputs(row < 0 ? "\n|" : "|", f);
        for (int i = 0; i < t.n; i++) {
            fputc(' ', f);
            put_markdown(f, table_text(&t, i, row));
            fputs(" |", f);
        }
        for (int i = 0; i < t.n && row < 0; i++)
            fprintf(f, "%s%s", i == 0 ? "\n|" : "", t.column[i].width < 0 ? "---|" : "---:|");
        fputc('\n', f);
    }
    free_table(&t);
}

/* ---- LaTeX ---- */

static void put_latex(FILE *f, const char *text)
{
    static const struct {
        char c;
        const char *as;
    } marks[] = {{'\\', "\\textbackslash{}"},  {'~', "\\textasciitilde{}"},
                 {'^', "\\textasciicircum{}"}, {'<', "\\textless{}"},
                 {'>', "\\textgreater{}"},     {'|', "\\textbar{}"}};

    for (; *text != '\0'; text++) {
        size_t i = 0;

        while (i < sizeof(marks) / sizeof(marks[0]) && marks[i].c != *text)
            i++;
        if (i < sizeof(marks) / sizeof(marks[0]))
            fputs(marks[i].as, f);
        else
            fprintf(f, "%s%c", strchr("&%$#_{}", *text) != NULL ? "\\" : "", *text);
    }
}

/* The heading as comments, so that the caption is left to the document. */
static void put_comments(FILE *f, char *heading)
{
    char *save = NULL;

    for (char *line = strtok_r(heading, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save))
        fprintf(f, "%% %s\n", line);
}

void print_latex(FILE *f, const struct output *out)
{
    char *heading = heading_of(out);
    struct table t;

    say_free_bytes_in(out);
    put_comments(f, heading);
    free(heading);
    fill_table(&t, out);
    fputs("\\begin{tabular}{", f);
    for (int i = 0; i < t.n; i++)
        fputc(t.column[i].width < 0 ? 'l' : 'r', f);
    fputs("}\n\\hline\n", f);
    for (int row = -1; row < (int)t.rows && t.rows > 0; row++) {
        for (int i = 0; i < t.n; i++) {
            fputs(i > 0 ? " & " : "", f);
            put_latex(f, table_text(&t, i, row));
        }
        fputs(row < 0 ? " \\\\\n\\hline\n" : " \\\\\n", f);
    }
    fputs("\\hline\n\\end{tabular}\n", f);
    free_table(&t);
}

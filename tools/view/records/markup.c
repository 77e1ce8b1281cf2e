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
    FILE *const usual = stdout;
    char *text = NULL;
    size_t size;
    FILE *f = or_end(open_memstream(&text, &size));

    stdout = f;
    print_table_heading(out);
    stdout = usual;
    return close_text(f, &text);
}

/* ---- Markdown ---- */

static void put_markdown(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_|<[", *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

void print_markdown(const struct output *out)
{
    char *heading = heading_of(out);
    struct table t;

    say_free_bytes_in(out);
    put_markdown(heading);
    free(heading);
    fill_table(&t, out);
    for (int row = -1; row < (int)t.rows && t.rows > 0; row++) {
        fputs(row < 0 ? "\n|" : "|", stdout);
        for (int i = 0; i < t.n; i++) {
            putchar(' ');
            put_markdown(table_text(&t, i, row));
            fputs(" |", stdout);
        }
        for (int i = 0; i < t.n && row < 0; i++)
            printf("%s%s", i == 0 ? "\n|" : "", t.column[i]->width < 0 ? "---|" : "---:|");
        putchar('\n');
    }
    free_table(&t);
}

/* ---- LaTeX ---- */

static void put_latex(const char *text)
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
            fputs(marks[i].as, stdout);
        else
            printf("%s%c", strchr("&%$#_{}", *text) != NULL ? "\\" : "", *text);
    }
}

/* The heading as comments, so that the caption is left to the document. */
static void put_comments(char *heading)
{
    char *save = NULL;

    for (char *line = strtok_r(heading, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save))
        printf("%% %s\n", line);
}

void print_latex(const struct output *out)
{
    char *heading = heading_of(out);
    struct table t;

    say_free_bytes_in(out);
    put_comments(heading);
    free(heading);
    fill_table(&t, out);
    fputs("\\begin{tabular}{", stdout);
    for (int i = 0; i < t.n; i++)
        putchar(t.column[i]->width < 0 ? 'l' : 'r');
    fputs("}\n\\hline\n", stdout);
    for (int row = -1; row < (int)t.rows && t.rows > 0; row++) {
        for (int i = 0; i < t.n; i++) {
            fputs(i > 0 ? " & " : "", stdout);
            put_latex(table_text(&t, i, row));
        }
        puts(row < 0 ? " \\\\\n\\hline" : " \\\\");
    }
    puts("\\hline\n\\end{tabular}");
    free_table(&t);
}

/* SPDX-License-Identifier: MIT */
/* Text as a cell of CSV: RFC 4180, but that lines end as they do here. */
#include "text/text.h"

#include <stdio.h>
#include <string.h>

void write_csv_text(FILE *f, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") != NULL ? "\"" : "";

    fputs(quote, f);
    for (const char *s = text; *s != '\0'; s++)
        fprintf(f, *s == '"' ? "\"%c" : "%c", *s);
    fputs(quote, f);
}

void print_csv_text(const char *text)
{
    write_csv_text(stdout, text);
}

/* SPDX-License-Identifier: MIT */
/* The records of an answer, one after another: as an array in JSON, a line each, and as CSV
 * (RFC 4180). A command makes its records; all are printed here. */
#include "text/text.h"

#include <string.h>

void write_csv_text(FILE *f, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") != NULL ? "\"" : "";

    fputs(quote, f);
    for (const char *s = text; *s != '\0'; s++)
        fprintf(f, *s == '"' ? "\"%c" : "%c", *s);
    fputs(quote, f);
}

static void print_cell(const json_t *value, int digits)
{
    if (json_is_string(value))
        write_csv_text(stdout, json_string_value(value));
    else if (json_is_integer(value))
        printf("%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        printf("%.*g", digits, json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", stdout);
}

void print_csv_names(const json_t *record)
{
    const char *key, *between = "";
    json_t *value;

    json_object_foreach((json_t *)record, key, value)
    {
        printf("%s%s", between, key);
        between = ",";
    }
    putchar('\n');
}

void print_csv_record(json_t *record, int digits, const char *end)
{
    const char *key, *between = "";
    json_t *value;
    size_t i;

    json_array_foreach(record, i, value)
    {
        fputs(i > 0 ? "," : "", stdout);
        print_cell(value, digits);
    }
    json_object_foreach(record, key, value)
    {
        fputs(between, stdout);
        print_cell(value, digits);
        between = ",";
    }
    fputs(end, stdout);
    json_decref(record);
}

void print_json_record(json_t *record, size_t number, int digits)
{
    fputs(number > 0 ? ",\n " : "[", stdout);
    json_dumpf(record, stdout,
               JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION((size_t)digits));
    json_decref(record);
}

void end_json_records(size_t n)
{
    puts(n > 0 ? "]" : "[]");
}

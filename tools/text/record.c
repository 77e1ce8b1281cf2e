/* SPDX-License-Identifier: MIT */
/* The records of an answer, one after another: as an array in JSON, a line each, and as CSV
 * (RFC 4180). A command makes its records; all are printed here. */
#include "text/text.h"

#include <string.h>

/* Whether a spreadsheet would take the text for a formula; it gets an apostrophe then. A text
 * with apostrophes before a formula gets another one, so that each cell is read back as it was.
 * Source: OWASP, CSV injection. */
static bool is_formula(const char *text)
{
    text += strspn(text, "'");
    return *text != '\0' && strchr("=+-@\t\r", *text) != NULL;
}

void write_csv_text(FILE *f, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") != NULL ? "\"" : "";

    fprintf(f, "%s%s", quote, is_formula(text) ? "'" : "");
    for (const char *s = text; *s != '\0'; s++)
        fprintf(f, *s == '"' ? "\"%c" : "%c", *s);
    fputs(quote, f);
}

const char *csv_text(const char *cell)
{
    return *cell == '\'' && is_formula(cell) ? cell + 1 : cell;
}

static void print_cell(FILE *f, const json_t *value, int digits)
{
    if (json_is_string(value))
        write_csv_text(f, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(f, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(f, "%.*g", digits, json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", f);
}

static void end_line(const struct records *r)
{
    fputs(r->end != NULL ? r->end : "\n", r->f);
}

static void print_names(const struct records *r)
{
    fputs(r->columns, r->f);
    end_line(r);
}

static void print_line(const struct records *r, const json_t *record)
{
    const char *key = r->columns;

    for (size_t i = 0; key != NULL; i++) {
        const size_t n = strcspn(key, ",");
        char name[64];

        snprintf(name, sizeof(name), "%.*s", (int)n, key);
        fputs(i > 0 ? "," : "", r->f);
        print_cell(
            r->f, json_is_array(record) ? json_array_get(record, i) : json_object_get(record, name),
            r->digits);
        key = key[n] != '\0' ? key + n + 1 : NULL;
    }
    end_line(r);
}

void put_record(struct records *r, json_t *record)
{
    const size_t flags =
        JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION((size_t)r->digits);

    if (r->form == RECORDS_JSONL) {
        json_dumpf(record, r->f, flags);
        fputc('\n', r->f);
    } else if (r->form == RECORDS_JSON) {
        fputs(r->n > 0 ? ",\n " : "[", r->f);
        json_dumpf(record, r->f, flags);
    } else {
        if (r->n == 0)
            print_names(r);
        print_line(r, record);
    }
    r->n++;
    json_decref(record);
}

void end_records(struct records *r)
{
    if (r->form == RECORDS_JSON)
        fputs(r->n > 0 ? "]\n" : "[]\n", r->f);
    else if (r->form == RECORDS_CSV && r->n == 0)
        print_names(r);
}

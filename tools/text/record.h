/* SPDX-License-Identifier: MIT */
/* record.c: the records of an answer, as JSON and CSV. */
#ifndef LOGP_RECORD_H
#define LOGP_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* null, where it is not there */
static inline json_t *json_if(bool there, int64_t n)
{
    return there ? json_integer(n) : json_null();
}

/* A cell: in quotes, where it holds what separates cells; a quote in it is written twice. */
void write_csv_text(FILE *f, const char *text);
/* The keys of a record, a line. */
void print_csv_names(const json_t *record);
/* The values of an object or array, reals with so many digits; null is an empty cell. The record is
 * freed. */
void print_csv_record(json_t *record, int digits, const char *end);
/* Record 0, 1, ... of an array, which is freed; and the end of an array of n. */
void print_json_record(json_t *record, size_t number, int digits);
void end_json_records(size_t n);

#endif

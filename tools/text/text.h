/* SPDX-License-Identifier: MIT */
/*
 * Text: numbers, names, cells of CSV, values of options, errors, and records in JSON.
 */
#ifndef LOGP_TEXT_H
#define LOGP_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- quantity.c: numbers with units; see logp/quantity.h for times ---- */

/* For qsort() of int64_t, and of double. */
int ascending(const void *a, const void *b);
int ascending_reals(const void *a, const void *b);
/* A whole number in [low, high]: digits alone. */
bool parse_whole(const char *text, int64_t low, int64_t high, int64_t *out);
/* The same, also written 2^20, 1e6, 1.5k, 64Ki; of bytes 4KiB (4096) and 4kB (4000) too. */
bool parse_number(const char *text, bool bytes, int64_t low, int64_t high, int64_t *out);
/* "240 us", "1.234 ms": three significant decimals at most; into buf, which is returned. */
const char *show_ns(int64_t ns, char *buf, size_t size);
/* The exact cost of a byte, and its bandwidth: "100 ns/byte (10 MB/s)"; 0: "0". @return buf */
const char *show_byte_time(int64_t ps, char buf[64]);
/* "10 MB/s", "1.25 GB/s": decimal, three significant digits. ps > 0, of a byte */
const char *show_bandwidth(int64_t ps, char buf[64]);
/* "41 s", "2 min 5 s", "3 h 20 min": a duration, at least 1 s. @return buf */
const char *show_duration(double ns, char buf[32]);

/* ---- names.c: words that must be one of several names ---- */

enum { MAX_NAMES = 128, MAX_HINT = 64, MAX_LIST = 1024 };

/* Starts as {0}. */
struct names {
    const char *name[MAX_NAMES];
    int n;
};

/* Add a name, which must stay; each once. */
void add_name(struct names *names, const char *name);
/* Index of the word among the names, from 0; -1: none. */
int find_name(const struct names *names, const char *word);
/* The nearest name to the word; NULL: none is near. */
const char *nearest_name(const struct names *names, const char *word);
/* "did you mean broadcast? ", or nothing, where no name is near. @return buf */
const char *did_you_mean(const struct names *names, const char *word, char buf[MAX_HINT]);
/* "a, b, c", and with another last separator "a, b or c". @return buf */
const char *list_names(const struct names *names, const char *last, char buf[MAX_LIST]);
/* A hint, and "one of: a, b, c". word: NULL if there is none. @return buf */
const char *one_of(const struct names *names, const char *word, char buf[MAX_LIST]);

/* ---- series.c: several values in one text ---- */

/* The type of the values; numbers, bytes and times can have ranges. */
enum series_kind { SERIES_NONE, SERIES_WORDS, SERIES_NUMBERS, SERIES_BYTES, SERIES_TIMES };

struct series {
    char **value; /* as the text of one */
    int n;
    bool short_of_end; /* the steps of a range do not meet its end */
};

/* Whether the text has more than one value. */
bool is_series(const char *text, enum series_kind kind);
/* Whether the text is "2-64" in place of 2..64. A negative exponent is none. */
bool is_dashed_range(const char *text, enum series_kind kind);
/* The values of a text, in its order, each as it would be written alone; to be kept.
 * @return NULL; or the allowed syntax, in words */
const char *read_series(const char *text, enum series_kind kind, struct series *out);

/* ---- printable.c: text from outside where it is shown ---- */

/* Whether the text is UTF-8 without control characters. */
bool is_printable(const char *text);
/* Write the text, with characters that are not printable as \n or \x1b; shown_text()
 * returns a copy, to be freed. */
void write_shown(FILE *f, const char *text);
void write_shown_lines(FILE *f, const char *text); /* except line breaks and tabs */
char *shown_text(const char *text);
/* The same in XML, where < & > and " are characters; and in quotes, as a string of Graphviz. */
void write_xml(FILE *f, const char *text);
void write_dot_text(FILE *f, const char *text);

/* ---- file.c ---- */

/* Close a stream of open_memstream(&text, ...); without memory it ends the process.
 * @return *text, to be freed */
char *close_text(FILE *f, char *const *text);

/* A file as text, whole: at most 256 MiB, and without zero bytes.
 * @return NULL: *why is the error, such as "Is a directory"; else to be freed */
char *text_of_file(const char *path, const char **why);
/* The same of a stream, from its place on. */
char *text_of_stream(FILE *f, const char **why);

/* ---- option_name.c: the names of an option, given with or without its dashes ---- */

/* As it is written on the command line: "--root", "-P". @return buf */
const char *option_dashed(const char *name, char buf[32]);
/* As it is written in the environment: "LOGP_ROOT", "LOGP_P". @return buf */
const char *option_variable(const char *name, char buf[32]);
/* Whether it has one dash, as the parameters of the model do: -P, -L, -o, -g, -G. */
bool option_is_short(const char *name);

/* ---- complain.c: errors and notes ---- */

enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

/* Print one line on stderr, "logp: ...". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a line of this process, even if others of the launcher print it, too. */
void say_here(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a note, which is not an error. After keep_quiet(true) it prints nothing. */
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void keep_quiet(bool quiet);
/* Print such lines to f from now on; NULL: to stderr. */
void say_to(FILE *f);
/* Where such lines are printed. */
FILE *notes_stream(void);
/* Print each line once per host from now on, because the other processes of the launcher have
 * the same errors. leave: called before this process ends for bad input. */
void speak_among_others(void (*leave)(void));
/* Let the other processes know that this one ends for bad input, which it has printed, and leave
 * them. */
void leave_for_bad_input(void);
/* Whether another process has called leave_for_bad_input(). */
bool another_says_why(void);
/* Hash this text after others, whose hash is given: FNV-1a. */
uint64_t hash_text(uint64_t hash, const char *text);
#define FIRST_HASH UINT64_C(0xcbf29ce484222325)

/* ---- record.c: the records of an answer, as JSON and CSV ---- */

/* Form of an answer that consists of records. */
enum record_form {
    RECORDS_NONE, /* not at all */
    RECORDS_TABLE,
    RECORDS_JSON,
    RECORDS_CSV,
    RECORDS_JSONL, /* a line of JSON each */
};

/* The records of one answer, printed one after another. */
struct records {
    FILE *f;
    enum record_form form; /* JSON, CSV or JSONL */
    int digits;            /* of a real */
    const char *columns;   /* of CSV: keys, with commas between */
    const char *end;       /* of a line of CSV; NULL: a newline */
    size_t n;              /* printed so far */
};

/* null if there is no value */
static inline json_t *json_if(bool there, int64_t n)
{
    return there ? json_integer(n) : json_null();
}

/* Write a cell: in quotes, where it holds a separator or a quote; a quote in it is written
 * twice. Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers
 * are not written by this. */
void write_csv_text(FILE *f, const char *text);
/* The text that was given to write_csv_text(), from its cell without quotes. */
const char *csv_text(const char *cell);
/* Print a record and free it. A line of CSV has a cell for each column: the value of its key, or of
 * an array the next value; null and a missing key are empty cells. */
void put_record(struct records *r, json_t *record);
void end_records(struct records *r);

/* ---- option_name.c ---- */

/* The environment, as `environ`. The command does not name that variable because the linker
 * would make a copy of it, and the MPI of a transport would still use the C library's own. */
char **environment(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Records in a file, one line each, that are added one at a time: CSV, or a JSON array. A line that
 * was not written to its end (a process that was killed) is dropped when the file is opened again,
 * and at once where the disk is full. A restart leaves the old file until a first point is there.
 */
#include "view/records/columns.h"
#include "view/records/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <unistd.h>

static struct problem *refuse(const struct record_file *file, const char *why)
{
    return option_problem("--output", file->path, "%s", why);
}

/* Return the text of a record, to be freed. row: NULL: the names of the columns */
static char *written(const struct record_file *file, const struct output *out,
                     const struct row *row, const char *before)
{
    char *text = NULL;
    size_t size;
    FILE *f = need(open_memstream(&text, &size));

    if (row == NULL)
        write_csv_names(f, out, NULL);
    else if (file->json)
        write_json_record(f, out, row, before);
    else
        write_csv_record(f, out, row, before);
    return close_text(f, &text);
}

static struct problem *read_text(struct record_file *file)
{
    long size;

    if (fseek(file->f, 0, SEEK_END) != 0 || (size = ftell(file->f)) < 0)
        return refuse(file, strerror(errno));
    file->text = calloc((size_t)size + 1, 1);
    rewind(file->f);
    if (file->text == NULL || fread(file->text, 1, (size_t)size, file->f) != (size_t)size)
        return refuse(file, "a readable file");
    return NULL;
}

/* Find the end of a record; NULL: it is not complete. A line break in a
 * cell of CSV is not an end. */
static const char *end_of(const struct record_file *file, const char *record)
{
    bool quoted = false;

    for (const char *s = record; *s != '\0'; s++) {
        quoted ^= *s == '"' && !file->json;
        if (*s == '\n' && !quoted && !file->json)
            return s;
        if (*s == '\n' && file->json && s > record && (s[-1] == ',' || s[-1] == ']'))
            return s - 1;
    }
    return NULL;
}

/* The number of cells after the one with the name of the sweep. In JSON the members of an object are one. */
static int cells_after_sweep(const struct output *out, bool json)
{
    const char *object = "";
    struct column col;
    int n = 0;

    for (size_t i = 0; output_column(i, &col); i++) {
        if (col.key != NULL && strcmp(col.key, "sweep") == 0)
            n = 0;
        else if (!json || col.part == NULL || strcmp(col.key, object) != 0)
            n += has_key(out, &col);
        object = col.part != NULL ? col.key : "";
    }
    return n;
}

/* The cell with the name of a record's sweep; of JSON with its key. */
static const char *sweep_cell(const struct output *out, bool json, const char *record,
                              const char *end, size_t *length)
{
    const int after = cells_after_sweep(out, json);
    const char *cell = end;
    bool quoted = false;
    int n = 0, depth = json ? -1 : 0; /* of objects in the record */

    *length = 0;
    while (cell > record && n <= after) {
        quoted ^= *--cell == '"';
        if (json && !quoted)
            depth += (*cell == '}' || *cell == ']') - (*cell == '{' || *cell == '[');
        n += *cell == ',' && !quoted && depth == 0;
        *length += n == after;
    }
    return n > after ? cell + 1 : cell;
}

/* Note the beginnings of the records, and the end of the last one. */
static struct problem *find_records(struct record_file *file)
{
    const char *s = file->text + file->end, *end;

    while (*s != ']' && (end = end_of(file, s)) != NULL) {
        size_t *more = need(realloc(file->records, (file->n + 1) * sizeof(*more)));

        file->records = more;
        file->records[file->n++] = (size_t)(s - file->text);
        file->end = end - file->text + !file->json;
        s = end + (file->json && *end == ']' ? 0 : strspn(end, ",\n "));
    }
    if (file->json && *s == ']' && s[1 + strspn(s + 1, "\n")] != '\0')
        return refuse(file, "it has other text after its records; --restart overwrites it");
    return NULL;
}

/* Cut the file back to its state after the last record; nothing in the buffer is needed. */
static void cut_back(struct record_file *file)
{
    const int fd = fileno(file->f);
    const char *end = file->json && file->end > 0 ? "]\n" : "";
    const ssize_t n = (ssize_t)strlen(end);

    if (pwrite(fd, end, (size_t)n, file->end) != n || ftruncate(fd, file->end + n) != 0)
        say_note("%s ends in the middle of a record, which the next sweep drops", file->path);
}

/* Write after the last record, at once, and end the file there. */
static struct problem *put(struct record_file *file, const char *between, const char *text)
{
    const long length = (long)(strlen(between) + strlen(text));
    const char *end = file->json ? "]\n" : "\n";

    if (fseek(file->f, file->end, SEEK_SET) != 0 ||
        fprintf(file->f, "%s%s%s", between, text, end) < 0 || fflush(file->f) != 0 ||
        ftruncate(fileno(file->f), file->end + length + (long)strlen(end)) != 0) {
        struct problem *problem =
            failure("%s could not be written: %s", file->path, strerror(errno));

        cut_back(file);
        return problem;
    }
    file->end += length + !file->json;
    return NULL;
}

/* Check that the file begins as a file of records does, as far as it was written. */
static struct problem *read_head(struct record_file *file, const struct output *out)
{
    char *names = written(file, out, NULL, NULL);
    const size_t length = strlen(names), size = strlen(file->text);
    const char *first = "[{\"collective\":";
    const bool begun = file->json
                           ? strncmp(file->text, first, strlen(first)) == 0
                           : strncmp(file->text, names, length) == 0 && file->text[length] == '\n';
    struct problem *problem;

    if (begun) {
        file->end = file->json ? 1 : (long)length + 1;
        problem = find_records(file);
    } else if (strncmp(file->text, file->json ? "[]\n" : names, size) != 0) {
        problem = refuse(file, "it holds no records of a sweep; --restart overwrites it");
    } else {
        if (size > 0 && !file->json)
            say_note("%s ends within its heading, before any record; it is begun anew", file->path);
        problem = put(file, "", file->json ? "[" : names);
    }
    free(names);
    return problem;
}

/* Lock the file for this process. */
static struct problem *lock(const struct record_file *file)
{
    if (flock(fileno(file->f), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return refuse(file, "another process writes to it");
    return NULL;
}

/* Begin a new file. The old one remains locked as long as it exists. */
static struct problem *restart(struct record_file *file)
{
    const int error = new_file_begin(&file->fresh, file->path);

    if (error != 0)
        return refuse(file, strerror(error));
    file->before = file->f;
    file->f = file->fresh.f;
    return lock(file);
}

static struct problem *open_and_read(struct record_file *file, bool anew, const struct output *out)
{
    const int fd = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0 || (file->f = fdopen(fd, "r+")) == NULL)
        return refuse(file, strerror(errno));
    TRY(lock(file));
    if (anew)
        TRY(restart(file));
    setvbuf(file->f, NULL, _IOFBF, 1 << 16);
    TRY(read_text(file));
    return read_head(file, out);
}

struct problem *open_records(struct record_file *file, const char *path, bool anew,
                             const struct output *out)
{
    struct problem *problem;

    *file =
        (struct record_file){.path = path, .json = strcasecmp(strrchr(path, '.'), ".json") == 0};
    problem = open_and_read(file, anew, out);
    if (problem != NULL)
        close_records(file);
    return problem;
}

struct problem *expect_record(struct record_file *file, size_t i, const struct output *out,
                              const struct row *row)
{
    const char *record = file->text + file->records[i], *end = end_of(file, record);
    size_t length, my_length;
    const char *here = sweep_cell(out, file->json, record, end, &length),
               *wrong = file->json ? "\"verified\":false" : ",false,";
    char *mine = written(file, out, row, NULL), *begin = written(file, out, row, "gamma_ns");
    const char *there = sweep_cell(out, file->json, mine, mine + strlen(mine), &my_length);
    const size_t begins = strlen(begin);
    struct problem *problem = NULL;

    if (length != my_length || strncmp(here, there, length) != 0)
        problem = option_problem("--output", file->path,
                                 "it holds another sweep, %.*s; --restart overwrites it",
                                 length > 0 ? (int)length - 1 : 0, here);
    else if (strncmp(record, begin, begins) != 0 || record[begins] != ',')
        problem = option_problem(
            "--output", file->path,
            "record %zu of it is not %s %s at P = %lld; --restart overwrites it", i + 1,
            out->collective, row->algorithm->name, (long long)out->q->model.P);
    for (const char *s = record; s < end; s++)
        file->wrong |= strncmp(s, wrong, strlen(wrong)) == 0;
    free(mine);
    free(begin);
    return problem;
}

struct problem *append_record(struct record_file *file, const struct output *out,
                              const struct row *row)
{
    char *record = written(file, out, row, NULL);
    struct problem *problem = put(file, file->json && file->end > 1 ? ",\n " : "", record);
    int error = 0;

    free(record);
    if (problem == NULL && file->fresh.target != NULL)
        error = new_file_publish(&file->fresh);
    if (error != 0)
        problem = failure("%s could not be written: %s", file->path, strerror(error));
    return problem;
}

void print_records(FILE *f, const struct record_file *file)
{
    char part[1 << 14];
    size_t n;

    rewind(file->f);
    while ((n = fread(part, 1, sizeof(part), file->f)) > 0)
        fwrite(part, 1, n, f);
}

void close_records(struct record_file *file)
{
    if (file->fresh.f != NULL)
        new_file_drop(&file->fresh);
    else if (file->f != NULL)
        fclose(file->f);
    if (file->before != NULL)
        fclose(file->before);
    free(file->text);
    free(file->records);
    *file = (struct record_file){0};
}

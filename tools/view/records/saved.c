/* SPDX-License-Identifier: MIT */
/*
 * Runs of bench that are kept by a name. Two points are the same if their settings are equal: the
 * collective, its operands, the algorithm with its parameters, the network with its faults and
 * noise, and how the processors are run (clock, executor, transport, placement).
 */
#include "view/records/columns.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

enum { PATH_SIZE = 4096, DIFFERENCES = 3 };

/* A run that was saved. */
struct saved {
    const char *name; /* as given to --against */
    json_t *run;      /* the contents of the file */
    json_t *records;  /* by key_of() */
};

/* ---- the host ---- */

const char *host_processor(char buf[HOST_SIZE])
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char *value = NULL;
    struct utsname system;

    while (f != NULL && value == NULL && fgets(buf, HOST_SIZE, f) != NULL)
        if (strncmp(buf, "model name", 10) == 0)
            value = strchr(buf, ':');
    if (f != NULL)
        fclose(f);
    if (value != NULL) {
        value[strcspn(value, "\n")] = '\0';
        return value + strspn(value, ": \t");
    }
    uname(&system); /* some processors have no name in that file */
    snprintf(buf, HOST_SIZE, "%s", system.machine);
    return buf;
}

static json_t *host_json(void)
{
    struct logp_host host = {0};
    char text[HOST_SIZE];

    logp_host_info(&host);
    return json_pack("{s:s, s:i}", "processor", host_processor(text), "cores", host.n_cores);
}

/* ---- the file ---- */

/* Make the missing folders of a path; an error is reported when the file is opened. */
static void make_folders(char *path)
{
    for (char *s = path + 1; *s != '\0'; s++)
        if (*s == '/') {
            *s = '\0';
            mkdir(path, 0777);
            *s = '/';
        }
}

/* The path of a file in the user's data folder, or `name` itself if that is a path. */
static struct problem *path_of(const char *option, const char *name, char buf[PATH_SIZE])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    const char *suffix = strrchr(name, '.');
    const bool is_path =
        strchr(name, '/') != NULL || (suffix != NULL && strcmp(suffix, ".json") == 0);
    int n;

    if (is_path)
        n = snprintf(buf, PATH_SIZE, "%s", name);
    else if (data != NULL && *data == '/')
        n = snprintf(buf, PATH_SIZE, "%s/logp/%s.json", data, name);
    else if (home != NULL && *home != '\0')
        n = snprintf(buf, PATH_SIZE, "%s/.local/share/logp/%s.json", home, name);
    else
        return must_be(option, name, "a path, as ./%s.json: XDG_DATA_HOME and HOME are not set",
                       name);
    if (n >= PATH_SIZE)
        return must_be(option, name, "a shorter name");
    return NULL;
}

struct problem *check_saved(const char *name)
{
    char path[PATH_SIZE];

    TRY(path_of("--save", name, path));
    if (strchr(name, '/') == NULL)
        make_folders(path);
    return check_place("--save", path);
}

struct problem *save_run(const struct output *out, const char *name)
{
    char path[PATH_SIZE], when[32];
    const time_t now = time(NULL);
    struct new_file file = {0};
    struct tm utc;
    json_t *host;
    char *text;
    const char *between = "";
    int error;

    TRY(path_of("--save", name, path));
    error = new_file_begin(&file, path);
    host = host_json();
    text = json_dumps(host, 0);
    json_decref(host);
    strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    if (error == 0)
        fprintf(file.f, "{\"logp\":\"%s\",\"saved\":\"%s\",\"host\":%s,\"records\":[",
                logp_version(), when, text);
    for (; out != NULL && error == 0; out = out->next) {
        struct output plain = *out; /* without the comparison */

        plain.against = NULL;
        for (size_t i = 0; i < out->n; i++) {
            fputs(between, file.f);
            write_json_record(file.f, &plain, &out->rows[i], NULL);
            between = ",\n";
        }
    }
    free(text);
    if (error == 0 && fputs("]}\n", file.f) < 0)
        error = errno;
    if (error == 0)
        error = new_file_keep(&file);
    return error == 0 ? NULL : failure("%s could not be written: %s", path, strerror(error));
}

/* ---- the settings of a record ---- */

/* Return the setting with this key; to be freed. A run that was saved before records had `place`
 * placed its processors in blocks. */
static json_t *asked_value(const json_t *record, const char *key)
{
    const json_t *clock = json_object_get(record, "clock");
    json_t *value = json_object_get(record, key);

    if (value == NULL && strcmp(key, "place") == 0 && json_is_string(clock) &&
        strcmp(json_string_value(clock), "wall") == 0)
        return json_string("block");
    return value != NULL ? json_incref(value) : json_null();
}

json_t *settings_of(const json_t *record)
{
    struct column col;
    json_t *all = json_object();
    bool before = true;

    for (size_t i = 0; output_column(i, &col); i++) {
        if (col.key == NULL)
            continue;
        before &= strcmp(col.key, "reps") != 0;
        if (before || strcmp(col.key, "fault") == 0 || strcmp(col.key, "noise") == 0)
            json_object_set_new(all, col.key, asked_value(record, col.key));
    }
    return all;
}

/* Return a value as text, with sorted keys, so that equal values have equal texts. To be freed */
static char *text_of(const json_t *value)
{
    return need(json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY |
                                      JSON_REAL_PRECISION(7)));
}

/* Return the settings of a record as text. To be freed */
static char *key_of(const json_t *record)
{
    json_t *all = settings_of(record);
    char *key = text_of(all);

    json_decref(all);
    return key;
}

const json_t *saved_record(const struct saved *s, const struct output *out, const struct row *row)
{
    json_t *record = record_json(out, row, NULL);
    char *key = key_of(record);
    const json_t *found = json_object_get(s->records, key);

    free(key);
    json_decref(record);
    return found;
}

/* ---- reading a saved run ---- */

static struct problem *another_host(const struct saved *s, const char *key, const json_t *there,
                                    const json_t *here)
{
    char *a = text_of(there), *b = text_of(here);
    struct problem *problem = option_problem(
        "--against", s->name, "it was saved on another host: %s was %s, and is now %s", key, a, b);

    free(a);
    free(b);
    return problem;
}

/* A problem if the run was saved on another host; only on the wall clock, where times depend on the
 * host. */
static struct problem *check_host(const struct saved *s, const struct question *q)
{
    json_t *here = host_json(), *value;
    const json_t *there = json_object_get(s->run, "host");
    struct problem *problem = NULL;
    const char *key;

    json_object_foreach(here, key, value)
    {
        const json_t *was = json_object_get(there, key);

        if (problem == NULL && q->how.clock == LOGP_CLOCK_WALL && there != NULL &&
            !json_equal(was, value))
            problem = another_host(s, key, was, value);
    }
    json_decref(here);
    return problem;
}

static struct problem *read_saved(struct saved *s, const struct question *q)
{
    char path[PATH_SIZE], *text;
    json_t *records, *record;
    const char *why;
    size_t i;

    TRY(path_of("--against", s->name, path));
    text = text_of_file(path, &why);
    if (text == NULL)
        return option_problem(
            "--against", s->name,
            "cannot read %s: %s; type logp bench with --save in place of --against, and it is "
            "written",
            path, why);
    s->run = json_loads(text, 0, NULL);
    free(text);
    records = json_is_array(s->run) ? s->run : json_object_get(s->run, "records");
    if (!json_is_array(records))
        return must_be("--against", s->name, "a file of logp bench --save; %s is none", path);
    s->records = json_object();
    json_array_foreach(records, i, record)
    {
        char *key = key_of(record);

        json_object_set(s->records, key, record);
        free(key);
    }
    return check_host(s, q);
}

struct problem *open_saved(const struct question *q, struct saved **out)
{
    struct saved *s = need(calloc(1, sizeof(*s)));
    struct problem *problem;

    s->name = q->form.against;
    problem = read_saved(s, q);
    if (problem == NULL)
        *out = s;
    else
        close_saved(s);
    return problem;
}

void close_saved(struct saved *s)
{
    if (s == NULL)
        return;
    json_decref(s->records);
    json_decref(s->run);
    free(s);
}

/* ---- differences of settings ---- */

/* Write the first DIFFERENCES to f: "L_ns was 60000, and is now 50000; k was 3, and is now 4".
 * @return the number of all differences */
static int say_differences(FILE *f, const json_t *there, const json_t *here)
{
    const char *key;
    json_t *value;
    int n = 0;

    json_object_foreach((json_t *)here, key, value)
    {
        char *a, *b;

        if (json_equal(value, json_object_get(there, key)) || n++ >= DIFFERENCES)
            continue;
        a = text_of(json_object_get(there, key));
        b = text_of(value);
        fprintf(f, "%s%s was %s, and is now %s", n > 1 ? "; " : "", key, a, b);
        free(a);
        free(b);
    }
    return n;
}

char *differences(const struct saved *s, const struct output *out, const struct row *row)
{
    json_t *record = record_json(out, row, NULL), *here = settings_of(record), *value;
    char *best = NULL;
    const char *key;
    int least = INT_MAX;

    json_object_foreach(s->records, key, value)
    {
        json_t *there = settings_of(value);
        char *text = NULL;
        size_t size;
        FILE *f = need(open_memstream(&text, &size));
        const int n = say_differences(f, there, here);

        text = close_text(f, &text);
        if (n < least) {
            free(best);
            best = text;
            least = n;
        } else {
            free(text);
        }
        json_decref(there);
    }
    json_decref(here);
    json_decref(record);
    return best != NULL ? best : need(strdup("it holds no points"));
}

const char *saved_words(const struct saved *s, char buf[MAX_LIST])
{
    const char *saved = json_string_value(json_object_get(s->run, "saved"));
    const char *version = json_string_value(json_object_get(s->run, "logp"));

    if (saved != NULL && version != NULL)
        snprintf(buf, MAX_LIST, "%s (saved %s by logp %s)", s->name, saved, version);
    else
        snprintf(buf, MAX_LIST, "%s", s->name);
    return buf;
}

size_t saved_points(const struct saved *s)
{
    return json_object_size(s->records);
}

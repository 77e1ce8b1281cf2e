/* SPDX-License-Identifier: MIT */
/* The answers of checks to a replay, in the form of check/again.c and check/trace_lines.c. Reading
 * ends at a part in another form, which a library of another version may have written. */
#include "answer/replay/replay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const outcomes[] = {
    [REPLAYED_AGAIN] = "again", [REPLAYED_OTHERWISE] = "otherwise", [REPLAYED_PASSED] = "passed",
    [REPLAYED_FIXED] = "fixed", [REPLAYED_STALE] = "stale",         [REPLAYED_NOT] = "not-run",
};

/* The text not yet read; it ends with a zero. */
struct rest {
    const char *at, *end;
};

/* Take "WORD NUMBER\n", that many bytes and a line's end. @return the bytes, to be freed; NULL: the
 * text has another form, or no memory */
static char *take_text(struct rest *r, const char *word)
{
    char form[32], *text;
    size_t n;
    int length = 0;

    snprintf(form, sizeof(form), "%s %%zu%%n", word);
    if (sscanf(r->at, form, &n, &length) != 1 || r->at[length] != '\n' ||
        n >= (size_t)(r->end - r->at - length - 1) || r->at[length + 1 + (int64_t)n] != '\n')
        return NULL;
    text = strndup(r->at + length + 1, n);
    if (text != NULL)
        r->at += length + 1 + (int64_t)n + 1;
    return text;
}

/* A trace being read. labels: from the numbers of labels in the text to those of the trace. */
struct taking {
    struct rest *r;
    struct logp_trace *trace;
    uint32_t *labels;
    unsigned n_labels;
};

static bool take_label(struct taking *t)
{
    char *text = take_text(t->r, "label");
    uint32_t *more = text != NULL ? realloc(t->labels, (t->n_labels + 1) * sizeof(*more)) : NULL;

    if (more != NULL) {
        t->labels = more;
        t->labels[t->n_labels++] = logp_trace_add_label(t->trace, text);
    }
    free(text);
    return more != NULL;
}

static bool take_event(struct taking *t)
{
    struct logp_event e = {0};
    long long rank, start, finish, arrival, bytes;
    unsigned label;
    int n = 0;

    if (sscanf(t->r->at, "event %lld %hu %lld %lld %lld %lld %d %d %u %hu%n", &rank, &e.kind,
               &start, &finish, &arrival, &bytes, &e.peer, &e.tag, &label, &e.fate, &n) != 10 ||
        t->r->at[n] != '\n' || label > t->n_labels)
        return false;
    e.start_ns = start;
    e.end_ns = finish;
    e.arrival_ns = arrival;
    e.bytes = bytes;
    e.label = label > 0 ? t->labels[label - 1] : 0;
    t->r->at += n + 1;
    return logp_trace_add(t->trace, rank, &e) == 0;
}

static void take_trace(struct rest *r, struct replayed *out)
{
    struct taking t = {.r = r};
    long long P;
    char times[8];
    bool fine;
    int n = 0;

    if (sscanf(r->at, "trace %lld %7s%n", &P, times, &n) != 2 || r->at[n] != '\n')
        return;
    r->at += n + 1;
    out->steps = strcmp(times, "steps") == 0;
    fine = logp_trace_create(P, LOGP_TRACE_VIRTUAL, &t.trace) == 0;
    while (fine && strncmp(r->at, "end\n", 4) != 0)
        fine = *r->at == 'l' ? take_label(&t) : take_event(&t);
    if (fine && logp_trace_match(t.trace) == 0)
        out->trace = t.trace;
    else
        logp_trace_free(t.trace);
    free(t.labels);
}

/* Take one answer. is_nearest: out: it is the nearest passing run of the answer before. @return
 * false: the text has no further answer */
static bool take_cts(struct rest *r, struct replayed *out, bool *is_nearest)
{
    char word[16];
    int error, n = 0;

    *out = (struct replayed){.outcome = REPLAY_NOT_REACHED};
    if (sscanf(r->at, "logp-replayed 1 outcome %15s %d%n", word, &error, &n) != 2 ||
        r->at[n] != '\n')
        return false;
    r->at += n + 1;
    out->error = error;
    *is_nearest = strcmp(word, "nearest") == 0;
    for (int i = 0; i < REPLAY_NOT_REACHED; i++)
        if (strcmp(word, outcomes[i]) == 0)
            out->outcome = (enum replay_outcome)i;
    out->text = take_text(r, "text");
    if (out->text == NULL)
        return false;
    take_trace(r, out);
    if (strncmp(r->at, "end\n", 4) != 0)
        return false;
    r->at += 4;
    return true;
}

struct replayed read_answers(const char *text, size_t n)
{
    struct replayed best = {.outcome = REPLAY_NOT_REACHED}, next;
    struct rest r = {text, text + n};
    bool is_nearest, was_best = false;

    while (take_cts(&r, &next, &is_nearest)) {
        struct replayed worse = next;

        if (is_nearest) {
            if (was_best && best.nearest == NULL) {
                best.nearest = next.trace;
                best.point = next.text;
                worse = (struct replayed){0};
            }
            free_replayed(&worse);
            continue;
        }
        was_best = next.outcome < best.outcome;
        if (was_best) {
            worse = best;
            best = next;
        }
        free_replayed(&worse);
    }
    free_replayed(&next);
    return best;
}

struct replayed take_answers(int file)
{
    struct replayed what = {.outcome = REPLAY_NOT_REACHED};
    struct stat about;
    char *text;
    ssize_t n;

    if (fstat(file, &about) != 0)
        return what;
    text = malloc((size_t)about.st_size + 1);
    n = text != NULL ? pread(file, text, (size_t)about.st_size, 0) : -1;
    if (n >= 0) {
        text[n] = '\0';
        what = read_answers(text, (size_t)n);
    }
    free(text);
    return what;
}

void free_replayed(struct replayed *what)
{
    free(what->text);
    free(what->point);
    logp_trace_free(what->trace);
    logp_trace_free(what->nearest);
    what->text = what->point = NULL;
    what->trace = what->nearest = NULL;
}

/* SPDX-License-Identifier: MIT */
/* The operations of clients: recorded, split by key, checked, and drawn. */
#include "history.h"
#include "kit.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct logp_history {
    pthread_mutex_t lock;
    struct logp_history_operation *operations;
    struct lpi_moment *moments;
    size_t n_operations, n_moments, capacity; /* of operations; twice as many moments */
};

int logp_history_create(struct logp_history **out)
{
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return -ENOMEM;
    pthread_mutex_init(&(*out)->lock, NULL);
    return 0;
}

void logp_history_destroy(struct logp_history *history)
{
    if (history == NULL)
        return;
    pthread_mutex_destroy(&history->lock);
    free(history->operations);
    free(history->moments);
    free(history);
}

void logp_history_reset(struct logp_history *history)
{
    history->n_operations = history->n_moments = 0;
}

/* ---- recording ---- */

/* Let others run before an event: an operation may begin late. */
static int touch(struct logp_vp *vp)
{
    return vp == NULL ? 0 : logp_shared_touch(vp, LPI_HISTORY_KEY);
}

static bool grow(struct logp_history *h)
{
    const size_t capacity = h->capacity == 0 ? 64 : 2 * h->capacity;
    struct logp_history_operation *operations =
        realloc(h->operations, capacity * sizeof(*operations));

    if (operations == NULL)
        return false;
    h->operations = operations;
    struct lpi_moment *moments = realloc(h->moments, 2 * capacity * sizeof(*moments));

    if (moments == NULL)
        return false;
    h->moments = moments;
    h->capacity = capacity;
    return true;
}

static void note(struct logp_history *h, struct logp_vp *vp, int operation, bool returns)
{
    h->moments[h->n_moments] =
        (struct lpi_moment){vp == NULL ? 0 : logp_now(vp), h->n_moments, operation, returns};
    h->n_moments++;
}

int logp_history_invoke(struct logp_history *history, struct logp_vp *vp, int client, int kind,
                        int64_t key, int64_t input)
{
    int rc;

    if (client < 0)
        return -EINVAL;
    rc = touch(vp);
    if (rc != 0)
        return rc;
    pthread_mutex_lock(&history->lock);
    if (history->n_operations == INT_MAX / 2)
        rc = -EOVERFLOW;
    else if (history->n_operations == history->capacity && !grow(history))
        rc = -ENOMEM;
    else {
        rc = (int)history->n_operations++;
        history->operations[rc] =
            (struct logp_history_operation){client, kind, true, key, input, 0};
        note(history, vp, rc, false);
    }
    pthread_mutex_unlock(&history->lock);
    return rc;
}

int logp_history_return(struct logp_history *history, struct logp_vp *vp, int operation,
                        int64_t output)
{
    int rc = touch(vp);

    if (rc != 0)
        return rc;
    rc = -EINVAL;
    pthread_mutex_lock(&history->lock);
    if (operation >= 0 && (size_t)operation < history->n_operations &&
        history->operations[operation].pending) {
        history->operations[operation].pending = false;
        history->operations[operation].output = output;
        note(history, vp, operation, true);
        rc = 0;
    }
    pthread_mutex_unlock(&history->lock);
    return rc;
}

/* ---- checking ---- */

/* Events of one key, or of all: moments[from .. from + n - 1]. */
struct part {
    struct lpi_moment *moments;
    size_t from, n;
};

static int in_order(const void *a, const void *b)
{
    const struct lpi_moment *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* An event with the key of its operation. */
struct keyed {
    int64_t key;
    struct lpi_moment moment;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return in_order(&x->moment, &y->moment);
}

/* The first part that is not linearizable, if -EPROTO is returned. part->moments is the caller's to
 * free in any case. */
static int find_part(const struct logp_history *h, const struct logp_model *model,
                     struct part *part)
{
    const size_t n = h->n_moments;
    struct keyed *keyed = malloc((n + 1) * sizeof(*keyed));
    int rc = keyed == NULL ? -ENOMEM : 0;

    *part = (struct part){.moments = malloc((n + 1) * sizeof(*part->moments))};
    if (part->moments == NULL)
        rc = -ENOMEM;
    for (size_t i = 0; rc == 0 && i < n; i++)
        keyed[i] = (struct keyed){model->by_key ? h->operations[h->moments[i].operation].key : 0,
                                  h->moments[i]};
    if (rc == 0)
        qsort(keyed, n, sizeof(*keyed), by_key);
    for (size_t i = 0; rc == 0 && i < n; i++)
        part->moments[i] = keyed[i].moment;
    for (size_t end; rc == 0 && part->from < n; part->from = rc == 0 ? end : part->from) {
        for (end = part->from; end < n && keyed[end].key == keyed[part->from].key;)
            end++;
        part->n = end - part->from;
        rc = lpi_linearize(model, h->operations, part->moments + part->from, part->n);
    }
    free(keyed);
    return rc;
}

int logp_history_check(struct logp_history *history, const struct logp_model *model)
{
    struct part part;

    if (history == NULL || model == NULL)
        return -EINVAL;
    pthread_mutex_lock(&history->lock);
    const int rc = find_part(history, model, &part);

    pthread_mutex_unlock(&history->lock);
    free(part.moments);
    return rc;
}

/* ---- drawing ---- */

enum { MOST_DRAWN = 40, STEP = 56, LEFT = 90, LANE = 46, TOP = 44 };

static const char *const kinds[] = {"read",    "write",   "remove", "enqueue",
                                    "dequeue", "acquire", "release"};

static void print_value(FILE *f, int64_t value)
{
    if (value == LOGP_HISTORY_EMPTY)
        fputs("empty", f);
    else
        fprintf(f, "%" PRId64, value);
}

/* "write 3", "read 5: 3"; with the key if there are several. */
static void print_operation(FILE *f, const struct logp_history_operation *o, bool keys,
                            bool pending)
{
    const bool ready = o->kind >= 0 && o->kind <= LOGP_HISTORY_RELEASE;
    const bool input = !ready || o->kind == LOGP_HISTORY_WRITE || o->kind == LOGP_HISTORY_ENQUEUE;
    const bool output = !ready || o->kind == LOGP_HISTORY_READ || o->kind == LOGP_HISTORY_DEQUEUE ||
                        o->kind == LOGP_HISTORY_ACQUIRE;

    if (ready)
        fputs(kinds[o->kind], f);
    else
        fprintf(f, "%d", o->kind);
    if (keys)
        fprintf(f, " [%" PRId64 "]", o->key);
    if (input) {
        fputc(' ', f);
        print_value(f, o->input);
    }
    if (pending)
        fputs(" ...", f);
    else if (output) {
        fputs(": ", f);
        print_value(f, o->output);
    }
}

/* The shortest beginning of a part that is not linearizable. It ends with a return. */
static int shortest(const struct logp_history *h, const struct logp_model *model,
                    const struct lpi_moment *moments, size_t *n)
{
    size_t good = 0, bad = *n;

    while (bad - good > 1) {
        const size_t middle = good + (bad - good) / 2;
        const int rc = lpi_linearize(model, h->operations, moments, middle);

        if (rc == -ENOMEM)
            return rc;
        *(rc == 0 ? &good : &bad) = middle;
    }
    *n = bad;
    return 0;
}

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* An operation from event `from` to event `to`; pending if it ends at n. */
static void draw_operation(FILE *f, const struct logp_history_operation *o, const int range[3],
                           int lane, bool keys)
{
    const bool pending = range[1] == range[2], bad = range[1] == range[2] - 1;
    const int x = LEFT + range[0] * STEP, y = TOP + lane * LANE;
    const int width = (range[1] - range[0]) * STEP;
    const char *color = bad ? "#c62828" : "#1565c0";

    if (pending)
        fprintf(f,
                "<path d='M%d %dH%dv26H%d' fill='#eceff1' stroke='#607d8b' "
                "stroke-dasharray='4 3'/>\n",
                x + width, y, x, x + width);
    else
        fprintf(f, "<rect x='%d' y='%d' width='%d' height='26' rx='3' fill='%s' stroke='%s'/>\n", x,
                y, width, bad ? "#ffebee" : "#e3f2fd", color);
    fprintf(f, "<text x='%d' y='%d' fill='%s'>", x + 5, y + 17, pending ? "#455a64" : color);
    print_operation(f, o, keys, pending);
    fputs("</text>\n", f);
}

/* Draw n events. `from` of an operation that began before them is -1: its box begins at the edge. */
static int draw(FILE *f, const struct logp_history *h, const struct logp_model *model,
                const struct lpi_moment *moments, size_t n)
{
    size_t first = n, n_lanes = 0, n_drawn = 0;
    int *from = malloc((h->n_operations + 1) * sizeof(*from));
    int *to = malloc((h->n_operations + 1) * sizeof(*to));
    int *lanes = malloc((h->n_operations + 1) * sizeof(*lanes));

    if (from == NULL || to == NULL || lanes == NULL) {
        free(from);
        free(to);
        free(lanes);
        return -ENOMEM;
    }
    while (first > 0 && (n_drawn += moments[first - 1].returns) <= MOST_DRAWN)
        first--;
    const int end = (int)(n - first);

    for (size_t i = 0; i < h->n_operations; i++)
        from[i] = to[i] = INT_MIN;
    for (size_t i = 0; i < n; i++) {
        const int at = i < first ? -1 : (int)(i - first), op = moments[i].operation;

        if (moments[i].returns)
            to[op] = i < first ? INT_MIN : at;
        else {
            from[op] = at < 0 ? 0 : at;
            to[op] = end;
        }
    }
    for (size_t i = 0; i < h->n_operations; i++)
        if (to[i] != INT_MIN)
            lanes[n_lanes++] = h->operations[i].client;
    qsort(lanes, n_lanes, sizeof(*lanes), compare_ints);
    n_drawn = 0;
    for (size_t i = 0; i < n_lanes; i++)
        if (i == 0 || lanes[i] != lanes[i - 1])
            lanes[n_drawn++] = lanes[i];
    n_lanes = n_drawn;

    const int width = LEFT + end * STEP + 90, height = TOP + (int)n_lanes * LANE + 16;

    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
            "font-family='sans-serif' font-size='12'>\n"
            "<rect width='100%%' height='100%%' fill='#ffffff'/>\n"
            "<text x='12' y='22'>Not linearizable: the output of the red operation fits no order"
            "%s</text>\n",
            width < 480 ? 480 : width, height,
            first > 0 ? " (earlier operations are not shown)" : "");
    for (size_t i = 0; i < n_lanes; i++)
        fprintf(f, "<text x='12' y='%d'>client %d</text>\n", TOP + (int)i * LANE + 17, lanes[i]);
    for (size_t i = 0; i < h->n_operations; i++)
        if (to[i] != INT_MIN) {
            const int client = h->operations[i].client;
            const int *lane = bsearch(&client, lanes, n_lanes, sizeof(*lanes), compare_ints);

            draw_operation(f, &h->operations[i], (int[]){from[i], to[i], end}, (int)(lane - lanes),
                           model->by_key);
        }
    fputs("</svg>\n", f);
    free(from);
    free(to);
    free(lanes);
    return 0;
}

/* ---- in the text of a failure ---- */

enum { MOST_TOLD = 8 }; /* operations */

/* An operation, and the events of the part at which it was invoked and has returned; n: it has not. */
struct told {
    int operation;
    size_t from, to;
};

static void tell_operation(FILE *f, const struct logp_history *h, const struct logp_model *model,
                           const struct told *o, size_t first, size_t n)
{
    const struct logp_history_operation *op = &h->operations[o->operation];
    const size_t from = o->from > first ? o->from - first : 0;
    char words[64] = "";
    FILE *text = fmemopen(words, sizeof(words), "w");

    if (text != NULL) {
        print_operation(text, op, model->by_key, o->to == n);
        fclose(text);
    }
    fprintf(f, "  client %-3d %-16s ", op->client, words);
    for (size_t i = first; i < n; i++) {
        const size_t at = i - first;
        const bool inside = at > from && i < o->to;

        fputs(at < from || i > o->to ? "  "
              : at == from           ? o->from < first ? "--" : "|-"
              : i == o->to           ? "| "
              : inside               ? "--"
                                     : "  ",
              f);
    }
    fputs(o->to == n - 1 ? " <- no order explains it\n" : "\n", f);
}

/* The last operations of a part that is not linearizable, which ends with a return. */
static void tell_part(FILE *f, const struct logp_history *h, const struct logp_model *model,
                      const struct lpi_moment *moments, size_t n)
{
    struct told all[MOST_TOLD];
    size_t n_all = 0, first = n;
    bool more = false;

    for (size_t i = n; i-- > 0;) { /* the last that were invoked */
        if (moments[i].returns)
            continue;
        if (n_all == MOST_TOLD) {
            more = true;
            break;
        }
        all[n_all] = (struct told){moments[i].operation, i, n};
        for (size_t k = i; k < n; k++)
            if (moments[k].returns && moments[k].operation == moments[i].operation)
                all[n_all].to = k;
        first = i;
        n_all++;
    }
    fprintf(f, "the history (%s), in the order of events%s:\n", model->name,
            more ? "; earlier operations are not shown" : "");
    while (n_all-- > 0)
        tell_operation(f, h, model, &all[n_all], first, n);
}

/* @return the lines, to be freed; NULL: no memory */
static char *tell_history(struct logp_history *history, const struct logp_model *model)
{
    struct part part = {0};
    size_t size;
    char *lines = NULL;
    FILE *f = open_memstream(&lines, &size);

    if (f == NULL)
        return NULL;
    pthread_mutex_lock(&history->lock);
    if (find_part(history, model, &part) == -EPROTO &&
        shortest(history, model, part.moments + part.from, &part.n) == 0)
        tell_part(f, history, model, part.moments + part.from, part.n);
    pthread_mutex_unlock(&history->lock);
    free(part.moments);
    fclose(f);
    return lines;
}

int logp_history_holds(struct logp_vp *vp, struct logp_history *history,
                       const struct logp_model *model, const char *expression, const char *file,
                       int line)
{
    struct lpi_observer *e = lpi_signals_running();
    const int rc = logp_history_check(history, model);

    if (history == NULL || model == NULL)
        return logp_check_fails(vp,
                                history == NULL
                                    ? "the history is NULL: logp_history_create() makes one"
                                    : "the model is NULL: logp_model_find() knows no such name",
                                file, line);
    if (rc == -EPROTO && e != NULL && e->story != NULL && !e->detached && e->remark == NULL)
        lpi_observer_remark(e, tell_history(history, model));
    return logp_check_holds(vp, rc == 0, expression, file, line);
}

/* ---- a picture ---- */

int logp_history_svg(struct logp_history *history, const struct logp_model *model, char **svg)
{
    struct part part;
    size_t n_bytes;

    *svg = NULL;
    if (history == NULL || model == NULL)
        return -EINVAL;
    pthread_mutex_lock(&history->lock);
    int rc = find_part(history, model, &part);

    if (rc == 0)
        rc = -ENODATA;
    else if (rc == -EPROTO)
        rc = shortest(history, model, part.moments + part.from, &part.n);
    FILE *f = rc == 0 ? open_memstream(svg, &n_bytes) : NULL;

    if (rc == 0 && f == NULL)
        rc = -ENOMEM;
    if (f != NULL) {
        rc = draw(f, history, model, part.moments + part.from, part.n);
        if ((fclose(f) != 0 && rc == 0) || (rc == 0 && *svg == NULL))
            rc = -ENOMEM;
        if (rc != 0) {
            free(*svg);
            *svg = NULL;
        }
    }
    pthread_mutex_unlock(&history->lock);
    free(part.moments);
    return rc;
}

/* SPDX-License-Identifier: MIT */
/* The options of pictures: their size and title, and the scales of axes. */
#include "question/rows.h"

#include <stdlib.h>
#include <string.h>

/* "800x600": in pixels, of which PDF has 96 an inch. */
static struct problem *apply_size(struct question *q, const char *option, const char *text)
{
    const char *const x = strchr(text, 'x');
    char width[16];
    int64_t w, h;

    q->form.width = q->form.height = 0;
    if (*text == '\0')
        return NULL;
    snprintf(width, sizeof(width), "%.*s", (int)strcspn(text, "x"), text);
    if (x == NULL || !parse_number(width, false, 320, 8192, &w) ||
        !parse_number(x + 1, false, 240, 8192, &h))
        return must_be(option, text,
                       "WIDTHxHEIGHT in pixels, from 320x240 to 8192x8192, e.g. 800x600");
    q->form.width = (int)w;
    q->form.height = (int)h;
    return NULL;
}

static struct problem *apply_title(struct question *q, const char *option, const char *text)
{
    q->form.title = *text != '\0' ? text : NULL;
    if (strlen(text) >= MAX_TITLE || !is_printable(text))
        return must_be(option, text, "one line of at most %d bytes, without control characters",
                       MAX_TITLE - 1);
    return NULL;
}

/* "log": both axes; "log,linear": x, then y. */
static struct problem *apply_scale(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"auto", "linear", "log"}, 3}; /* as enum plot_scale */
    const char *const comma = strchr(text, ',');
    char word[8];
    int which;

    for (int axis = 0; axis < 2; axis++) {
        snprintf(word, sizeof(word), "%s", axis == 1 && comma != NULL ? comma + 1 : text);
        if (axis == 0 || comma == NULL)
            word[strcspn(word, ",")] = '\0';
        which = find_name(&names, word);
        if (which < 0)
            return must_be(option, text,
                           "auto, linear or log; or two of these for x and y: log,linear");
        q->form.scales[axis] = (enum plot_scale)which;
    }
    return NULL;
}

/* 0: to the end */
static struct problem *apply_to(struct question *q, const char *option, const char *text)
{
    q->form.to_ns = 0;
    if (*text == '\0')
        return NULL;
    TRY(to_ns(q, option, text, &q->form.to_ns));
    return q->form.to_ns > q->form.from_ns
               ? NULL
               : must_be(option, text, "later than --from, %lld ns", (long long)q->form.from_ns);
}

/* Read "5" or "2-5". @return what follows; NULL: it is neither */
static const char *parse_range(const char *text, int64_t *first, int64_t *last)
{
    char *end;

    if (*text < '0' || *text > '9')
        return NULL;
    *first = *last = strtoll(text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *last = strtoll(end + 1, &end, 10);
    return *last >= *first ? end : NULL;
}

/* "0,2-5" */
static struct problem *apply_only(struct question *q, const char *option, const char *text)
{
    const char *s = text;

    q->form.n_only = 0;
    if (strcmp(text, "all") == 0)
        return NULL;
    for (;; s++) {
        if (q->form.n_only < MOST_RANGES) {
            s = parse_range(s, &q->form.only[q->form.n_only].first,
                            &q->form.only[q->form.n_only].last);
            q->form.n_only++;
        } else {
            s = NULL;
        }
        if (s == NULL || (*s != ',' && *s != '\0'))
            return must_be(option, text, "all, or ranks and ranges of them, at most %d: 0,2-5",
                           MOST_RANGES);
        if (*s == '\0')
            return NULL;
    }
}

const struct option_row picture_options[] = {
    {"size", "WxH", "width and height of a picture in pixels; of a PDF, 96 an inch", "", "its own",
     OPTIONS_PICTURE, .apply = apply_size},
    {"title", "TEXT", "title of a picture", "", "its own", OPTIONS_PICTURE, .apply = apply_title},
    {"from", "T", "begin of a diagram, in units or with a suffix", "0", "",
     OPTIONS_TRACE | OPTIONS_MPIRUN, TIME(form.from_ns)},
    {"to", "T", "its end", "", "the end of the run", OPTIONS_TRACE | OPTIONS_MPIRUN,
     .apply = apply_to},
    {"only", "RANKS", "ranks of a diagram, e.g. 0,2-5", "all", "", OPTIONS_TRACE | OPTIONS_MPIRUN,
     .apply = apply_only},
    {"scale", "KIND", "axes of curves: auto, linear, log; or of x and y: log,linear", "auto", "",
     OPTIONS_CURVES, .apply = apply_scale, .words = "auto, linear, log"},
    {0},
};

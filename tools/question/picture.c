/* SPDX-License-Identifier: MIT */
/* The options of pictures: their size and title, and the scales of axes. */
#include "question/rows.h"

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
        return option_problem(option, text,
                              "WIDTHxHEIGHT in pixels, from 320x240 to 8192x8192, e.g. 800x600");
    q->form.width = (int)w;
    q->form.height = (int)h;
    return NULL;
}

static struct problem *apply_title(struct question *q, const char *option, const char *text)
{
    q->form.title = *text != '\0' ? text : NULL;
    if (strlen(text) >= MAX_TITLE || !is_printable(text))
        return option_problem(option, text,
                              "one line of at most %d bytes, without control characters",
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
            return option_problem(option, text,
                                  "auto, linear or log; or two of these for x and y: log,linear");
        q->form.scales[axis] = (enum plot_scale)which;
    }
    return NULL;
}

const struct option_row picture_options[] = {
    {"size", "WxH", "width and height of a picture in pixels; of a PDF, 96 an inch", "", "its own",
     OPTIONS_PICTURE, .apply = apply_size},
    {"title", "TEXT", "title of a picture", "", "its own", OPTIONS_PICTURE, .apply = apply_title},
    {"scale", "KIND", "axes of curves: auto, linear, log; or of x and y: log,linear", "auto", "",
     OPTIONS_CURVES, .apply = apply_scale, .words = "auto, linear, log"},
    {0},
};

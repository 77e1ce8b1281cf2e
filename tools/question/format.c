/* SPDX-License-Identifier: MIT */
/* --format, and which formats the command can use; --output, whose suffix decides if --format is
 * not given; --explain, --plot; --quiet, --verbose, --color. */
#include "question/rows.h"

#include "file/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool shows(const struct output_format *f, enum answer answer)
{
    const bool can[] = {[ANSWER_ANY] = true,
                        [ANSWER_WORDS] = f->for_people && f->trace != NULL,
                        [ANSWER_RECORDS] = f->records != NULL,
                        [ANSWER_CURVES] = f->curves,
                        [ANSWER_SWEEP] = f->records != NULL || f->curves,
                        [ANSWER_FORM] = f->form != RECORDS_NONE,
                        [ANSWER_STEPS] = f->steps != NULL,
                        [ANSWER_TREE] = f->tree != NULL,
                        [ANSWER_TRACE] = f->trace != NULL,
                        [ANSWER_VERSUS] = f->versus != NULL,
                        [ANSWER_PAPER] = f->form != RECORDS_NONE || f->draws,
                        [ANSWER_MEASURED] = f->form != RECORDS_NONE || f->machine,
                        [ANSWER_PAGE] = f->page,
                        [ANSWER_TUNE] = f->form == RECORDS_TABLE || f->form == RECORDS_CSV};

    return can[answer];
}

static struct names names_of(const struct question *q)
{
    struct names names = {0};

    for (const struct output_format *f = q->line.formats; f->name != NULL; f++)
        if (shows(f, q->line.answer))
            add_name(&names, f->name);
    return names;
}

/* "table, json or csv": those that the command can use. @return buf */
static const char *usable_formats(const struct question *q, char buf[MAX_LIST])
{
    const struct names names = names_of(q);

    return list_names(&names, " or ", buf);
}

/* @return NULL: unknown name */
static const struct output_format *find_format(const struct question *q, const char *name)
{
    const struct output_format *f = q->line.formats;

    while (f->name != NULL && strcmp(f->name, name) != 0)
        f++;
    return f->name != NULL ? f : NULL;
}

/* A wrong format in the environment is only noted by commands that do not need one. */
static struct problem *apply_format(struct question *q, const char *option, const char *text)
{
    const struct output_format *f = find_format(q, text);
    const struct names names = names_of(q);
    char list[MAX_LIST], name[32];

    q->form.format = f;
    if (f != NULL && shows(f, q->line.answer))
        return NULL;
    q->form.format = find_format(q, names.name[0]);
    if (!option_given(q, option))
        return NULL;
    usable_formats(q, list);
    if ((q->line.sets & OPTIONS_FORGIVING) != 0 && option_is_preset(q, option)) {
        say_note("%s '%s': %s; this is a %s", option_shown(q, option, name), text, list,
                 q->form.format->name);
        return NULL;
    }
    if (f != NULL)
        return option_problem(option, text, "%s", list);
    return name_problem(option, text, &names);
}

/* ---- --output ---- */

const char *suffix_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *point = strrchr(name, '.');

    return point != NULL && point > name && point[1] != '\0' ? point + 1 : NULL;
}

/* The first format with this suffix, of those that the command can use; all: of all. NULL: none */
static const struct output_format *format_of(const struct question *q, const char *suffix, bool all)
{
    for (const struct output_format *f = q->line.formats; f->name != NULL; f++)
        if (strcasecmp(f->suffix, suffix) == 0 && (all || shows(f, q->line.answer)))
            return f;
    return NULL;
}

struct problem *check_suffix(const struct question *q, const char *asked, const char *suffix)
{
    const char *const has = q->form.output != NULL ? suffix_of(q->form.output) : NULL;

    if (has != NULL && strcasecmp(has, suffix) != 0 && format_of(q, has, true) != NULL)
        return option_problem("--output", q->form.output,
                              "%s writes .%s; change the name, or leave out %.*s", asked, suffix,
                              (int)strcspn(asked, " "), asked);
    return NULL;
}

/* Finished points are kept in a file of records. */
static bool keeps_records(const struct question *q, const char *suffix)
{
    return (q->line.sets & OPTIONS_FILE) != 0 && suffix != NULL &&
           (strcasecmp(suffix, "csv") == 0 || strcasecmp(suffix, "json") == 0);
}

static struct problem *refuse_suffix(const struct question *q, const char *option, const char *text)
{
    char suffixes[MAX_NAMES][16];
    struct names names = {0};
    char list[MAX_LIST];
    int n = 0;

    for (const struct output_format *f = q->line.formats; f->name != NULL && n < MAX_NAMES; f++)
        if (shows(f, q->line.answer) || keeps_records(q, f->suffix)) {
            snprintf(suffixes[n], sizeof(suffixes[n]), ".%s", f->suffix);
            add_name(&names, suffixes[n++]);
        }
    return option_problem(option, text, "logp %s writes files whose name ends in %s",
                          q->line.words[0], list_names(&names, " or ", list));
}

/* The suffix of --trace sets the format of the diagram. */
static struct problem *apply_trace(struct question *q, const char *option, const char *text)
{
    const char *const suffix = suffix_of(text);
    const struct output_format *f = suffix != NULL ? format_of(q, suffix, false) : NULL;

    q->mpi.traced = NULL;
    if (*text == '\0')
        return NULL;
    if (f == NULL)
        return refuse_suffix(q, option, text);
    TRY(check_place(option, text));
    q->mpi.traced = text;
    q->form.format = f;
    return NULL;
}

/* "-" is stdout. A name without a suffix does not determine the format. */
static struct problem *apply_output(struct question *q, const char *option, const char *text)
{
    const char *const suffix = suffix_of(text);
    const struct output_format *f;
    char asked[64];

    q->form.output = NULL;
    q->form.keeps_records = false;
    if (*text == '\0' || strcmp(text, "-") == 0)
        return NULL;
    q->form.output = text;
    q->form.keeps_records = keeps_records(q, suffix);
    if (suffix == NULL || (q->line.sets & OPTIONS_TUNE) != 0) /* which has --export */
        return NULL;
    f = format_of(q, suffix, false);
    if (option_on_command_line(q, "format")) {
        snprintf(asked, sizeof(asked), "--format %s", q->form.format->name);
        TRY(check_suffix(q, asked, q->form.format->suffix));
    } else if (f == NULL && !q->form.keeps_records) {
        return refuse_suffix(q, option, text);
    } else if (!q->form.keeps_records) {
        q->form.format = f;
    }
    return NULL;
}

static struct problem *apply_raw(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"csv", "json"}, 2};
    const char *const suffix = suffix_of(text);

    q->form.raw = NULL;
    if (*text == '\0' || strcmp(text, "none") == 0)
        return NULL;
    if (suffix == NULL || find_name(&names, suffix) < 0)
        return must_be(option, text, "a file whose name ends in .csv or .json");
    TRY(check_place(option, text));
    q->form.raw = text;
    return NULL;
}

const struct option_row format_options[] = {
    {"explain", NULL, "show the critical path, the slack and the sensitivity to L, o, g", "off", "",
     OPTIONS_EXPLAIN, SWITCH(form.explain)},
    {"ranks", NULL, "table: the least, mean and largest time over the ranks, too", "off", "",
     OPTIONS_RANKS, SWITCH(form.ranks)},
    {"raw", "FILE", "keep each measured time with its state: .csv, .json", "none", "",
     OPTIONS_RANKS, .apply = apply_raw},
    {"format", "KIND", "%s", "table", "", OPTIONS_FORMAT, .apply = apply_format,
     .choices = usable_formats},
    {"output", "FILE",
     "output file; its suffix sets the format; -: stdout; a sweep resumes a .csv or .json", "-", "",
     OPTIONS_OUTPUT | OPTIONS_FILE | OPTIONS_TUNE | OPTIONS_TRACE | OPTIONS_MEASURE |
         OPTIONS_VALIDATE,
     .apply = apply_output},
    {"trace", "FILE", "draw the run as a space-time diagram; the suffix sets the format", "",
     "none", OPTIONS_MPIRUN, .apply = apply_trace},
    {"plot", "FILE|DIR", "picture of the sweep (.png, .svg, .pdf); for a paper: the folder", "",
     "none", OPTIONS_PLOT, TEXT(form.plot)},
    {0},
};

/* ---- notes next to the answer, and colours ---- */

/* Applied after --progress. */
static struct problem *apply_quiet(struct question *q, const char *option, const char *text)
{
    TRY(switched(option, text, &q->form.quiet));
    q->form.progress = q->form.progress && !q->form.quiet;
    return NULL;
}

static struct problem *apply_color(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"auto", "always", "never"}, 3};

    int which;

    TRY(which_name(option, text, &names, &which));
    q->form.color = which;
    return NULL;
}

const struct option_row talk_options[] = {
    {"quiet", NULL, "as -q: only the result and errors; no notes, no advice, no progress", "off",
     "", OPTIONS_TALK, .apply = apply_quiet},
    {"verbose", NULL, "as -v: show first which options are set, and where", "off", "", OPTIONS_TALK,
     SWITCH(form.verbose)},
    {"color", "WHEN", "colors on a terminal: auto (unless NO_COLOR is set), always, never", "auto",
     "", OPTIONS_TALK, .apply = apply_color, .words = "auto, always, never"},
    {0},
};

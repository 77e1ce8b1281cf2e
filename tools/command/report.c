/* SPDX-License-Identifier: MIT */
/* logp report: what run or bench finds out, as one page for the browser. */
#include "choice/choice.h"
#include "command/command.h"
#include "output/columns.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *path;
static int written; /* exit code of it */

/* @return an exit code */
static int cannot_write(int error)
{
    fprintf(stderr, "logp: %s could not be written: %s\n", path, strerror(error));
    return EXIT_WRONG;
}

/* The keys of the algorithms' knobs that have several values. */
static json_t *swept(void)
{
    const struct column *col;
    json_t *all = json_array();

    for (size_t i = 0; (col = output_column(i)) != NULL; i++)
        if (col->knob != NULL && sweep_values(col->knob->name) > 1)
            json_array_append_new(all, json_string(col->key));
    return all;
}

/* "logp WORDS sweep more" */
static void add_command(json_t *commands, const char *what, const char *words, const char *sweep,
                        const char *more)
{
    json_array_append_new(commands, json_pack("{ssso}", "what", what, "command",
                                              json_sprintf("logp %s %s%s", words, sweep, more)));
}

static json_t *commands(const struct output *out)
{
    json_t *all = json_array();
    char words[4096 + 16];

    snprintf(words, sizeof(words), "report %s", path);
    add_command(all, "This page", words, out->sweep, "");
    add_command(all, "Its figures as JSON", "bench", out->sweep, " --format json");
    return all;
}

static json_t *records(const struct output *out)
{
    json_t *all = json_array();

    for (; out != NULL; out = out->next)
        for (size_t i = 0; i < out->n; i++)
            json_array_append_new(all, record_json(out, &out->rows[i], NULL));
    return all;
}

static json_t *made(void)
{
    const time_t now = time(NULL);
    struct tm t;
    char date[64];

    strftime(date, sizeof(date), "%e %B %Y, %H:%M %Z", localtime_r(&now, &t));
    return json_sprintf("Made by logp %s on %s.", logp_version(), date + strspn(date, " "));
}

/* The answer to a sweep. */
static void write_page(const struct output *out)
{
    FILE *f = fopen(path, "w");
    json_t *data, *diagrams;
    int wrong;

    if (f == NULL) {
        written = cannot_write(errno);
        return;
    }
    begin_page(f);
    diagrams = write_diagrams(f, out);
    data = json_pack("{sososososososo}", "records", records(out), "swept", swept(), "map",
                     predicted_winners(out), "machine", host_facts(out), "commands", commands(out),
                     "made", made(), "diagrams", diagrams);
    write_data(f, data);
    end_page(f);
    wrong = ferror(f);
    if ((fclose(f) != 0 || wrong))
        written = cannot_write(errno);
    else
        printf("%s: open it in a browser\n", path);
}

/* The file's name stands before the collective. */
static void take_file(struct options *o)
{
    const char *end = o->n_words > 1 ? strrchr(o->words[1], '.') : NULL;

    if (end == NULL || strcmp(end, ".html") != 0)
        bad_usage("report%s%s: first the page, a file whose name ends in .html, then a collective",
                  o->n_words > 1 ? " " : "", o->n_words > 1 ? o->words[1] : "");
    path = o->words[1];
    o->n_words--;
    memmove(o->words + 1, o->words + 2, sizeof(o->words) - 2 * sizeof(o->words[0]));
}

/* Before hours are spent on what cannot be kept. @return an errno; 0: it can be written, as far as
 * anybody knows */
static int find_place(void)
{
    char *folder = strdup(path), *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    int error = access(path, W_OK) == 0 ? 0 : errno;

    if (slash != NULL)
        slash[slash == folder] = '\0';
    if (error == ENOENT && folder != NULL)
        error = access(slash != NULL ? folder : ".", W_OK) == 0 ? 0 : errno;
    free(folder);
    return error;
}

static int report(struct options *o)
{
    int code;

    named_collective(o);
    if (page_lacks() != NULL) {
        fprintf(stderr, "logp: report: %s\n", page_lacks());
        return EXIT_WRONG;
    }
    code = find_place();
    if (code != 0)
        return cannot_write(code);
    if (!option_given("algo") && o->list == NULL)
        give_option("algo", "all");
    code = run_sweep(o, write_page);
    return code | written;
}

static bool prints(const struct output_format *format)
{
    return format->records != NULL;
}

const struct command command_report = {
    .name = "report",
    .arguments = "FILE.html COLLECTIVE",
    .summary = "what bench finds out, as a page for the browser",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_BASIS | OPTIONS_SWEEP,
    .prints = prints,
    .remark =
        "\nIt runs what logp bench runs of the same options, several values of them included, and\n"
        "writes one page that needs nothing else, no network either. --algo is `all` here, where\n"
        "nobody says. The space-time diagrams are of one point, that with the most processors up "
        "to\n"
        "64: there each algorithm is run once more, traced, and laid over its prediction.",
    .take = take_file,
    .call = report,
};

/* SPDX-License-Identifier: MIT */
/* logp report: the results of run or bench, as one page for the browser. */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "file/file.h"
#include "view/records/columns.h"
#include "view/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* The keys of the sizes and of the algorithms' parameters that have several values. */
static json_t *swept(const struct question *q)
{
    struct column col;
    json_t *all = json_array();

    for (size_t i = 0; output_column(i, &col); i++)
        if (col.knob != NULL && sweep_values(q, col.knob->name) > 1)
            json_array_append_new(all, json_string(col.key));
    if (sweep_values(q, "bytes") > 1)
        json_array_append_new(all, json_string("bytes"));
    return all;
}

/* "logp WORDS sweep more" */
static void add_command(json_t *commands, const char *what, const char *words, const char *sweep,
                        const char *more)
{
    json_array_append_new(commands, json_pack("{ssso}", "what", what, "command",
                                              json_sprintf("logp %s%s%s", words, sweep, more)));
}

static json_t *commands(const struct output *out)
{
    const char *page = out->q->form.output; /* NULL: stdout */
    json_t *all = json_array();
    char words[4096 + 16], *name = shown_text(page != NULL ? page : "");

    snprintf(words, sizeof(words), "report %s%s", name, page != NULL ? " " : "");
    free(name);
    add_command(all, "This page", words, out->sweep, page != NULL ? "" : " --output -");
    add_command(all, "Its figures as JSON", "bench ", out->sweep, " --format json");
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
static void write_page(FILE *f, const struct output *out)
{
    json_t *data, *diagrams;

    say_free_bytes_in(out);
    begin_page(f);
    diagrams = write_diagrams(f, out);
    write_fold(f);
    data = json_pack("{sosososososososo}", "records", records(out), "swept", swept(out->q), "map",
                     predicted_winners(out), "machine", host_facts(out), "commands", commands(out),
                     "made", made(), "diagrams", diagrams, "what_if", slider_values(out));
    write_data(f, data);
    end_page(f);
}

/* Take the page's name before the collective as the value of --output. */
static struct problem *take_file(struct question *q)
{
    const char *end = q->line.n_words > 1 ? strrchr(q->line.words[1], '.') : NULL;

    if (end == NULL || strcasecmp(end, ".html") != 0)
        return NULL;
    q->line.page = q->line.words[1];
    if (!option_is_given(q, "output"))
        give_option(q, "output", q->line.page);
    q->line.n_words--;
    memmove(q->line.words + 1, q->line.words + 2,
            sizeof(q->line.words) - 2 * sizeof(q->line.words[0]));
    return NULL;
}

/* Close the page, and print its name. */
static struct problem *shown_page(struct question *q, struct answer_file *to,
                                  struct problem *problem)
{
    const int code = answer_close(to, tell_problem(q, problem), runs_are_over(q));

    if (code == EXIT_OK && q->form.output != NULL && !q->form.quiet)
        fprintf(to->f, "%s: open it in a browser\n", q->form.output);
    return told(code);
}

/* The page of records that a file keeps. */
static struct problem *report_file(struct question *q, const char *file, struct answer_file *to)
{
    static const struct names of_file = {{"--output"}, 1};

    if (q->line.n_words > 2)
        return usage_problem("%s: unexpected argument; give one collective or file",
                             q->line.words[2]);
    TRY(refuse_others_than(q, &of_file, "a file of records"));
    if (page_lacks() != NULL)
        return failure("report: %s", page_lacks());
    TRY(write_stored_page(to->f, q, file, made()));
    return shown_page(q, to, NULL);
}

static struct problem *report(struct question *q, struct answer_file *to)
{
    const char *collective;
    const char *word = q->line.n_words > 1 ? q->line.words[1] : "";
    struct problem *problem;

    if (!option_given(q, "output"))
        return usage_problem("report%s%s: needs a file whose name ends in .html; type logp report "
                             "%s --output FILE.html",
                             *word != '\0' ? " " : "", word,
                             is_record_file(word) ? word : "COLLECTIVE");
    if (q->line.page != NULL && strcmp(q->line.page, option_text(q, "output")) != 0)
        return usage_problem("report %s: the page is given twice; leave out --output %s",
                             q->line.page, option_text(q, "output"));
    if (is_record_file(word))
        return report_file(q, word, to);
    TRY(named_collective(q, &collective));
    if (page_lacks() != NULL)
        return failure("report: %s", page_lacks());
    if (!option_given(q, "algo") && q->what.list == NULL)
        give_option(q, "algo", "all");
    problem = run_sweep(q, write_page, to);
    if (problem != NULL && problem->code == EXIT_USAGE)
        return problem;
    return shown_page(q, to, problem);
}

const struct command command_report = {
    .name = "report",
    .arguments = "COLLECTIVE|FILE",
    .summary = "write a sweep as a page: run it, or read logp bench's FILE.csv or FILE.json",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_BASIS | OPTIONS_SWEEP |
               OPTIONS_OUTPUT,
    .answer = ANSWER_PAGE,
    .remark =
        "\nIt runs what logp bench runs with the same options, which may have several values, "
        "and\nwrites one page to --output FILE.html (its name may also be given before the "
        "collective). "
        "The\n"
        "page needs nothing else and no network. Default: --algo all. The space-time diagrams "
        "show\n"
        "the point with the most processors up to 64: each algorithm is run once more "
        "there,\ntraced, and drawn with its prediction.\n"
        "FILE.csv or FILE.json has records of logp run, predict or bench (also of --save), of "
        "this or\n"
        "another host or of a cluster. Their page has no diagrams, sliders and map, and no other\n"
        "option is used.",
    .take = take_file,
    .call = report,
};

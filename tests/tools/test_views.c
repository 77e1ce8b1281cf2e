/* SPDX-License-Identifier: MIT */
/* Views of an answer that is made by hand: its fields are found in each form again. */
#define _GNU_SOURCE
#include "question/question.h"
#include "view/records/records.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct vocabulary nothing = {.formats = output_formats};

/* Two rows of a broadcast to 4 processors under the virtual clock. */
struct made {
    struct question q;
    struct logp_invocation c;
    struct row rows[2];
    struct output out;
};

static struct row row_of(const char *algorithm, int64_t ns, bool verified)
{
    return (struct row){.algorithm = logp_algorithm_find("broadcast", algorithm),
                        .ran = true,
                        .processes = 1,
                        .record = {.P = 4,
                                   .reps = 1,
                                   .prediction = {LOGP_PREDICTION_EXACT, .ns = ns},
                                   .has_emulated = true,
                                   .emulated = {.min_ns = ns, .median_ns = ns, .max_ns = ns},
                                   .messages = 3,
                                   .verified = verified,
                                   .wrong_rank = verified ? -1 : 2,
                                   .clock_error_ns = -1}};
}

static void make(struct made *m)
{
    *m = (struct made){.rows = {row_of("binomial", 200000, true), row_of("flat", 180000, false)}};
    begin_question(&m->q, &nothing);
    m->q.line.words[0] = "run";
    m->q.line.words[1] = "broadcast";
    m->q.line.n_words = 2;
    m->q.line.sets = OPTIONS_MODEL | OPTIONS_RUN;
    m->q.model.P = 4;
    m->q.model.unit_ns = 10000;
    m->q.model.network.params =
        (struct logp_params){.L_ns = 60000, .o_send_ns = 20000, .o_recv_ns = 20000, .g_ns = 40000};
    use_delay(&m->q, "logp");
    m->q.what.n_bytes = m->q.what.element_bytes = 8;
    use_executor(&m->q, "fiber");
    m->q.how.transport = "mailbox";
    m->q.how.clock = LOGP_CLOCK_VIRTUAL;
    m->q.how.reps = 1;
    cr_assert_null(make_invocation(&m->q, "broadcast", &m->c));
    m->out = (struct output){.q = &m->q,
                             .collective = "broadcast",
                             .c = &m->c,
                             .rows = m->rows,
                             .n = 2,
                             .cores = {.n_cores = 1, .n_threads = 1}};
}

/* The answer in this format; to be freed */
static char *shown(struct made *m, const char *format)
{
    const struct output_format *form = output_formats;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    while (strcmp(form->name, format) != 0)
        form++;
    m->q.form.format = form;
    form->records(f, &m->out);
    return close_text(f, &text);
}

/* Cell `column` of a line, from 0, whose cells end at one of these characters; runs of them count
 * as one if they are blanks. @return out */
static const char *cell(const char *line, const char *between, int column, char out[64])
{
    const bool blanks = *between == ' ';

    for (; column > 0; column--) {
        line += strcspn(line, between);
        line += blanks ? strspn(line, between) : 1;
    }
    snprintf(out, 64, "%.*s", (int)strcspn(line, between), line);
    return out;
}

/* The line of the text that begins with this. */
static const char *line_of(const char *text, const char *begin)
{
    const size_t n = strlen(begin);

    while (text != NULL && strncmp(text, begin, n) != 0) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    cr_assert_not_null(text, "no line begins with %s", begin);
    return text;
}

Test(views, json_has_each_field_of_a_row)
{
    struct made m;
    char *text;
    json_t *all;

    make(&m);
    text = shown(&m, "json");
    all = json_loads(text, 0, NULL);
    cr_assert_eq(json_array_size(all), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *record = json_array_get(all, i);
        const int64_t ns = m.rows[i].record.prediction.ns;

        cr_assert_str_eq(json_string_value(json_object_get(record, "algorithm")),
                         m.rows[i].algorithm->name);
        cr_assert_eq(json_integer_value(json_object_get(record, "P")), 4);
        cr_assert_eq(json_integer_value(json_object_get(record, "predicted_ns")), ns);
        cr_assert_eq(
            json_integer_value(json_object_get(json_object_get(record, "emulated_ns"), "median")),
            ns);
        cr_assert_eq(json_integer_value(json_object_get(record, "messages")), 3);
        cr_assert_eq(json_is_true(json_object_get(record, "verified")), m.rows[i].record.verified);
        cr_assert(json_is_null(json_object_get(record, "measured_ns")));
    }
    json_decref(all);
    free(text);
    end_question(&m.q);
}

Test(views, csv_has_the_cells_of_json)
{
    struct made m;
    char *csv, *lines, value[64], name[64];
    const char *names, *line;
    json_t *record;

    make(&m);
    csv = shown(&m, "csv");
    lines = shown(&m, "jsonl");
    names = csv;
    line = line_of(csv, "broadcast,flat,");
    record = json_loads(line_of(lines, "{\"collective\":\"broadcast\",\"algorithm\":\"flat\""),
                        JSON_DISABLE_EOF_CHECK, NULL);
    for (int i = 0; i < 40; i++) {
        const json_t *same = json_object_get(record, cell(names, ",\n", i, name));

        cell(line, ",\n", i, value);
        if (json_is_string(same))
            cr_assert_str_eq(value, json_string_value(same), "%s", name);
        else if (json_is_integer(same))
            cr_assert_eq(atoll(value), json_integer_value(same), "%s", name);
        else if (json_is_null(same))
            cr_assert_str_eq(value, "", "%s", name);
    }
    json_decref(record);
    free(lines);
    free(csv);
    end_question(&m.q);
}

/* Times are microseconds; a wrong result is seen. */
Test(views, table_has_a_line_for_each_row)
{
    struct made m;
    char *text, it[64];
    const char *line;

    make(&m);
    text = shown(&m, "table");
    cr_assert_str_eq(cell(text, "\n", 0, it), "broadcast of 8 bytes, root 0, P = 4");
    line = line_of(text, "binomial ");
    cr_assert_str_eq(cell(line, " \n", 1, it), "200.000");
    line = line_of(text, "flat ");
    cr_assert_str_eq(cell(line, " \n", 1, it), "180.000");
    cr_assert_not_null(memmem(line, strcspn(line, "\n"), "NO", 2));
    free(text);
    end_question(&m.q);
}

Test(views, markdown_and_latex_have_the_table)
{
    struct made m;
    char *text, it[64];

    make(&m);
    text = shown(&m, "markdown");
    cr_assert_str_eq(cell(line_of(text, "| binomial"), "|\n", 2, it), " 200.000 ");
    cr_assert_str_eq(cell(line_of(text, "| times in us"), "|\n", 2, it), " predicted ");
    free(text);
    text = shown(&m, "latex");
    cr_assert_str_eq(cell(line_of(text, "flat &"), "&\n", 1, it), " 180.000 ");
    line_of(text, "% broadcast of 8 bytes");
    free(text);
    end_question(&m.q);
}

/* No view keeps anything of an answer for the next one. */
Test(views, the_same_answer_is_the_same_text)
{
    static const char *const formats[] = {"table", "json", "csv", "markdown", "latex", "jsonl"};

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct made m;
        char *first, *again;

        make(&m);
        first = shown(&m, formats[i]);
        again = shown(&m, formats[i]);
        cr_assert_str_eq(first, again);
        free(first);
        free(again);
        end_question(&m.q);
    }
}

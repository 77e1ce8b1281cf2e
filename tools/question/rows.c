/* SPDX-License-Identifier: MIT */
/*
 * The options of all commands, in one table that is put together from several: name, help,
 * default, and how the text becomes a field. Values come from the config file, then from the
 * environment (LOGP_P, LOGP_UNIT, ...), then from the command line; they are kept as text until
 * all have been seen, because times depend on --unit and ranks on -P.
 */
#include "question/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are applied: --machine before the options whose values it sets, --unit
 * before times, -P and --schedule before --root, --clock before --reps, -G before --delay, that
 * before --topology, and that before --plugin; all of these, and --seed, before --fault and
 * --noise. */
const struct option_row *option_rows[MOST_ROWS];
int n_option_rows;

static void add_rows(const struct option_row *more)
{
    for (; more->name != NULL && n_option_rows < MOST_ROWS; more++)
        option_rows[n_option_rows++] = more;
}

void make_rows(void)
{
    if (n_option_rows > 0)
        return;
    add_rows(model_options);
    add_rows(operand_options);
    add_rows(knob_options());
    add_rows(run_options);
    add_rows(explore_options);
    add_rows(fault_options);
    add_rows(sweep_options);
    add_rows(tune_options);
    add_rows(measure_options);
    add_rows(format_options);
    add_rows(picture_options);
    add_rows(talk_options);
}

int find_row(const char *name)
{
    int i = n_option_rows - 1;

    while (i >= 0 && strcmp(option_rows[i]->name, name) != 0)
        i--;
    return i;
}

/* ---- the texts of a question ---- */

struct texts *texts_of(const struct question *q)
{
    return part_of(q, PART_ROWS, sizeof(struct texts));
}

/* On the command line, or added; NULL: neither. */
static const char *given(const struct question *q, int i)
{
    const struct texts *t = texts_of(q);

    return t->added[i] != NULL ? t->added[i] : t->given[i];
}

/* NULL: not set, or empty. */
static const char *from_environment(const struct question *q, const struct option_row *r)
{
    const json_t *presets = texts_of(q)->presets;
    char name[32];
    const char *text = presets != NULL ? json_string_value(json_object_get(presets, r->name))
                                       : getenv(option_variable(r->name, name));

    return text != NULL && *text != '\0' ? text : NULL;
}

enum source find_text(int i, const struct question *q, const char **text)
{
    const struct option_row *r = option_rows[i];
    const char *environment = from_environment(q, r), *setting;
    const uint64_t from_command_line = OPTIONS_PLUGIN | OPTIONS_AGAIN | OPTIONS_REPLAY |
                                       OPTIONS_OUTPUT | OPTIONS_SAVE | OPTIONS_TALK;
    const bool other = q->how.clock == LOGP_CLOCK_VIRTUAL && *r->preset != '\0';
    enum source source = FROM_DEFAULT;

    *text = other && *r->other != '\0' ? r->other : r->preset;
    if (given(q, i) != NULL) {
        source = FROM_COMMAND_LINE;
        *text = given(q, i);
    } else if ((r->set & q->line.sets & ~from_command_line) != 0 && option_matters(r->name, q)) {
        setting = environment == NULL ? setting_of(q, r->name) : NULL;
        source = environment != NULL ? FROM_ENVIRONMENT : setting != NULL ? FROM_FILE : source;
        *text = environment != NULL ? environment : setting != NULL ? setting : *text;
    }
    return source;
}

/* ---- the values ---- */

static struct problem *take(int i, const struct question *q, const char **text, enum source *source)
{
    char option[32];

    *source = find_text(i, q, text);
    note_option(q, option_rows[i]->name, *source, *text);
    TRY(value_at_point(q, option_rows[i], i, option_dashed(option_rows[i]->name, option), text));
    note_option(q, option_rows[i]->name, *source, *text);
    return NULL;
}

struct problem *resolve_rows(struct question *q)
{
    enum source machine = FROM_DEFAULT;

    for (int i = 0; i < n_option_rows; i++) {
        const bool without = q->model.machine == NULL;
        const char *text;
        enum source source;
        char option[32];

        TRY(take(i, q, &text, &source));
        option_dashed(option_rows[i]->name, option);
        if (option_rows[i]->knob != NULL)
            TRY(apply_knob(q, option_rows[i]->knob, option, text));
        else if (without || !option_rows[i]->of_machine || source >= machine)
            TRY(apply_row(q, option_rows[i], option, text));
        if (without && q->model.machine != NULL)
            machine = source;
    }
    TRY(resolve_size(q));
    TRY(check_plugin(q));
    return check_ports(q);
}

struct problem *resolve_point(struct question *q, int64_t i)
{
    *q = texts_of(q)->unsettled;
    select_point(q, i);
    return resolve_rows(q);
}

void give_option(const struct question *q, const char *name, const char *text)
{
    texts_of(q)->added[find_row(name)] = text;
}

const char *given_text(const struct question *q, const char *name)
{
    return given(q, find_row(name));
}

bool option_is_given(const struct question *q, const char *name)
{
    return given_text(q, name) != NULL;
}

void say_options_behind(const struct question *q, uint64_t sets)
{
    const char *word = q->line.rest[1];
    bool is_ours;
    char name[64];
    int i;

    if (word == NULL || *word != '-')
        return;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    i = strncmp(name, "--", 2) == 0 ? find_row(name + 2) : -1;
    is_ours = i >= 0 ? (option_rows[i]->set & sets) != 0 && strcmp(name, "--seed") != 0
                     : (strcmp(name, "-P") == 0 || strcmp(name, "-np") == 0) &&
                           q->line.rest[2] != NULL && !option_given(q, "P");
    if (is_ours)
        say_note("%s is after %s, so the program gets it; put options of logp before the program",
                 name, q->line.rest[0]);
}

char *options_given(const struct question *q, const struct names *but)
{
    char *all = NULL;
    size_t size;
    FILE *f = need(open_memstream(&all, &size));

    for (int i = 0; i < n_option_rows; i++) {
        const char *text;
        char option[32];

        if (find_text(i, q, &text) == FROM_DEFAULT || find_name(but, option_rows[i]->name) >= 0)
            continue;
        fprintf(f, " %s", option_dashed(option_rows[i]->name, option));
        if (option_rows[i]->value != NULL) {
            putc(' ', f);
            write_shown(f, text);
        }
    }
    return close_text(f, &all);
}

/* Refuse an option that the command does not have, and name the one of the command that is meant. */
static struct problem *not_of_command(const struct question *q, const char *option,
                                      const char *command)
{
    char dashes[MOST_ROWS][32], hint[MAX_HINT];
    struct names names = {0};

    for (int i = 0; i < n_option_rows; i++)
        if ((option_rows[i]->set & q->line.sets) != 0)
            add_name(&names, option_dashed(option_rows[i]->name, dashes[i]));
    return usage_problem("%s: not an option of logp %s; %ssee logp %s --help", option, command,
                         did_you_mean(&names, option, hint), command);
}

struct problem *refuse_others(const struct question *q, const char *command)
{
    for (int i = 0; i < n_option_rows; i++) {
        char option[32];

        option_dashed(option_rows[i]->name, option);
        if (given(q, i) != NULL && (option_rows[i]->set & q->line.sets) == 0)
            return not_of_command(q, option, command);
        if (given(q, i) != NULL && *given(q, i) == '\0')
            return option_problem(option, "''", "needs a value");
    }
    return NULL;
}

void say_sources(const struct question *q)
{
    static const char *const from[] = {[FROM_FILE] = "the config file",
                                       [FROM_ENVIRONMENT] = "the environment",
                                       [FROM_COMMAND_LINE] = "the command line"};

    say("version %s", logp_version());
    for (int i = 0; i < n_option_rows; i++) {
        const char *text;
        const enum source source = find_text(i, q, &text);
        char option[32];

        if (source != FROM_DEFAULT)
            say("%s%s%s comes from %s", option_dashed(option_rows[i]->name, option),
                option_rows[i]->value != NULL ? " " : "", option_rows[i]->value != NULL ? text : "",
                from[source]);
    }
}

/* ---- the help of options ---- */

/* " [8]", " [100; virtual clock 1]" */
static void show_default(const struct option_row *r, uint64_t sets, char *out, size_t size)
{
    const bool both = *r->preset != '\0' && *r->other != '\0';

    out[0] = '\0';
    if ((r->set & sets & OPTIONS_EXPLORE) != 0 && (r->set & OPTIONS_SPANS) != 0)
        snprintf(out, size, " [2,3]");
    else if (((r->set & OPTIONS_SPANS) != 0 && (sets & (OPTIONS_SPANS | OPTIONS_MEASURE)) != 0) ||
             ((r->set & sets & (OPTIONS_PAPER | OPTIONS_SWEEP)) != 0 &&
              (r->set & OPTIONS_PAPER) != 0))
        snprintf(out, size, " [see below]");
    else if ((r->set & sets) == OPTIONS_AGAIN)
        snprintf(out, size, " [as in the test]");
    else if (*r->preset != '\0' || *r->other != '\0')
        snprintf(out, size, " [%s%s%s]", r->preset, both ? "; virtual clock " : "", r->other);
}

/* The help of an option, with the choices where it has a place for them. */
static void show_help(const struct option_row *r, const struct question *q, char *out, size_t size)
{
    const char *place = r->choices != NULL ? strstr(r->help, "%s") : NULL;
    char list[MAX_LIST];

    if (place == NULL)
        snprintf(out, size, "%s", r->help);
    else
        snprintf(out, size, "%.*s%s%s", (int)(place - r->help), r->help, r->choices(q, list),
                 place + 2);
}

/* List the allowed words: those of the row, or of its parameter. */
static void show_words(const struct option_row *r, const struct question *q, char words[MAX_LIST])
{
    struct names names = {0};

    words[0] = '\0';
    if (r->choices != NULL)
        r->choices(q, words);
    else if (r->words != NULL)
        snprintf(words, MAX_LIST, "%s", r->words);
    else if (r->knob != NULL && r->knob->words != NULL) {
        for (const struct logp_word *w = r->knob->words; w->word != NULL; w++)
            add_name(&names, w->word);
        list_names(&names, ", ", words);
    }
}

bool option_facts(const struct question *q, int i, uint64_t sets, struct option_facts *out)
{
    const struct option_row *r = i < n_option_rows ? option_rows[i] : NULL;

    if (r == NULL)
        return false;
    option_dashed(r->name, out->option);
    out->value = r->value;
    out->sets = r->set;
    show_help(r, q, out->help, sizeof(out->help));
    show_default(r, sets, out->preset, sizeof(out->preset));
    show_words(r, q, out->words);
    return true;
}

void print_options(FILE *f, const struct question *q, uint64_t sets)
{
    struct option_facts option;

    for (int i = 0; option_facts(q, i, sets, &option); i++) {
        char words[64];

        if ((option.sets & sets) == 0)
            continue;
        snprintf(words, sizeof(words), "%s %s", option.option,
                 option.value != NULL ? option.value : "");
        fprintf(f, "  %-17s %s%s\n", words, option.help, option.preset);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * The options of all commands, in one table that is put together from several: name, help,
 * default, and how the text becomes a field. Values come from the config file, then from the
 * environment (LOGP_P, LOGP_UNIT, ...), then from the command line; they are kept as text until
 * all have been seen, because times depend on --unit and ranks on -P.
 */
#include "question/rows.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 96 };

/* In the order in which they are applied: --machine before the options whose values it sets, --unit
 * before times, -P and --schedule before --root, --clock before --reps, -G before --delay, that
 * before --topology, and that before --plugin; all of these, and --seed, before --fault and
 * --noise. */
static const struct option_row *rows[MOST_ROWS];
static int n_rows;

/* What a question was made of. */
struct texts {
    const char *given[MOST_ROWS];  /* by row: from the command line; NULL: not given */
    const char *added[MOST_ROWS];  /* by give_option(), which counts more */
    const json_t *presets;         /* in place of environment and config file; NULL: these */
    const char *words[MOST_WORDS]; /* as they were, */
    int n_words;
    struct question unsettled; /* and the question before its options were settled */
};

static struct texts *texts_of(const struct question *q)
{
    return part_of(q, PART_ROWS, sizeof(struct texts));
}

/* On the command line, or added; NULL: neither. */
static const char *given(const struct question *q, int i)
{
    const struct texts *t = texts_of(q);

    return t->added[i] != NULL ? t->added[i] : t->given[i];
}

/* Values of getopt_long() for the long options: row i is LONG + i. */
enum { LONG = 256, HELP = LONG + MOST_ROWS, VERSION };

/* The other letters, and their long options. */
static const char *const letters[][2] = {{"q", "quiet"}, {"v", "verbose"}, {"n", "P"}};

static void add_rows(const struct option_row *more)
{
    for (; more->name != NULL && n_rows < MOST_ROWS; more++)
        rows[n_rows++] = more;
}

/* The same in each process, so once. */
static void make_rows(void)
{
    if (n_rows > 0)
        return;
    add_rows(model_options);
    add_rows(operand_options);
    add_rows(knob_options());
    add_rows(run_options);
    add_rows(fault_options);
    add_rows(sweep_options);
    add_rows(tune_options);
    add_rows(measure_options);
    add_rows(format_options);
    add_rows(picture_options);
    add_rows(talk_options);
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

/* getopt's own tables, from ours. */
static void make_getopt(char *shorts, struct option *longs)
{
    size_t n = 0;

    *shorts++ = ':';
    for (int i = 0; i < n_rows; i++) {
        if (option_is_short(rows[i]->name)) {
            *shorts++ = rows[i]->name[0];
            *shorts++ = ':';
        } else {
            longs[n++] = (struct option){rows[i]->name, rows[i]->value != NULL, NULL, LONG + i};
        }
    }
    for (const char *s = "hVqv"; *s != '\0'; s++)
        *shorts++ = *s;
    *shorts = '\0';
    longs[n++] = (struct option){"help", no_argument, NULL, HELP};
    longs[n++] = (struct option){"version", no_argument, NULL, VERSION};
    longs[n] = (struct option){0};
}

static int row_of(int c)
{
    char name[2] = {(char)c, '\0'};
    const char *meant = name;
    int i = 0;

    if (c >= LONG)
        return c - LONG;
    for (size_t k = 0; k < sizeof(letters) / sizeof(letters[0]); k++)
        meant = letters[k][0][0] == c ? letters[k][1] : meant;
    while (strcmp(rows[i]->name, meant) != 0)
        i++;
    return i;
}

static struct problem *add_word(struct question *q, const char *word)
{
    if (q->line.n_words == MOST_WORDS)
        return usage_problem("%s: too many words; see logp --help", word);
    q->line.words[q->line.n_words++] = word;
    return NULL;
}

/* Find the text of an option and its source. Environment and config file count only for options
 * that the command uses. */
static enum source find_text(int i, const struct question *q, const char **text)
{
    const struct option_row *r = rows[i];
    const char *environment = from_environment(q, r), *setting;
    const unsigned from_command_line = OPTIONS_PLUGIN | OPTIONS_AGAIN | OPTIONS_REPLAY |
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

static struct problem *take(int i, const struct question *q, const char **text, enum source *source)
{
    char option[32];

    *source = find_text(i, q, text);
    note_option(q, rows[i]->name, *source, *text);
    TRY(value_at_point(q, rows[i], i, option_dashed(rows[i]->name, option), text));
    note_option(q, rows[i]->name, *source, *text);
    return NULL;
}

static struct problem *refuse_others(const struct question *q, const char *command)
{
    for (int i = 0; i < n_rows; i++) {
        char option[32];

        option_dashed(rows[i]->name, option);
        if (given(q, i) != NULL && (rows[i]->set & q->line.sets) == 0)
            return usage_problem("%s: not an option of logp %s", option, command);
        if (given(q, i) != NULL && *given(q, i) == '\0')
            return option_problem(option, "''", "needs a value");
    }
    return NULL;
}

/* Apply all rows. A machine sets L, o, g, G, delay and unit, unless they come from the same
 * source as it or from a stronger one. */
static struct problem *resolve_rows(struct question *q)
{
    enum source machine = FROM_DEFAULT;

    for (int i = 0; i < n_rows; i++) {
        const bool without = q->model.machine == NULL;
        const char *text;
        enum source source;
        char option[32];

        TRY(take(i, q, &text, &source));
        option_dashed(rows[i]->name, option);
        if (rows[i]->knob != NULL)
            TRY(apply_knob(q, rows[i]->knob, option, text));
        else if (without || !rows[i]->of_machine || source >= machine)
            TRY(apply_row(q, rows[i], option, text));
        if (without && q->model.machine != NULL)
            machine = source;
    }
    TRY(resolve_size(q));
    return check_plugin(q);
}

/* --verbose: the options that are set, and where each is set. */
static void say_sources(const struct question *q)
{
    static const char *const from[] = {[FROM_FILE] = "the config file",
                                       [FROM_ENVIRONMENT] = "the environment",
                                       [FROM_COMMAND_LINE] = "the command line"};

    say("version %s", logp_version());
    for (int i = 0; i < n_rows; i++) {
        const char *text;
        const enum source source = find_text(i, q, &text);
        char option[32];

        if (source != FROM_DEFAULT)
            say("%s%s%s comes from %s", option_dashed(rows[i]->name, option),
                rows[i]->value != NULL ? " " : "", rows[i]->value != NULL ? text : "",
                from[source]);
    }
}

/* Settle all options of the command: from the config file, then from the environment, then from the
 * command line. */
static struct problem *resolve_options(struct question *q, const struct command_facts *command)
{
    struct names names = {0};

    q->line.sets = command->options;
    TRY(refuse_others(q, command->name));
    keep_quiet(option_is_given(q, "quiet"));
    for (int i = 0; i < n_rows; i++)
        add_name(&names, rows[i]->name);
    if (texts_of(q)->presets == NULL) {
        TRY(read_settings(q, command->name, &names));
        warn_of_variables(&names);
    }
    q->model.inter =
        (struct logp_link_costs)LOGP_ALL_AS_BEFORE; /* so that a cost of 0 can be given */
    texts_of(q)->unsettled = *q;
    TRY(resolve_rows(q));
    TRY(refuse_unused_options(q));
    TRY(check_transport(q));
    if (q->form.verbose)
        say_sources(q);
    return NULL;
}

struct problem *resolve_point(struct question *q, int64_t i)
{
    *q = texts_of(q)->unsettled;
    select_point(q, i);
    return resolve_rows(q);
}

/* The row of a name without dashes; -1: there is none. */
static int find_row(const char *name)
{
    int i = n_rows - 1;

    while (i >= 0 && strcmp(rows[i]->name, name) != 0)
        i--;
    return i;
}

void give_option(const struct question *q, const char *name, const char *text)
{
    texts_of(q)->added[find_row(name)] = text;
}

bool option_is_given(const struct question *q, const char *name)
{
    return given(q, find_row(name)) != NULL;
}

char *options_given(const struct question *q, const struct names *but)
{
    char *all = NULL;
    size_t size;
    FILE *f = need(open_memstream(&all, &size));

    for (int i = 0; i < n_rows; i++) {
        const char *text;
        char option[32];

        if (find_text(i, q, &text) == FROM_DEFAULT || find_name(but, rows[i]->name) >= 0)
            continue;
        fprintf(f, " %s", option_dashed(rows[i]->name, option));
        if (rows[i]->value != NULL) {
            putc(' ', f);
            write_shown(f, text);
        }
    }
    return close_text(f, &all);
}

/* Refuse an unknown option as it was written; or, of several letters after one
 * dash, the unknown one. */
static struct problem *no_such_option(const char *text, int letter)
{
    char dashes[MOST_ROWS][32];
    struct names names = {0};
    char word[32], hint[MAX_HINT];

    for (int i = 0; i < n_rows; i++)
        add_name(&names, option_dashed(rows[i]->name, dashes[i]));
    if (letter != 0)
        snprintf(word, sizeof(word), "-%c", letter);
    else
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
    return usage_problem("%s: no such option; %ssee logp --help", letter != 0 ? word : text,
                         did_you_mean(&names, word, hint));
}

/* Take one more text of an option: the last one counts, unless the option allows several. */
static void take_given(const struct question *q, int i, const char *text)
{
    const char **const all = &texts_of(q)->given[i];
    char *joined;

    if (rows[i]->several && *all != NULL) {
        joined = kept_by(q, malloc(strlen(*all) + strlen(text) + 2), free);
        sprintf(joined, "%s;%s", *all, text);
        text = joined;
    }
    *all = text;
}

/* Whether the command is `logp mpirun`: its first word that is not an option is a program, and all
 * words after that belong to the program. */
static bool runs_a_program(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "mpirun") == 0;
}

/* @return the number of words before -- */
static int split_rest(int argc, char **argv, struct question *q)
{
    int n = 1;

    q->line.argv = argv;
    if (runs_a_program(argc, argv)) /* which may have its own -- */
        return argc;

    while (n < argc && strcmp(argv[n], "--") != 0)
        n++;
    q->line.rest = n < argc ? &argv[n + 1] : NULL;
    return n < argc ? n : argc;
}

/* Split the command line into words and options. */
static struct problem *parse_options(int argc, char **argv, struct question *q)
{
    const bool program = runs_a_program(argc, argv);
    char shorts[2 * MOST_ROWS + 11] = "+";
    struct option longs[MOST_ROWS + 3];
    int c;

    argc = split_rest(argc, argv, q);
    make_getopt(shorts + program, longs);
    if (program) { /* -n N is -P N, as others of this name have it */
        strcat(shorts, "n:");
        TRY(add_word(q, argv[1]));
        argc--;
        argv++;
    }
    opterr = 0;
    optind = 0; /* another question may have used it */
    while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (c == ':')
            return usage_problem("%s: needs a value; see logp --help", argv[optind - 1]);
        if (c == '?' && optopt >= LONG)
            return usage_problem("%s: takes no value; see logp --help", argv[optind - 1]);
        if (c == '?')
            return no_such_option(argv[optind - 1], optopt);
        q->line.help |= c == 'h' || c == HELP;
        q->line.version |= c == 'V' || c == VERSION;
        if (c == 'h' || c == HELP || c == 'V' || c == VERSION)
            continue;
        if (c == 'n' && strcmp(optarg, "p") == 0 && optind < argc) /* -np N */
            optarg = argv[optind++];
        take_given(q, row_of(c), optarg != NULL ? optarg : "on");
    }
    if (program)
        q->line.rest = &argv[optind];
    for (int i = optind; !program && i < argc; i++)
        TRY(add_word(q, argv[i]));
    return NULL;
}

/* "help run" is "run --help". */
static void take_help(struct question *q)
{
    if (q->line.n_words == 0 || strcmp(q->line.words[0], "help") != 0)
        return;
    q->line.help = true;
    drop_word(q);
}

void drop_word(struct question *q)
{
    q->line.n_words--;
    memmove(q->line.words, q->line.words + 1, sizeof(q->line.words) - sizeof(q->line.words[0]));
}

struct problem *add_rest(struct question *q)
{
    for (; q->line.rest != NULL && *q->line.rest != NULL; q->line.rest++)
        TRY(add_word(q, *q->line.rest));
    q->line.rest = NULL;
    return NULL;
}

/* Find the command, which the words begin with, and settle its options. */
static struct problem *settle(struct question *q)
{
    struct command_facts command = {0};
    struct texts *t = texts_of(q);

    take_help(q);
    if (q->line.n_words == 0)
        TRY(add_rest(q));
    if (q->line.n_words == 0)
        return NULL;
    TRY(q->line.vocabulary->find(q, &command));
    if (!command.starts)
        TRY(add_rest(q));
    q->line.command = command.name;
    q->line.answer = command.answer;
    if (q->line.help)
        return NULL;
    memcpy(t->words, q->line.words, sizeof(t->words));
    t->n_words = q->line.n_words;
    if (command.take != NULL)
        TRY(command.take(q));
    return resolve_options(q, &command);
}

void begin_question(struct question *q, const struct vocabulary *v)
{
    make_rows();
    *q = (struct question){.own = own_memory()};
    q->line.formats = v->formats;
    q->line.vocabulary = v;
}

struct problem *question_of_words(struct question *q, int argc, char **argv)
{
    TRY(parse_options(argc, argv, q));
    return q->line.version ? NULL : settle(q);
}

/* ---- a question as JSON ---- */

static void drop_json(void *json)
{
    json_decref(json);
}

/* The words of an array, with NULL at the end. */
static struct problem *words_in(const struct question *q, const json_t *all, const char *key,
                                char ***out)
{
    const json_t *array = json_object_get(all, key), *word;
    char **words = kept_by(q, calloc(json_array_size(array) + 1, sizeof(*words)), free);
    size_t i;

    if (array != NULL && !json_is_array(array))
        return usage_problem("\"%s\": an array of words", key);
    json_array_foreach(array, i, word)
    {
        if (!json_is_string(word))
            return usage_problem("\"%s\": an array of words", key);
        words[i] = (char *)(uintptr_t)json_string_value(word);
    }
    *out = words;
    return NULL;
}

/* Check that each key of the object is an option, and its value a text. */
static struct problem *check_texts(const json_t *all, const char *key)
{
    json_t *const texts = json_object_get(all, key), *text;
    const char *name;

    if (texts != NULL && !json_is_object(texts))
        return usage_problem("\"%s\": an object of options", key);
    json_object_foreach(texts, name, text)
    {
        if (find_row(name) < 0)
            return no_such_option(name, 0);
        if (!json_is_string(text))
            return usage_problem("\"%s\": \"%s\": a text", key, name);
    }
    return NULL;
}

struct problem *question_of_json(struct question *q, const json_t *json)
{
    json_t *all, *texts, *text;
    char *command, *word, **words, **rest;
    const char *name;

    all = kept_by(q, json_deep_copy(json), drop_json);
    if (!json_is_string(json_object_get(all, "command")))
        return usage_problem("\"command\": a text");
    command = kept_by(q, strdup(json_string_value(json_object_get(all, "command"))), free);
    while ((word = strsep(&command, " ")) != NULL)
        TRY(add_word(q, word));
    TRY(words_in(q, all, "words", &words));
    for (; *words != NULL; words++)
        TRY(add_word(q, *words));
    TRY(words_in(q, all, "rest", &rest));
    q->line.rest = json_object_get(all, "rest") != NULL ? rest : NULL;
    TRY(check_texts(all, "options"));
    TRY(check_texts(all, "presets"));
    texts = json_object_get(all, "options");
    json_object_foreach(texts, name, text) texts_of(q)->given[find_row(name)] =
        json_string_value(text);
    texts = json_object_get(all, "presets");
    texts_of(q)->presets = texts != NULL ? texts : kept_by(q, json_object(), drop_json);
    return settle(q);
}

static void set_text(json_t *all, const char *key, const char *name, const char *text)
{
    if (json_object_get(all, key) == NULL)
        json_object_set_new(all, key, json_object());
    json_object_set_new(json_object_get(all, key), name, json_string(text));
}

json_t *question_json(const struct question *q)
{
    const struct texts *t = texts_of(q);
    json_t *all = json_object(), *words = json_array(), *rest = json_array();

    json_object_set_new(all, "command", json_string(q->line.command));
    for (int i = 1; i < t->n_words; i++)
        json_array_append_new(words, json_string(t->words[i]));
    json_object_set_new(all, "words", words);
    for (int i = 0; i < n_rows; i++) {
        const char *text;

        if (t->given[i] != NULL)
            set_text(all, "options", rows[i]->name, t->given[i]);
        else if (find_text(i, q, &text) != FROM_DEFAULT && t->added[i] == NULL)
            set_text(all, "presets", rows[i]->name, text);
    }
    for (char **word = q->line.rest; word != NULL && *word != NULL; word++)
        json_array_append_new(rest, json_string(*word));
    if (q->line.rest != NULL)
        json_object_set(all, "rest", rest);
    json_decref(rest);
    return all;
}

/* ---- the help of options ---- */

/* " [8]", " [100; virtual clock 1]" */
static void show_default(const struct option_row *r, unsigned sets, char *out, size_t size)
{
    const bool both = *r->preset != '\0' && *r->other != '\0';

    out[0] = '\0';
    if (((r->set & OPTIONS_SPANS) != 0 && (sets & (OPTIONS_SPANS | OPTIONS_MEASURE)) != 0) ||
        ((r->set & sets & (OPTIONS_PAPER | OPTIONS_SWEEP)) != 0 && (r->set & OPTIONS_PAPER) != 0))
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

bool option_facts(const struct question *q, int i, unsigned sets, struct option_facts *out)
{
    const struct option_row *r = i < n_rows ? rows[i] : NULL;

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

void print_options(FILE *f, const struct question *q, unsigned sets)
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

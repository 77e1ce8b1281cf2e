/* SPDX-License-Identifier: MIT */
/*
 * A question of a command line or of JSON: its words and options are taken apart, the command is
 * found, and its options are settled.
 */
#include "question/rows.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of getopt_long() for the long options: row i is LONG + i. */
enum { LONG = 256, HELP = LONG + MOST_ROWS, VERSION };

/* The other letters, and their long options. */
static const char *const letters[][2] = {{"q", "quiet"}, {"v", "verbose"}, {"n", "P"}};

/* getopt's own tables, from ours. */
static void make_getopt(char *shorts, struct option *longs)
{
    size_t n = 0;

    *shorts++ = ':';
    for (int i = 0; i < n_option_rows; i++) {
        if (option_is_short(option_rows[i]->name)) {
            *shorts++ = option_rows[i]->name[0];
            *shorts++ = ':';
        } else {
            longs[n++] = (struct option){option_rows[i]->name, option_rows[i]->value != NULL, NULL,
                                         LONG + i};
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
    while (strcmp(option_rows[i]->name, meant) != 0)
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

/* Settle all options of the command: from the config file, then from the environment, then from the
 * command line. */
static struct problem *resolve_options(struct question *q, const struct command_facts *command)
{
    struct names names = {0};

    q->line.sets = command->options;
    TRY(refuse_others(q, command->name));
    keep_quiet(option_is_given(q, "quiet"));
    for (int i = 0; i < n_option_rows; i++)
        add_name(&names, option_rows[i]->name);
    if (texts_of(q)->presets == NULL) {
        TRY(read_settings(q, command->name, &names));
        warn_of_variables(&names);
    }
    q->model.inter = q->model.inter_sockets =
        (struct logp_link_costs)LOGP_ALL_AS_BEFORE; /* so that a cost of 0 can be given */
    texts_of(q)->unsettled = *q;
    TRY(resolve_rows(q));
    TRY(refuse_unused_options(q));
    TRY(check_transport(q));
    if (q->form.verbose)
        say_sources(q);
    return NULL;
}

/* Refuse an unknown option as it was written; or, of several letters after one
 * dash, the unknown one. */
static struct problem *no_such_option(const char *text, int letter)
{
    char dashes[MOST_ROWS][32];
    struct names names = {0};
    char word[32], hint[MAX_HINT];

    for (int i = 0; i < n_option_rows; i++)
        add_name(&names, option_dashed(option_rows[i]->name, dashes[i]));
    add_name(&names, "--help");
    add_name(&names, "--version");
    if (letter != 0)
        snprintf(word, sizeof(word), "-%c", letter);
    else
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
    if (strncmp(word, "--", 2) == 0 && strlen(word) == 3) /* --G */
        memmove(word, word + 1, sizeof(word) - 1);
    if (letter == 'n' || strcmp(word, "--procs") == 0) /* of other MPIs */
        return usage_problem("%s: no such option; the number of processors is -P; see logp --help",
                             letter != 0 ? word : text);
    return usage_problem("%s: no such option; %ssee logp --help", letter != 0 ? word : text,
                         did_you_mean(&names, word, hint));
}

/* Take one more text of an option: the last one counts, unless the option allows several. */
static void take_given(const struct question *q, int i, const char *text)
{
    const char **const all = &texts_of(q)->given[i];
    char *joined;

    if (option_rows[i]->several && *all != NULL) {
        joined = kept_by(q, malloc(strlen(*all) + strlen(text) + 2), free);
        sprintf(joined, "%s;%s", *all, text);
        text = joined;
    }
    *all = text;
}

/* Whether the command is `logp mpirun` or `logp explore`: its first word that is not an option is a program, and all
 * words after that belong to the program. */
static bool runs_a_program(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "mpirun") == 0 || strcmp(argv[1], "explore") == 0);
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
    for (int i = 0; i < n_option_rows; i++) {
        const char *text;

        if (t->given[i] != NULL)
            set_text(all, "options", option_rows[i]->name, t->given[i]);
        else if (find_text(i, q, &text) != FROM_DEFAULT && t->added[i] == NULL)
            set_text(all, "presets", option_rows[i]->name, text);
    }
    for (char **word = q->line.rest; word != NULL && *word != NULL; word++)
        json_array_append_new(rest, json_string(*word));
    if (q->line.rest != NULL)
        json_object_set(all, "rest", rest);
    json_decref(rest);
    return all;
}

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

static const char *given[MOST_ROWS]; /* from the command line; NULL: not given */

static struct question unsettled; /* copy of the options before they were settled */

/* Values of getopt_long() for the long options: row i is LONG + i. */
enum { LONG = 256, HELP = LONG + MOST_ROWS, VERSION };

/* The other letters, and their long options. */
static const char *const letters[][2] = {{"q", "quiet"}, {"v", "verbose"}, {"n", "P"}};

static void add_rows(const struct option_row *more)
{
    for (; more->name != NULL && n_rows < MOST_ROWS; more++)
        rows[n_rows++] = more;
}

static void make_rows(void)
{
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
static const char *from_environment(const struct option_row *r)
{
    char name[32];
    const char *text = getenv(option_variable(r->name, name));

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

static void add_word(struct question *q, const char *word)
{
    if (q->line.n_words == sizeof(q->line.words) / sizeof(q->line.words[0]))
        bad_usage("%s: too many words; see logp --help", word);
    q->line.words[q->line.n_words++] = word;
}

/* Find the text of an option and its source. Environment and config file count only for options
 * that the command uses. */
static enum source find_text(int i, const struct question *q, const char **text)
{
    const struct option_row *r = rows[i];
    const char *environment = from_environment(r), *setting;
    const unsigned from_command_line = OPTIONS_PLUGIN | OPTIONS_AGAIN | OPTIONS_REPLAY |
                                       OPTIONS_OUTPUT | OPTIONS_SAVE | OPTIONS_TALK;
    const bool other = q->how.clock == LOGP_CLOCK_VIRTUAL && *r->preset != '\0';
    enum source source = FROM_DEFAULT;

    *text = other && *r->other != '\0' ? r->other : r->preset;
    if (given[i] != NULL) {
        source = FROM_COMMAND_LINE;
        *text = given[i];
    } else if ((r->set & q->line.sets & ~from_command_line) != 0 && option_matters(r->name, q)) {
        setting = environment == NULL ? setting_of(r->name) : NULL;
        source = environment != NULL ? FROM_ENVIRONMENT : setting != NULL ? FROM_FILE : source;
        *text = environment != NULL ? environment : setting != NULL ? setting : *text;
    }
    return source;
}

static enum source take(int i, const struct question *q, const char **text)
{
    const enum source source = find_text(i, q, text);
    char option[32];

    note_option(rows[i]->name, source, *text);
    *text = value_at_point(q, rows[i], i, option_dashed(rows[i]->name, option), *text);
    note_option(rows[i]->name, source, *text);
    return source;
}

static void refuse_others(const char *command, unsigned sets)
{
    for (int i = 0; i < n_rows; i++) {
        char option[32];

        option_dashed(rows[i]->name, option);
        if (given[i] != NULL && (rows[i]->set & sets) == 0)
            bad_usage("%s: not an option of logp %s", option, command);
        if (given[i] != NULL && *given[i] == '\0')
            bad_option(option, "''", "needs a value");
    }
}

/* Apply all rows. A machine sets L, o, g, G, delay and unit, unless they come from the same
 * source as it or from a stronger one. */
static void resolve_rows(struct question *q)
{
    enum source machine = FROM_DEFAULT;

    for (int i = 0; i < n_rows; i++) {
        const bool without = q->model.machine == NULL;
        const char *text;
        const enum source source = take(i, q, &text);
        char option[32];

        option_dashed(rows[i]->name, option);
        if (rows[i]->knob != NULL)
            apply_knob(q, rows[i]->knob, option, text);
        else if (without || !rows[i]->of_machine || source >= machine)
            apply_row(q, rows[i], option, text);
        if (without && q->model.machine != NULL)
            machine = source;
    }
    resolve_size(q);
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

void resolve_options(struct question *q, const char *command, unsigned sets)
{
    static struct names names;

    q->line.sets = sets;
    refuse_others(command, sets);
    if (option_is_given("quiet"))
        keep_quiet();
    for (int i = 0; i < n_rows; i++)
        add_name(&names, rows[i]->name);
    read_settings(command, q->line.commands, &names);
    warn_of_variables(&names);
    q->model.inter =
        (struct logp_link_costs)LOGP_ALL_AS_BEFORE; /* so that a cost of 0 can be given */
    unsettled = *q;
    resolve_rows(q);
    refuse_unused_options(q);
    check_transport(q);
    if (q->form.verbose)
        say_sources(q);
}

void resolve_point(struct question *q, int64_t i)
{
    *q = unsettled;
    select_point(i);
    resolve_rows(q);
}

void give_option(const char *name, const char *text)
{
    for (int i = 0; i < n_rows; i++)
        if (strcmp(rows[i]->name, name) == 0)
            given[i] = text;
}

bool option_is_given(const char *name)
{
    for (int i = 0; i < n_rows; i++)
        if (strcmp(rows[i]->name, name) == 0)
            return given[i] != NULL;
    return false;
}

char *options_given(const struct question *q, const struct names *but)
{
    char *all = NULL;
    size_t size;
    FILE *f = or_end(open_memstream(&all, &size));

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
_Noreturn static void no_such_option(const char *text, int letter)
{
    static char dashes[MOST_ROWS][32];
    struct names names = {0};
    char word[32], hint[MAX_HINT];

    for (int i = 0; i < n_rows; i++)
        add_name(&names, option_dashed(rows[i]->name, dashes[i]));
    if (letter != 0)
        snprintf(word, sizeof(word), "-%c", letter);
    else
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
    bad_usage("%s: no such option; %ssee logp --help", letter != 0 ? word : text,
              did_you_mean(&names, word, hint));
}

/* Take one more text of an option: the last one counts, unless the option allows several. */
static void take_given(int i, const char *text)
{
    static char *all[MOST_ROWS];
    const size_t had = all[i] != NULL ? strlen(all[i]) + 1 : 0;

    given[i] = text;
    if (!rows[i]->several)
        return;
    all[i] = realloc(all[i], had + strlen(text) + 1);
    if (all[i] == NULL)
        bad_usage("no memory");
    if (had > 0)
        all[i][had - 1] = ';';
    strcpy(all[i] + had, text);
    given[i] = all[i];
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

void parse_options(int argc, char **argv, struct question *q)
{
    const bool program = runs_a_program(argc, argv);
    char shorts[2 * MOST_ROWS + 11] = "+";
    struct option longs[MOST_ROWS + 3];
    int c;

    argc = split_rest(argc, argv, q);
    make_rows();
    make_getopt(shorts + program, longs);
    if (program) { /* -n N is -P N, as others of this name have it */
        strcat(shorts, "n:");
        add_word(q, argv[1]);
        argc--;
        argv++;
    }
    opterr = 0;
    while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (c == ':')
            bad_usage("%s: needs a value; see logp --help", argv[optind - 1]);
        if (c == '?' && optopt >= LONG)
            bad_usage("%s: takes no value; see logp --help", argv[optind - 1]);
        if (c == '?')
            no_such_option(argv[optind - 1], optopt);
        q->line.help |= c == 'h' || c == HELP;
        q->line.version |= c == 'V' || c == VERSION;
        if (c == 'h' || c == HELP || c == 'V' || c == VERSION)
            continue;
        if (c == 'n' && strcmp(optarg, "p") == 0 && optind < argc) /* -np N */
            optarg = argv[optind++];
        take_given(row_of(c), optarg != NULL ? optarg : "on");
    }
    if (program)
        q->line.rest = &argv[optind];
    for (int i = optind; !program && i < argc; i++)
        add_word(q, argv[i]);
}

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

void add_rest(struct question *q)
{
    for (; q->line.rest != NULL && *q->line.rest != NULL; q->line.rest++)
        add_word(q, *q->line.rest);
    q->line.rest = NULL;
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

void print_options(const struct question *q, unsigned sets)
{
    struct option_facts f;

    for (int i = 0; option_facts(q, i, sets, &f); i++) {
        char words[64];

        if ((f.sets & sets) == 0)
            continue;
        snprintf(words, sizeof(words), "%s %s", f.option, f.value != NULL ? f.value : "");
        printf("  %-17s %s%s\n", words, f.help, f.preset);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * The options of all commands, in one table: name, help, default, and how the text becomes a field.
 * Values come from the environment (LOGP_P, LOGP_UNIT, ...), then from the command line; they are
 * kept as text until all have been seen, because times depend on --unit and ranks on -P.
 */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct option_row {
    const char *name;  /* without dashes */
    const char *value; /* NULL: a flag */
    const char *help;
    const char *preset; /* its default; empty: whoever needs it works it out */
    const char *other;  /* with a preset: the default under the virtual clock, where that differs;
                           without: what is worked out, in words */
    unsigned set;
    void (*apply)(struct options *o, const char *option, const char *text);
};

/* In the order in which they are applied: --machine before what it sets, --unit before times, -P
 * and --schedule before --root, --clock before --reps, -G before --delay, that before --topology, and that before
 * --plugin. */
static const struct option_row rows[] = {
    {"P", "N", "virtual processors; where 8 do not fit and nobody says, the next that do", "8", "",
     OPTIONS_MODEL, apply_P},
    {"schedule", "FILE", "the steps in this file (json, goal) in place of a collective", "", "",
     OPTIONS_BASIS, apply_schedule},
    {"by", "WHAT", "predict by formula, or by schedule", "", "the formula where there is one",
     OPTIONS_BASIS, apply_by},
    {"machine", "NAME", "a preset for L, o, g, G, delay and unit (see: logp list machines)", "none",
     "", OPTIONS_MODEL, apply_machine},
    {"unit", "T", "what one plain unit of time is", "10us", "",
     OPTIONS_MODEL | OPTIONS_UNIT | OPTIONS_PAPER, apply_unit},
    {"L", "T", "latency; T is in units or has a suffix ns, us, ms", "6", "", OPTIONS_MODEL,
     apply_L},
    {"o", "T", "overhead of a send and of a receive", "2", "", OPTIONS_MODEL, apply_o},
    {"o-send", "T", "overhead of a send, where it differs", "", "-o", OPTIONS_MODEL, apply_o_send},
    {"o-recv", "T", "overhead of a receive, where it differs", "", "-o", OPTIONS_MODEL,
     apply_o_recv},
    {"g", "T", "gap between two sends, or two receives", "4", "", OPTIONS_MODEL, apply_g},
    {"G", "T", "time per byte of a long message (LogGP)", "0", "", OPTIONS_MODEL, apply_G},
    {"gap", "KIND", "separate, or shared by sends and receives", "separate", "", OPTIONS_MODEL,
     apply_gap},
    {"capacity", NULL, "at most ceil(L/g) messages on their way from or to anyone", "off", "",
     OPTIONS_MODEL, apply_capacity},
    {"delay", "NAME", "none, logp, loggp, store-forward, varying (see: logp list delays)", "",
     "logp; with -G loggp", OPTIONS_MODEL, apply_delay},
    {"topology", "SPEC", "line, ring, mesh:AxBx..., torus:AxBx..., hypercube, tree", "none", "",
     OPTIONS_MODEL, apply_topology},
    {"algo", "NAMES", "NAME[,NAME...], all, or auto: the best predicted", "auto", "", OPTIONS_MODEL,
     apply_algo},
    {"bytes", "N", "message size", "8", "", OPTIONS_MODEL, apply_bytes},
    {"root", "R", "rank of the root", "0", "", OPTIONS_MODEL, apply_root},
    {"gamma", "T", "time to combine two elements, or host: as this one does", "", "0; summation 1",
     OPTIONS_MODEL, apply_gamma},
    {"count", "N", "operands of each, of a summation in total", "", "1; summation 10P",
     OPTIONS_MODEL, apply_count},
    {"type", "T", "of operands: int32, int64, float, double", "double", "", OPTIONS_MODEL,
     apply_type},
    {"op", "O", "how they combine: sum, prod, min, max", "sum", "", OPTIONS_MODEL, apply_op},
    {"k", "N", "chains, segments or radix, where an algorithm has one; sqrt", "", "its own",
     OPTIONS_MODEL, apply_k},
    {"rows", "R", "of the matrix to transpose", "", "P", OPTIONS_MODEL, apply_rows},
    {"cols", "C", "of the matrix to transpose", "", "P", OPTIONS_MODEL, apply_cols},
    {"packing", "KIND", "structured: one message per destination; none: one per column",
     "structured", "", OPTIONS_MODEL, apply_packing},
    {"pack", "T", "time to pack a column", "0", "", OPTIONS_MODEL, apply_pack},
    {"window", "W", "of a ring: before receive r, r+W-1 sends have been made", "", "the best",
     OPTIONS_MODEL, apply_window},
    {"block", "BYTES", "of a pipelined message", "", "the best", OPTIONS_MODEL, apply_block},
    {"work", "T", "broadcast: time that each processor takes to process the item", "0", "",
     OPTIONS_MODEL, apply_work},
    {"overlap", "WHEN", "is it processed while blocks are sent on: on, off", "on", "",
     OPTIONS_MODEL, apply_overlap},
    {"clock", "KIND", "wall: every wait is real; virtual: time jumps", "wall", "", OPTIONS_RUN,
     apply_clock},
    {"executor", "NAME", "what carries a processor: thread, fiber", "thread", "",
     OPTIONS_RUN | OPTIONS_PAPER, apply_executor},
    {"reps", "N", "counted runs", "100", "1", OPTIONS_RUN | OPTIONS_PAPER, apply_reps},
    {"warmup", "N", "uncounted runs before", "5", "0", OPTIONS_RUN | OPTIONS_PAPER, apply_warmup},
    {"cores", "LIST", "which cores carry processors, e.g. 0,2-5", "all", "", OPTIONS_RUN,
     apply_cores},
    {"plugin", "FILE.so", "a delay model of your own (logp/delay.h)", "none", "", OPTIONS_RUN,
     apply_plugin},
    {"queue-limit", "BYTES", "of messages held for receivers; beyond, sends fail", "1GiB", "",
     OPTIONS_RUN, apply_queue_limit},
    {"timeout", "T", "ends a run that hangs", "60s", "", OPTIONS_RUN, apply_timeout},
    {"seed", "N", "of all that is random", "1", "", OPTIONS_RUN, apply_seed},
    {"progress", "WHEN", "on stderr: auto (on a terminal), on, off", "auto", "", OPTIONS_RUN,
     apply_progress},
    {"format", "KIND", "table, json or csv (schedule: text, json, goal)", "table", "", OPTIONS_FORMAT, apply_format},
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* What getopt calls the long options: row i is LONG + i. */
enum { LONG = 256, HELP = LONG + N_ROWS, VERSION };

/* Where a value comes from, the weakest first. */
enum source { FROM_DEFAULT, FROM_ENVIRONMENT, FROM_COMMAND_LINE };

static const char *given[N_ROWS]; /* from the command line; NULL: not */
static struct {
    enum source source;
    const char *text;
} taken[N_ROWS]; /* what became of each option, once it is applied */

/* The parameters of the model: -P, -L, -o, -g, -G. */
static bool is_short(const struct option_row *r)
{
    return r->name[1] == '\0' && r->name[0] != 'k';
}

static void dashed(const struct option_row *r, char *out, size_t size)
{
    snprintf(out, size, "%s%s", is_short(r) ? "-" : "--", r->name);
}

/* LOGP_P, LOGP_o, LOGP_UNIT, LOGP_O_SEND: short names as they are, others in capitals. */
static void environment_name(const struct option_row *r, char *name, size_t size)
{
    size_t n = (size_t)snprintf(name, size, "LOGP_");

    for (const char *s = r->name; *s != '\0' && n + 1 < size; s++) {
        if (*s == '-')
            name[n++] = '_';
        else
            name[n++] = (char)(!is_short(r) && *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
    }
    name[n] = '\0';
}

/* NULL: not set, or empty. */
static const char *from_environment(const struct option_row *r)
{
    char name[32];
    const char *text;

    environment_name(r, name, sizeof(name));
    text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

/* getopt's own tables, from ours. */
static void make_getopt(char *shorts, struct option *longs)
{
    size_t n = 0;

    *shorts++ = ':';
    for (int i = 0; i < N_ROWS; i++) {
        if (is_short(&rows[i])) {
            *shorts++ = rows[i].name[0];
            *shorts++ = ':';
        } else {
            longs[n++] = (struct option){rows[i].name, rows[i].value != NULL, NULL, LONG + i};
        }
    }
    *shorts++ = 'h';
    *shorts = '\0';
    longs[n++] = (struct option){"help", no_argument, NULL, HELP};
    longs[n++] = (struct option){"version", no_argument, NULL, VERSION};
    longs[n] = (struct option){0};
}

static int row_of(int c)
{
    int i = 0;

    if (c >= LONG)
        return c - LONG;
    while (rows[i].name[0] != c || !is_short(&rows[i]))
        i++;
    return i;
}

static void add_word(struct options *o, const char *word)
{
    if (o->n_words == sizeof(o->words) / sizeof(o->words[0]))
        bad_usage("%s: too many words; see logp --help", word);
    o->words[o->n_words++] = word;
}

/* A machine sets L, o, g, G, delay and unit, unless they come from where it does or from above. */
static bool applies(const struct options *o, const struct option_row *r, enum source source,
                    enum source machine)
{
    const bool set_by_machine = r->apply == apply_unit || r->apply == apply_L ||
                                r->apply == apply_o || r->apply == apply_g || r->apply == apply_G ||
                                r->apply == apply_delay;

    return o->machine == NULL || !set_by_machine || source >= machine;
}

static void take_preset(int i, const struct options *o)
{
    const bool other = o->clock == LOGP_CLOCK_VIRTUAL && *rows[i].preset != '\0';

    taken[i].source = FROM_DEFAULT;
    taken[i].text = other && *rows[i].other != '\0' ? rows[i].other : rows[i].preset;
}

/* Where this option comes from: the environment counts where the command can use it. */
static void take(int i, const struct options *o)
{
    const char *environment = from_environment(&rows[i]);

    take_preset(i, o);
    if (given[i] != NULL) {
        taken[i].source = FROM_COMMAND_LINE;
        taken[i].text = given[i];
    } else if (environment != NULL && (rows[i].set & o->sets) != 0 &&
               option_matters(rows[i].name, o)) {
        taken[i].source = FROM_ENVIRONMENT;
        taken[i].text = environment;
    }
}

/* The one variable that a command may go without, if it is wrong. */
static void forgive(int i, const struct options *o)
{
    if ((o->sets & OPTIONS_FORGIVING) == 0 || taken[i].source != FROM_ENVIRONMENT ||
        rows[i].apply != apply_format || is_format(taken[i].text, (o->sets & OPTIONS_SVG) != 0))
        return;
    fprintf(stderr, "logp: LOGP_FORMAT '%s': table, json or csv; this is a table\n", taken[i].text);
    take_preset(i, o);
}

void settle_options(struct options *o, const char *command, unsigned sets)
{
    enum source machine = FROM_DEFAULT;

    o->sets = sets;
    for (int i = 0; i < N_ROWS; i++) {
        char option[32];

        dashed(&rows[i], option, sizeof(option));
        if (given[i] != NULL && (rows[i].set & sets) == 0)
            bad_usage("%s: not an option of logp %s", option, command);
        if (given[i] != NULL && *given[i] == '\0')
            bad_option(option, "''", "needs a value");
    }
    for (int i = 0; i < N_ROWS; i++) {
        char option[32];

        dashed(&rows[i], option, sizeof(option));
        take(i, o);
        forgive(i, o);
        if (applies(o, &rows[i], taken[i].source, machine))
            rows[i].apply(o, option, taken[i].text);
        if (rows[i].apply == apply_machine)
            machine = taken[i].source;
    }
    if (o->format == FORMAT_SVG && (sets & OPTIONS_SVG) == 0)
        bad_option("--format", "svg", "table, json or csv");
    if ((o->format == FORMAT_TEXT || o->format == FORMAT_GOAL) && (sets & OPTIONS_STEPS) == 0)
        bad_option("--format", option_text("format"), "table, json or csv");
    if ((o->format == FORMAT_CSV || o->format == FORMAT_SVG) && (sets & OPTIONS_STEPS) != 0)
        bad_option("--format", option_text("format"), "text, json or goal");
}

/* An option as it was written, or of several letters behind one dash the one that is none. */
_Noreturn static void no_such_option(const char *text, int letter)
{
    static char dashes[N_ROWS][32];
    struct names names = {0};
    char word[32], hint[MAX_HINT];

    for (int i = 0; i < N_ROWS; i++) {
        dashed(&rows[i], dashes[i], sizeof(dashes[i]));
        add_name(&names, dashes[i]);
    }
    if (letter != 0)
        snprintf(word, sizeof(word), "-%c", letter);
    else
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
    bad_usage("%s: no such option; %ssee logp --help", letter != 0 ? word : text,
              did_you_mean(&names, word, hint));
}

void parse_options(int argc, char **argv, struct options *o)
{
    char shorts[3 * N_ROWS + 4];
    struct option longs[N_ROWS + 3];
    int c, i;

    make_getopt(shorts, longs);
    opterr = 0;
    while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (c == ':')
            bad_usage("%s: needs a value; see logp --help", argv[optind - 1]);
        if (c == '?' && optopt >= LONG)
            bad_usage("%s: takes no value; see logp --help", argv[optind - 1]);
        if (c == '?')
            no_such_option(argv[optind - 1], optopt);
        o->help |= c == 'h' || c == HELP;
        o->version |= c == VERSION;
        if (c == 'h' || c == HELP || c == VERSION)
            continue;
        i = row_of(c);
        given[i] = optarg != NULL ? optarg : "on";
    }
    for (i = optind; i < argc; i++)
        add_word(o, argv[i]);
}

/* The row of an option, named with or without its dashes. */
static int find_row(const char *name)
{
    int i = 0;

    name += strspn(name, "-");
    while (strcmp(rows[i].name, name) != 0)
        i++;
    return i;
}

bool option_on_command_line(const char *name)
{
    return given[find_row(name)] != NULL;
}

bool option_in_environment(const char *name)
{
    return taken[find_row(name)].source == FROM_ENVIRONMENT;
}

const char *option_shown(const char *name, char buf[32])
{
    const int i = find_row(name);

    if (taken[i].source == FROM_ENVIRONMENT)
        environment_name(&rows[i], buf, 32);
    else
        dashed(&rows[i], buf, 32);
    return buf;
}

const char *option_text(const char *name)
{
    return taken[find_row(name)].text;
}

bool option_given(const char *name)
{
    return taken[find_row(name)].source != FROM_DEFAULT;
}

/* " [8]", " [100; virtual clock 1]" */
static void show_default(const struct option_row *r, unsigned sets, char *out, size_t size)
{
    const bool both = *r->preset != '\0' && *r->other != '\0';

    out[0] = '\0';
    if ((r->set & sets & OPTIONS_PAPER) != 0)
        snprintf(out, size, " [see below]");
    else if (*r->preset != '\0' || *r->other != '\0')
        snprintf(out, size, " [%s%s%s]", r->preset, both ? "; virtual clock " : "", r->other);
}

void print_options(FILE *out, unsigned sets)
{
    for (int i = 0; i < N_ROWS; i++) {
        char option[64], preset[48];

        if ((rows[i].set & sets) == 0)
            continue;
        dashed(&rows[i], option, sizeof(option));
        snprintf(option + strlen(option), sizeof(option) - strlen(option), " %s",
                 rows[i].value != NULL ? rows[i].value : "");
        show_default(&rows[i], sets, preset, sizeof(preset));
        fprintf(out, "  %-17s %s%s\n", option, rows[i].help, preset);
    }
}

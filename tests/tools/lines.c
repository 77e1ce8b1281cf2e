/* SPDX-License-Identifier: MIT */
/*
 * A table of command lines and their answers, in text files; this process tries each row. A row begins
 * in the first column: the words after `logp`, with variables before them. Its expectations follow, each
 * in a line of two blanks and a mark; a single one may stand behind three blanks in the same line. Four
 * blanks continue the line before, and # begins a comment.
 *
 *     LOGP_P=4 predict broadcast --algo all
 *       = map(.predicted_ns) == [24000, 42000]   a filter of jq, true of the answer: with --format json,
 *                                   where no format is named; what is not JSON is one string
 *       ! --root 0 .. 3             exit code 2, no answer, and a problem with these words
 *       !! did you mean             ... and this text is not in it
 *       1 deadlock                  exit code 1, and a problem or notes with these words
 *       ~ binomial 42.000 exact     a line of the answer, whatever blanks are in it
 *       + </svg>                    text in the answer; +! is not in it
 *       - kchain is left out        text in the notes; -! is not in them; - alone: there are none
 *       @ x.svg                     the marks after this one test this file of $dir; @! x.svg: there is no
 *                                   such file
 *       > kept                      the answer is kept in $dir for the rows after it, and if it is JSON as
 *                                   $kept.kept in filters
 *       == kept.json                the answer is the one that was kept so, byte for byte
 *       < steps num_ranks 2\nrank 0 {\n}   before the command, $dir/steps is made of this text
 *       | steps kept.json .P = 3    ... of what this filter of jq makes of a file in $dir
 *
 * A row with {A|B} in its command line is two rows; its expectations have $1 for the word taken from the
 * first such list, $2 for the second. LOGP_ALL=TEXT sets the variables of all options. Words may be quoted
 * as in a shell; $dir is a folder of this run, $inputs tests/tools/inputs, $plugin a plug-in, $built its
 * folder. In filters, data is the JSON in the page of a report.
 * usage: lines FILE INPUTS PLUGIN
 */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "answer/runs.h"
#include "commands/command.h"
#include "file/file.h"
#include "question/question.h"
#include "text/problem.h"
#include "text/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <libgen.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

enum { MOST_EXPECTED = 64 };

struct line {
    int line; /* of the file, from 1 */
    char *command;
    char *expected[MOST_EXPECTED];
    int n_expected;
};

/* What a command line has answered. */
struct said {
    int code;
    char *answer, *problem, *notes;
};

/* The filters of all rows, for one run of jq; answer i is that of filter i. */
static struct {
    FILE *program, *answers, *kept;
    const struct line *rows[4096];
    const char *texts[4096];
    int n;
} filters;

static const char *file_name;
static int n_wrong;

static void wrong(const struct line *row, const char *what, const char *text)
{
    printf("%s:%d: logp %s\n  %s%s%.2000s\n", file_name, row->line, row->command, what,
           *text != '\0' ? ": " : "", text);
    n_wrong++;
}

/* ---- what is expected ---- */

static bool has_words(const char *text, const char *words)
{
    char *const copy = strdup(words);
    char *rest = NULL;
    bool all = true;

    for (char *w = strtok_r(copy, " ", &rest); w != NULL; w = strtok_r(NULL, " ", &rest))
        all = all && strstr(text, w) != NULL;
    free(copy);
    return all;
}

/* The next line of the text, with one blank between words. @return where the line after it begins */
static const char *squeezed(const char *text, char *out, size_t size)
{
    size_t n = 0;
    bool blank = false;

    for (; *text != '\0' && *text != '\n'; text++) {
        if (n > 0 && blank && !isblank((unsigned char)*text) && n + 1 < size)
            out[n++] = ' ';
        blank = isblank((unsigned char)*text);
        if (!blank && n + 1 < size)
            out[n++] = *text;
    }
    out[n] = '\0';
    return *text == '\n' ? text + 1 : text;
}

static bool has_line(const char *text, const char *line)
{
    char squeezed_line[4096];

    while (*text != '\0') {
        text = squeezed(text, squeezed_line, sizeof(squeezed_line));
        if (strcmp(squeezed_line, line) == 0)
            return true;
    }
    return false;
}

/* The path of a file of this run, which stays until the next call. */
static const char *path_of(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/%s", getenv("dir"), name);
    return path;
}

static void keep(const char *text, const struct line *row, const char *name)
{
    json_t *answer = json_loads(text, JSON_DECODE_ANY, NULL);
    FILE *f = fopen(path_of(name), "w");

    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
        wrong(row, "not kept", strerror(errno));
    if (answer != NULL) {
        json_t *const named = json_pack("{s:o}", name, answer);

        json_dumpf(named, filters.kept, 0);
        json_decref(named);
    }
}

/* The text of the file, or NULL; the caller frees it. */
static char *text_of(const char *name)
{
    FILE *f = fopen(path_of(name), "r");
    char *text = NULL;
    size_t size = 0;

    if (f == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', f) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(f);
    return text;
}

static bool was_kept(const char *answer, const char *name)
{
    char *const kept = text_of(name);
    const bool same = kept != NULL && strcmp(kept, answer) == 0;

    free(kept);
    return same;
}

static void add_filter(const char *text, const struct line *row, const char *filter)
{
    json_t *answer = json_loads(text, JSON_DECODE_ANY, NULL);

    if (answer == NULL)
        answer = json_string(text);
    if (answer == NULL) {
        wrong(row, "neither JSON nor text", filter);
        return;
    }
    fprintf(filters.program, "if (try ($d[%d] | %s) catch .) == true then empty else %d end,\n",
            filters.n, filter, filters.n);
    json_dumpf(answer, filters.answers, JSON_ENCODE_ANY);
    fputc('\n', filters.answers);
    json_decref(answer);
    filters.texts[filters.n] = filter;
    filters.rows[filters.n++] = row;
}

/* Whether the row expects a failure, and then its exit code. */
static int expected_code(const struct line *row)
{
    for (int i = 0; i < row->n_expected; i++)
        if (*row->expected[i] == '!' || *row->expected[i] == '1')
            return *row->expected[i] == '!' ? EXIT_USAGE : EXIT_WRONG;
    return EXIT_OK;
}

static void compare(const struct line *row, const struct said *said)
{
    const char *answer = said->answer;
    char code[32], *file = NULL;

    snprintf(code, sizeof(code), "exit code %d", said->code);
    if (said->code != expected_code(row))
        wrong(row, code, *said->problem != '\0' ? said->problem : said->notes);
    for (int i = 0; i < row->n_expected; i++) {
        const char *text = row->expected[i] + 1 + strspn(row->expected[i] + 1, " ");

        switch (row->expected[i][0]) {
        case '=':
            if (*text != '=')
                add_filter(answer, row, text);
            else if (!was_kept(answer, text + 1 + strspn(text + 1, " ")))
                wrong(row, "another answer", answer);
            break;
        case '!':
            if ((*text == '!' ? strstr(said->problem, text + 1 + strspn(text + 1, " ")) != NULL
                              : !has_words(said->problem, text)) ||
                *said->answer != '\0')
                wrong(row, "another problem", *said->answer != '\0' ? said->answer : said->problem);
            break;
        case '1':
            if (!has_words(said->problem, text) && !has_words(said->notes, text))
                wrong(row, "another problem", said->problem);
            break;
        case '~':
            if (!has_line(answer, text))
                wrong(row, "no such line", answer);
            break;
        case '+':
            if (*text == '!' ? strstr(answer, text + 1 + strspn(text + 1, " ")) != NULL
                             : strstr(answer, text) == NULL)
                wrong(row, "another answer", answer);
            break;
        case '-':
            if (*text == '\0'  ? *said->notes != '\0'
                : *text == '!' ? strstr(said->notes, text + 1 + strspn(text + 1, " ")) != NULL
                               : strstr(said->notes, text) == NULL)
                wrong(row, "other notes", said->notes);
            break;
        case '@':
            free(file);
            file = text_of(*text == '!' ? text + 1 + strspn(text + 1, " ") : text);
            if ((file == NULL) != (*text == '!'))
                wrong(row, file == NULL ? "no such file" : "a file", text);
            answer = file != NULL ? file : "";
            break;
        case '>':
            keep(answer, row, text);
            break;
        case '<':
        case '|':
            break; /* make_files() */
        default:
            wrong(row, "not an expectation", row->expected[i]);
        }
    }
    free(file);
}

/* ---- the files that a row needs ---- */

/* Write the text, in which \\n, \\r, \\t, \\0, \\e (escape) and \\\\ are as in C. */
static void write_text(FILE *f, const char *text)
{
    static const char letters[] = "nrte0", meant[] = "\n\r\t\033";

    for (; *text != '\0'; text++) {
        const char *letter = NULL;

        if (*text == '\\' && text[1] != '\0' && (letter = strchr(letters, *++text)) != NULL)
            fputc(meant[letter - letters], f);
        else
            fputc(*text, f);
    }
}

/* @return whether jq ended well, with its output in the file of this path */
static bool run_jq(char **argv, const char *path)
{
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t jq;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    if (posix_spawnp(&jq, "jq", &actions, NULL, argv, environ) == 0)
        waitpid(jq, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0;
}

static void make_files(const struct line *row)
{
    for (int i = 0; i < row->n_expected; i++) {
        const bool text = *row->expected[i] == '<';
        char *copy, *name, *from, *rest = NULL, path[4096];
        FILE *f;

        if (!text && *row->expected[i] != '|')
            continue;
        copy = strdup(row->expected[i] + 1);
        name = strtok_r(copy, " ", &rest);
        snprintf(path, sizeof(path), "%s", path_of(name));
        if (text && (f = fopen(path, "w")) != NULL) {
            write_text(f, rest);
            fclose(f);
        } else if (!text) {
            from = strtok_r(NULL, " ", &rest);
            if (!run_jq((char *[]){"jq", "-c", rest, (char *)path_of(from), NULL}, path))
                wrong(row, "no such file", row->expected[i]);
        }
        free(copy);
    }
}

/* ---- the command line ---- */

static bool is_variable(const char *word)
{
    size_t n = 0;

    while (isalpha((unsigned char)word[n]) || word[n] == '_')
        n++;
    return n > 0 && word[n] == '=';
}

/* Whether the answer, not a file, has a filter. */
static bool has_filter(const struct line *row)
{
    for (int i = 0; i < row->n_expected && *row->expected[i] != '@'; i++)
        if (strncmp(row->expected[i], "= ", 2) == 0)
            return true;
    return false;
}

static void answer(const struct line *row, int n, char **words, struct said *said)
{
    size_t answer_size, notes_size;
    char **argv = calloc((size_t)n + 4, sizeof(*argv));
    struct answer_file to = {.f = open_memstream(&said->answer, &answer_size)};
    FILE *const memory = to.f, *const notes = open_memstream(&said->notes, &notes_size);
    struct work work = {.watcher = {0}};
    struct question q;
    struct problem *problem;
    bool has_format = false;
    int argc = 0;

    argv[argc++] = "logp";
    for (int i = 0; i < n; i++) {
        argv[argc++] = words[i];
        has_format |= strcmp(words[i], "--format") == 0 || strcmp(words[i], "--export") == 0;
    }
    if (has_filter(row) && !has_format) {
        argv[argc++] = "--format";
        argv[argc++] = "json";
    }
    say_to(notes);
    begin_question(&q, vocabulary());
    q.work = &work;
    problem = answer_line(&q, argc, argv, &to);
    said->problem = problem != NULL ? problem_line(&q, problem) : strdup("");
    said->code = answer_close(&to, problem != NULL ? problem->code : EXIT_OK, false);
    free(problem);
    end_work(&work);
    end_question(&q);
    say_to(stderr);
    fclose(memory);
    fclose(notes);
    free(argv);
}

/* Set the variables of all options, or unset them (NULL). */
static void set_all(const char *value)
{
    struct option_facts option;
    struct question q;
    char variable[32];

    begin_question(&q, vocabulary());
    for (int i = 0; option_facts(&q, i, ~0U, &option); i++)
        if (value != NULL)
            setenv(option_variable(option.option, variable), value, 1);
        else
            unsetenv(option_variable(option.option, variable));
    end_question(&q);
}

/* Set the variable NAME=VALUE, or unset it. */
static void set_variable(char *word, bool set)
{
    char *const value = strchr(word, '=');

    *value = '\0';
    if (strcmp(word, "LOGP_ALL") == 0)
        set_all(set ? value + 1 : NULL);
    else if (set)
        setenv(word, value + 1, 1);
    else
        unsetenv(word);
    *value = '=';
    if (!set)
        setenv("HOME", getenv("dir"), 1);
}

static void try_row(const struct line *row)
{
    struct said said = {0};
    wordexp_t words;
    size_t first = 0;

    if (wordexp(row->command, &words, WRDE_NOCMD | WRDE_UNDEF) != 0) {
        wrong(row, "not a command line", "");
        return;
    }
    for (; first < words.we_wordc && is_variable(words.we_wordv[first]); first++)
        set_variable(words.we_wordv[first], true);
    make_files(row);
    answer(row, (int)(words.we_wordc - first), words.we_wordv + first, &said);
    for (size_t i = 0; i < first; i++)
        set_variable(words.we_wordv[i], false);
    compare(row, &said);
    free(said.answer);
    free(said.problem);
    free(said.notes);
    wordfree(&words);
}

/* ---- the file ---- */

static char *joined(char *before, const char *more)
{
    const size_t n = strlen(before);
    char *both = realloc(before, n + strlen(more) + 2);

    sprintf(both + n, " %s", more);
    return both;
}

static void free_row(struct line *row)
{
    free(row->command);
    for (int k = 0; k < row->n_expected; k++)
        free(row->expected[k]);
}

/* A copy of the text with another text in place of each mark. */
static char *replaced(const char *text, const char *mark, const char *by)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);

    for (const char *at; (at = strstr(text, mark)) != NULL; text = at + strlen(mark))
        fprintf(f, "%.*s%s", (int)(at - text), text, by);
    fputs(text, f);
    fclose(f);
    return out;
}

/* Append the rows that this one stands for, the list-th of its lists {A|B} first, and free it. */
static void append_rows(struct line *rows, size_t *n, struct line *row, int list)
{
    char *begin = row->command, *end, *all, *rest, mark[16];

    for (;; begin++) {
        begin = strchr(begin, '{');
        if (begin == NULL) {
            rows[(*n)++] = *row;
            return;
        }
        end = strchr(begin, '}');
        if (end != NULL && memchr(begin, '|', (size_t)(end - begin)) != NULL)
            break;
    }
    all = strndup(begin, (size_t)(end - begin) + 1);
    rest = strndup(begin + 1, (size_t)(end - begin) - 1);
    snprintf(mark, sizeof(mark), "$%d", list);
    for (char *next = rest, *one; (one = strsep(&next, "|")) != NULL;) {
        struct line copy = {.line = row->line, .n_expected = row->n_expected};

        copy.command = replaced(row->command, all, one);
        for (int k = 0; k < row->n_expected; k++)
            copy.expected[k] = replaced(row->expected[k], mark, one);
        append_rows(rows, n, &copy, list + 1);
    }
    free(all);
    free(rest);
    free_row(row);
}

static struct line *read_rows(const char *path, size_t *n)
{
    FILE *f = fopen(path, "r");
    struct line *rows = calloc(4096, sizeof(*rows)), row = {0};
    char *text = NULL;
    size_t size = 0;
    char *expected;
    int line = 0;

    if (f == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    for (*n = 0; getline(&text, &size, f) >= 0;) {
        line++;
        text[strcspn(text, "\n")] = '\0';
        if (*text == '\0' || *text == '#')
            continue;
        if (*text != ' ') {
            if (row.command != NULL)
                append_rows(rows, n, &row, 1);
            expected = strstr(text, "   ");
            if (expected != NULL)
                *expected = '\0';
            row = (struct line){.line = line, .command = strdup(text)};
            if (expected != NULL)
                row.expected[row.n_expected++] = strdup(expected + 3);
        } else if (strncmp(text, "    ", 4) == 0) {
            char **last = row.n_expected > 0 ? &row.expected[row.n_expected - 1] : &row.command;

            *last = joined(*last, text + 4);
        } else {
            row.expected[row.n_expected++] = strdup(text + 2);
        }
    }
    if (row.command != NULL)
        append_rows(rows, n, &row, 1);
    free(text);
    fclose(f);
    return rows;
}

static void free_rows(struct line *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free_row(&rows[i]);
    free(rows);
}

/* Forget the variables of whoever runs the test, and the config file. */
static void forget_variables(void)
{
    for (char **v = environ; *v != NULL;)
        if (strncmp(*v, "LOGP_", 5) == 0 || strncmp(*v, "XDG_", 4) == 0) {
            char name[256];

            snprintf(name, sizeof(name), "%.*s", (int)strcspn(*v, "="), *v);
            unsetenv(name);
            v = environ;
        } else {
            v++;
        }
    setenv("HOME", getenv("dir"), 1);
}

/* Let jq look at all answers that have a filter. */
static void check_filters(void)
{
    char *const program = strdup(path_of("program")), *const answers = strdup(path_of("answers"));
    char *const kept = strdup(path_of("all_kept")), *const result = strdup(path_of("result"));
    FILE *f;
    int i;

    fputs("empty)\n", filters.program);
    fclose(filters.program);
    fclose(filters.answers);
    fclose(filters.kept);
    if (!run_jq((char *[]){"jq", "-n", "-f", program, "--slurpfile", "d", answers, "--slurpfile",
                           "each", kept, NULL},
                result)) {
        printf("%s: jq failed: a filter that is none, or jq is not installed\n", file_name);
        n_wrong++;
    }
    f = fopen(result, "r");
    while (f != NULL && fscanf(f, "%d", &i) == 1)
        wrong(filters.rows[i], "not true of the answer", filters.texts[i]);
    if (f != NULL)
        fclose(f);
    free(program);
    free(answers);
    free(kept);
    free(result);
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

/* With AddressSanitizer, too, a request for more memory than there is fails. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

int main(int argc, char **argv)
{
    char dir[] = "/tmp/logp-lines-XXXXXX";
    struct line *rows;
    size_t n;

    if (argc != 4 || mkdtemp(dir) == NULL) {
        fputs("usage: lines FILE INPUTS PLUGIN\n", stderr);
        return EXIT_FAILURE;
    }
    file_name = argv[1];
    setenv("dir", dir, 1);
    forget_variables();
    setenv("inputs", argv[2], 1);
    setenv("plugin", argv[3], 1);
    setenv("built", dirname(argv[3]), 1);
    filters.program = fopen(path_of("program"), "w");
    filters.answers = fopen(path_of("answers"), "w");
    filters.kept = fopen(path_of("all_kept"), "w");
    fputs("def data: capture(\"<script type=\\\"application/json\\\" id=\\\"data\\\">\"\n"
          "                  + \"(?<data>[^\\n]*)</script>\").data | fromjson;\n"
          "($each | add) as $kept | (\n",
          filters.program);
    rows = read_rows(argv[1], &n);
    for (size_t i = 0; i < n; i++)
        try_row(&rows[i]);
    check_filters();
    free_rows(rows, n);
    nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    printf("%zu command lines, %d wrong\n", n, n_wrong);
    return n_wrong == 0 && n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

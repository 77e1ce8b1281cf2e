/* SPDX-License-Identifier: MIT */
/* Questions: of words and of JSON, one after the other in one process. */
#include "commands/command.h"
#include "question/choice/choice.h"
#include "question/schedule/schedule.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 24 };

/* Make the question of a command line, without "logp" and with one blank between words. */
static struct problem *ask(struct question *q, const char *line)
{
    char **words, *rest;
    int n = 0;

    begin_question(q, vocabulary());
    words = kept_by(q, calloc(MOST, sizeof(*words)), free);
    words[n++] = (char *)"logp";
    rest = kept_by(q, strdup(line), free);
    while (rest != NULL && *rest != '\0' && n < MOST - 1)
        words[n++] = strsep(&rest, " ");
    return question_of_words(q, n, words);
}

/* What a question became: its JSON, values, algorithms and notes, or its problem. To be freed */
static char *outcome(struct question *q, struct problem *problem, FILE *f, char *const *text)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    static const struct names none;
    struct logp_invocation c;
    const char *collective;
    size_t n = 0;

    if (problem == NULL && (q->line.sets & OPTIONS_MODEL) != 0 &&
        (q->line.sets & OPTIONS_SWEEP) == 0 && (q->what.list != NULL || q->line.n_words > 1)) {
        problem = named_collective(q, &collective);
        if (problem == NULL)
            problem = make_invocation(q, collective, &c);
        if (problem == NULL)
            problem = choose_algorithms(q, collective, &c, chosen, &n);
    }
    for (size_t i = 0; problem == NULL && i < n; i++)
        fprintf(f, "%s\n", chosen[i]->name);
    if (problem == NULL) {
        json_t *json = question_json(q);
        char *dump = json_dumps(json, JSON_COMPACT), *given = options_given(q, &none);

        fprintf(f, "%s\n%s\nP = %lld, %lld points\n", dump, given, (long long)q->model.P,
                (long long)sweep_points(q));
        free(dump);
        free(given);
        json_decref(json);
    }
    tell_problem(q, problem);
    end_question(q);
    say_to(NULL);
    return close_text(f, text);
}

static char *outcome_of(const char *line)
{
    struct question q;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    say_to(f);
    return outcome(&q, ask(&q, line), f, &text);
}

/* The same, as JSON and back. */
static char *outcome_by_json(const char *line)
{
    struct question q, again;
    struct problem *problem = ask(&q, line);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    json_t *json;

    cr_assert_null(problem, "%s: %s", line, problem_line(&q, problem));
    json = question_json(&q);
    end_question(&q);
    say_to(f);
    begin_question(&again, vocabulary());
    problem = question_of_json(&again, json);
    json_decref(json);
    return outcome(&again, problem, f, &text);
}

/* ---- each option ---- */

/* Command lines that use options which need more than a value of their help. */
static const char *const special[] = {
    "predict --schedule FILE",
    "predict --schedule FILE --as broadcast",
    "predict broadcast --schedules .",
    "predict broadcast --nodes 2x4 --inter L=90us,g=2us",
    "predict broadcast --link 0-1:L=9 --link 2-3:g=7",
    "run broadcast --topology ring",
    "run broadcast --plugin none",
    "run broadcast --fault delay:2",
    "run broadcast --noise uniform:5us --seed 3",
    "predict broadcast --unit 5us --rendezvous 64 --gap shared",
    "predict reduce_scatter --counts 1,2,3 -P 3",
    "predict transpose --rows 8 --cols 16 --packing none",
    "bench broadcast --clock virtual -P 2,4,8 -L 1..4 --output records.csv --restart",
    "bench broadcast --against name --fail-on slower --precision 2% --limit 5s",
    "bench broadcast --save name --plot curves.svg --size 800x600 --title text --scale log,linear",
    "bench crossover alltoall -G 0.01 --measure",
    "trace --replay file.replay --diff",
    "trace broadcast --predicted --from 5 --to 15 --only 0,2-5",
    "tune --export openmpi -P 4..16*2 --bytes 1..64Ki",
    "measure --pairs all --delay none",
    "validate broadcast --on host --fit",
    "mpirun -n 4 --trace run.svg --report run.html --check fail --checksum --tag-output program x",
    "mpirun -P 4 --clock virtual --compute x0.5 --stack 1MiB --explore 10 --faults 2 program",
    "mpirun -P 4 --clock virtual --epoch 2024-02-29 --real-clocks program",
    "mpirun -P 4 --storage latency=1ms,bandwidth=2GiB/s,servers=4 program",
    "predict broadcast -P 4 --ports 2",
    "predict barrier --nodes 2x2x2 --inter L=9 --inter L=7",
    "tune broadcast -P 4 --arrival none,exp:5us --seed 3",
    "explore -P 2 --runs 5 --strategy pct --depth 2 --misses 1 --sends varied program",
    "explore -P 2 --most-steps 100 program",
    "explore -P 2 --must-end --leaves-messages --leaves-requests --as-found program",
    "explore -P 2 --faults restarts=1 --fault-places ranks=1 program",
    "predict broadcast -P 4 --arrival late@1:5us -O 0.5ns --delay loggops",
    "mpirun -P 4 --nodes 2x2 program",
    "mpirun -P 4 --dry-run program",
    "mpirun -P 4 --gdb program",
    "mpirun -P 4 --share libz --private libm program",
    "bench broadcast --raw raw.csv --disturbed-by 5us",
    "run broadcast --cores 0 --place round-robin --timeout 5s --queue-limit 1MiB --executor fiber",
    ("run broadcast --transport mailbox --watch --progress off --ranks --explain --reps 3 --warmup "
     "0"),
    "predict broadcast --explain --format json --by schedule --color never -q",
    ("run broadcast --clock virtual --machine none -L 5 -o 2us -g 3 --o-send 1 --o-recv 2 "
     "--capacity"),
    "predict allreduce --op max --type int32 --gamma 5ns --count 4 --same-results no -G 10GB/s",
    "predict reduce --root 3 --algo binomial --bytes 64 --verbose --delay loggp",
};

static const char steps[] =
    "{\"P\":2,\"ranks\":[[{\"op\":\"send\",\"peer\":1,\"bytes\":8,\"tag\":0,"
    "\"at\":{\"buffer\":\"buf\",\"offset\":0,\"length\":8}}],"
    "[{\"op\":\"recv\",\"peer\":0,\"bytes\":8,\"tag\":0,"
    "\"at\":{\"buffer\":\"buf\",\"offset\":0,\"length\":8}}]]}";

/* A file with this text, whose path is set. */
static void write_file(char path[32], const char *text)
{
    FILE *f;
    int fd;

    strcpy(path, "/tmp/question-XXXXXX");
    fd = mkstemp(path);
    cr_assert(fd >= 0);
    f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
}

/* The line, with a path in place of FILE. */
static const char *with_file(const char *line, const char *path, char out[256])
{
    const char *at = strstr(line, "FILE");

    if (at == NULL)
        snprintf(out, 256, "%s", line);
    else
        snprintf(out, 256, "%.*s%s%s", (int)(at - line), line, path, at + 4);
    return out;
}

Test(question, is_the_same_by_json)
{
    char path[32], line[256];

    setenv("LOGP_MPIRUN", "", 1); /* or mpirun would start this process again */
    write_file(path, steps);
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
        char *words = outcome_of(with_file(special[i], path, line)), *json = outcome_by_json(line);

        cr_expect_str_eq(words, json, "%s:\n%s%s", line, words, json);
        free(words);
        free(json);
    }
    unlink(path);
}

/* Whether a line above has the option, or a parameter of an algorithm is set by JSON. */
static bool is_covered(const struct option_facts *f)
{
    char of_knob[256];
    const struct logp_algorithm *a;

    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
        const char *at = strstr(special[i], f->option);
        const size_t n = strlen(f->option);

        if (at != NULL && (at[n] == ' ' || at[n] == '\0'))
            return true;
        if (strcmp(f->option, "--quiet") == 0 && strstr(special[i], " -q") != NULL)
            return true;
    }
    for (size_t i = 0; (a = logp_algorithm_at(NULL, i)) != NULL; i++) {
        const struct logp_knob *knob = logp_knob_find(f->option + 2);
        char *words, *json;

        if (knob == NULL || !logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL) ||
            strcmp(a->collective, "schedule") == 0)
            continue;
        snprintf(of_knob, sizeof(of_knob), "run %s --algo %s %s %s", a->collective, a->name,
                 f->option, knob->words != NULL ? knob->words->word : "1");
        words = outcome_of(of_knob);
        json = outcome_by_json(of_knob);
        cr_expect_str_eq(words, json, "%s", of_knob);
        free(words);
        free(json);
        return true;
    }
    return false;
}

Test(question, has_each_option)
{
    struct option_facts f;
    struct question q;
    int n = 0;

    begin_question(&q, vocabulary());
    for (int i = 0; option_facts(&q, i, ~0u, &f); i++, n++)
        cr_expect(is_covered(&f), "%s", f.option);
    cr_assert_gt(n, 80);
    end_question(&q);
}

/* ---- what presets it ---- */

Test(question, keeps_what_the_environment_sets)
{
    struct question q, again;
    json_t *json;

    setenv("LOGP_P", "5", 1);
    setenv("LOGP_ROOT", "3", 1); /* of no use to a barrier */
    cr_assert_null(ask(&q, "predict barrier -L 9"));
    cr_assert_eq(q.model.P, 5);
    json = question_json(&q);
    end_question(&q);
    setenv("LOGP_P", "7", 1);
    begin_question(&again, vocabulary());
    cr_assert_null(question_of_json(&again, json));
    cr_expect_eq(again.model.P, 5);
    cr_expect(option_is_preset(&again, "P"));
    cr_expect(option_on_command_line(&again, "L"));
    end_question(&again);
    json_decref(json);
}

/* ---- problems ---- */

static void expect_problem(struct question *q, struct problem *p, const char *expected)
{
    char *line;

    cr_assert_not_null(p, "%s", expected);
    line = problem_line(q, p);
    cr_expect_eq(p->code, EXIT_USAGE);
    cr_expect_eq(strncmp(line, expected, strlen(expected)), 0, "%s\n%s", line, expected);
    free(line);
    free(p);
    end_question(q);
}

Test(question, has_problems_of_words)
{
    static const struct {
        const char *line, *problem;
    } wrong[] = {
        {"run broadcast -P 0", "-P 0: must be a number of processors"},
        {"run broadcast --root 9", "--root 9: must be a rank, 0 .. 7"},
        {"run broadcast --foo 9", "--foo: no such option"},
        {"run broadcast -P", "-P: needs a value"},
        {"runn broadcast", "runn: no such command; did you mean run?"},
        {"run barrier --root 1", "barrier does not use --root"},
        {"tune -P 4 --output", "--output: needs a value"},
        {"predict broadcast --link 0-1:L=9,L=8", "--link L=9,L=8: L once"},
        {"predict broadcast --machine nothing", "--machine nothing: one of: none"},
        {"predict broadcast --topology rin", "--topology rin: did you mean ring?"},
        {"predict --schedule /none", "--schedule /none: cannot read it"},
        {"run broadcast --format png", "--format png: "},
        {"bench broadcast -P 1..900 -L 1..900", "-L 1..900: must be fewer values"},
        {"a b c d e f g h i", "i: too many words"},
    };
    struct question q;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct problem *p = ask(&q, wrong[i].line);

        expect_problem(&q, p, wrong[i].problem);
    }
    setenv("LOGP_ROOT", "9", 1);
    expect_problem(&q, ask(&q, "run broadcast"), "LOGP_ROOT '9': must be a rank, 0 .. 7");
}

Test(question, has_problems_of_json)
{
    static const struct {
        const char *json, *problem;
    } wrong[] = {
        {"{}", "\"command\": a text"},
        {"{\"command\": \"runn\"}", "runn: no such command"},
        {"{\"command\": \"run\", \"words\": 5}", "\"words\": an array of words"},
        {"{\"command\": \"run\", \"words\": [5]}", "\"words\": an array of words"},
        {"{\"command\": \"run\", \"options\": []}", "\"options\": an object of options"},
        {"{\"command\": \"run\", \"options\": {\"Q\": \"8\"}}", "Q: no such option"},
        {"{\"command\": \"run\", \"options\": {\"P\": 8}}", "\"options\": \"P\": a text"},
        {"{\"command\": \"run\", \"options\": {\"P\": \"x\"}}",
         "-P x: must be a number of processors"},
        {"{\"command\": \"list\", \"options\": {\"P\": \"8\"}}",
         "-P: not an option of logp list; see logp list --help"},
        {"{\"command\": \"run\", \"presets\": {\"P\": \"x\"}}", "LOGP_P 'x': must be a number"},
    };
    struct question q;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        json_t *json = json_loads(wrong[i].json, 0, NULL);

        cr_assert_not_null(json, "%s", wrong[i].json);
        begin_question(&q, vocabulary());
        expect_problem(&q, question_of_json(&q, json), wrong[i].problem);
        json_decref(json);
    }
}

/* ---- many in one process ---- */

static const char *const many[] = {
    "predict broadcast",
    "predict broadcast --algo search -P 3 -L 3",
    "predict broadcast --algo all -P 7",
    "predict broadcast --algo serch",
    "run allreduce --algo all --type float",
    "run allreduce --algo all --type float --quiet",
    "predict allreduce --algo all --type int32",
    "bench broadcast -P 2,4 -L 1..3",
    "predict broadcast --link 0-1:L=9",
    "predict broadcast --link 0-9:L=9",
    "predict broadcast --topology ring -P 6",
    "predict alltoall --counts 3,4",
    "predict --schedule FILE",
    "predict --schedule FILE --as gather",
    "predict --schedule FILE --as broadcast",
    "predict summation --op max",
    "predict summation --type float",
    "tree broadcast -P 0",
    "predict broadcast --machine x",
    "run broadcast --verbose",
    "run barrier -P 4 --delay none --rendezvous 1",
};

enum { MANY = sizeof(many) / sizeof(many[0]) };

/* The outcome in a process of its own. */
static char *outcome_alone(const char *line)
{
    int ends[2];
    char *text = calloc(1, 1 << 16);
    ssize_t n = 0, got;

    cr_assert_eq(pipe(ends), 0);
    if (fork() == 0) {
        const char *own = outcome_of(line);

        _exit(write(ends[1], own, strlen(own)) < 0);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + n, (size_t)((1 << 16) - 1 - n))) > 0)
        n += got;
    close(ends[0]);
    wait(NULL);
    return text;
}

Test(question, is_the_same_after_others)
{
    char path[32], lines[MANY][256], *alone[MANY];
    size_t at_first = 0;

    write_file(path, steps);
    for (int i = 0; i < MANY; i++)
        alone[i] = outcome_alone(with_file(many[i], path, lines[i]));
    for (int round = 0; round < 9; round++) {
        for (int i = 0; i < MANY; i++) {
            const int at = (i * (round + 1) + round) % MANY;
            char *text = outcome_of(lines[at]);

            cr_expect_str_eq(text, alone[at], "%s:\n%s\n%s", lines[at], text, alone[at]);
            free(text);
        }
        if (round == 5)
            at_first = mallinfo2().uordblks;
    }
    /* the bound: what the C library keeps for later counts as used */
    cr_expect_lt(mallinfo2().uordblks, at_first + 512 * 3 * MANY);
    for (int i = 0; i < MANY; i++)
        free(alone[i]);
    unlink(path);
}

/* ---- a file that is read ---- */

static void keep_part(void *arg, double part)
{
    *(double *)arg = part;
}

/* A GOAL file says which part of it has been read. */
Test(question, reading_a_schedule_is_watched)
{
    const struct logp_step_list *list;
    struct question q;
    double part = 0;
    char path[32];

    write_file(path, "num_ranks 1\nrank 0 {\ncalc 5\n}\n");
    begin_question(&q, vocabulary());
    q.what.read_progress = keep_part;
    q.what.graph_progress_arg = &part;
    cr_assert_null(read_schedule(&q, "--schedule", path, &list));
    cr_expect_eq(part, 1.0);
    end_question(&q);
    unlink(path);
}

/* ---- ranges of sizes ---- */

enum { TURNS_FROM = 1000, TURNS_TO = 50000, LARGEST = 100000 };

/* Two candidates: 0 is the best below TURNS_FROM, 1 from TURNS_TO on, and between they are in turns. */
static int64_t in_turns_time(void *of, int64_t candidate, int64_t size)
{
    const bool apart = size < TURNS_FROM || size >= TURNS_TO;
    const int64_t wins = apart ? size >= TURNS_TO : size % 2;

    ++*(int *)of;
    return 10 * size + (candidate != wins) * (apart ? 1000000 : 1);
}

static int64_t in_turns_best(void *of, int64_t size)
{
    return in_turns_time(of, 1, size) < in_turns_time(of, 0, size);
}

Test(question, two_that_are_the_best_in_turns_are_not_looked_at_everywhere)
{
    const int64_t sizes[] = {1, LARGEST};
    int looks = 0;
    const struct contest contest = {in_turns_best, in_turns_time, &looks};
    struct reigns all;

    find_reigns(&contest, sizes, 2, &all);
    cr_assert_eq(all.n, 2);
    cr_expect(all.reign[0].from == 1 && all.reign[0].best == 0);
    cr_expect(all.reign[1].best == 1 && all.reign[1].to == LARGEST);
    cr_expect(all.reign[1].from >= TURNS_FROM && all.reign[1].from <= TURNS_FROM + TURNS_FROM / 25,
              "%ld", (long)all.reign[1].from);
    cr_expect(all.reign[1].settled >= TURNS_TO - TURNS_TO / 25 && all.reign[1].settled <= TURNS_TO,
              "%ld", (long)all.reign[1].settled);
    cr_expect_lt(looks, 5000, "%d", looks);
    free(all.reign);
}

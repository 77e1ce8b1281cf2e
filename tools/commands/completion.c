/* SPDX-License-Identifier: MIT */
/*
 * logp completion: the scripts that bash, zsh and fish load to complete the command line. They
 * call the command itself,
 *
 *     logp complete WORD...
 *
 * with the words after `logp`, up to the one at the cursor. It prints the candidates for
 * that word, one a line: the word, a tab and its meaning; or ":files" where it may be the
 * name of a file. So all candidates come from the tables: the commands, their arguments, the
 * options, the algorithms.
 */
#include "commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words typed so far. */
struct typed {
    const char *words[3]; /* the first that are neither options nor their values */
    int n;
    const char *option; /* the option whose value is at the cursor; "": none */
    const char *begin;  /* the part of the word at the cursor that is typed */
    FILE *f;            /* where candidates go */
    char before[256];   /* of the same word, before a candidate: "--algo=flat," */
};

/* ---- candidates ---- */

static void offer(const struct typed *t, const char *word, const char *meaning)
{
    if (strncmp(word, t->begin, strlen(t->begin)) == 0)
        fprintf(t->f, "%s%s\t%s\n", t->before, word, meaning);
}

static void offer_files(const struct typed *t)
{
    fputs(":files\n", t->f);
}

/* Offer the words of a list such as "a, b or c". Of a form ("mesh:RxC",
 * "mesh[:RxC]") only the name. */
static void offer_list(const struct typed *t, const char *words)
{
    char list[MAX_LIST], *save = NULL;

    snprintf(list, sizeof(list), "%s", words);
    for (char *w = strtok_r(list, ", ", &save); w != NULL; w = strtok_r(NULL, ", ", &save)) {
        w[strcspn(w, ":[")] = '\0';
        if (strcmp(w, "or") != 0)
            offer(t, w, "");
    }
}

static void offer_commands(const struct typed *t)
{
    const struct command *c;

    for (size_t i = 0; (c = command_at(i)) != NULL; i++)
        offer(t, c->name, c->summary);
    offer(t, "help", "all options of a command");
    offer(t, "--help", "the most used commands and options");
    offer(t, "--version", "version, commit, compiler, MPIs and rsvg-convert");
}

static void offer_arguments(const struct typed *t, const struct command *c)
{
    const struct names names = c->words != NULL ? c->words() : (struct names){0};
    const struct logp_collective *collective;

    if (strstr(c->arguments, "FILE") != NULL)
        offer_files(t);
    if (strstr(c->arguments, "COLLECTIVE") != NULL)
        for (size_t i = 0; (collective = logp_collective_at(i)) != NULL; i++)
            offer(t, collective->name, collective->summary);
    for (int i = 0; i < names.n; i++)
        offer(t, names.name[i], "");
    if (c->under != NULL)
        offer(t, strchr(c->under->name, ' ') + 1, c->under->summary);
}

static void offer_options(const struct typed *t, struct question *q, const struct command *c)
{
    struct option_facts f;

    for (int i = 0; option_facts(q, i, options_of(c), &f); i++)
        if ((f.sets & options_of(c)) != 0)
            offer(t, f.option, f.help);
    offer(t, "--help", "all options of this command");
}

/* Offer the algorithms of the named collective, or of all. Each name once. */
static void offer_algorithms(const struct typed *t)
{
    const char *of = t->n > 1 && logp_collective_find(t->words[1]) != NULL ? t->words[1] : NULL;
    const struct logp_algorithm *a;
    struct names seen = {0};

    for (size_t i = 0; (a = logp_algorithm_at(of, i)) != NULL; i++) {
        if (find_name(&seen, a->name) < 0)
            offer(t, a->name, a->summary);
        add_name(&seen, a->name);
    }
}

static void offer_values(const struct typed *t, struct question *q, const struct command *c)
{
    struct option_facts f;

    for (int i = 0; option_facts(q, i, options_of(c), &f); i++) {
        if (strcmp(f.option, t->option) != 0 || (f.sets & options_of(c)) == 0)
            continue;
        offer_list(t, f.words);
        if (strcmp(f.option, "--algo") == 0)
            offer_algorithms(t);
        if (f.value != NULL && strstr(f.value, "FILE") != NULL)
            offer_files(t);
    }
}

/* ---- the words typed so far ---- */

/* Whether an option of this name takes a value. */
static bool takes_value(const struct question *q, const char *option, size_t length)
{
    struct option_facts f;

    for (int i = 0; option_facts(q, i, 0, &f); i++)
        if (strlen(f.option) == length && strncmp(f.option, option, length) == 0)
            return f.value != NULL;
    return false;
}

static void put_before(struct typed *t, const char *text, size_t length)
{
    const size_t n = strlen(t->before);

    snprintf(t->before + n, sizeof(t->before) - n, "%.*s", (int)length, text);
}

/* A word at the cursor may hold an option and its value, and several of its values. */
static void split_last(struct typed *t, const struct question *q, char *word)
{
    char *equals = strchr(word, '='), *comma;

    if (word[0] == '-' && equals != NULL && takes_value(q, word, (size_t)(equals - word))) {
        put_before(t, word, (size_t)(equals + 1 - word));
        *equals = '\0';
        t->option = word;
        word = equals + 1;
    }
    comma = *t->option != '\0' ? strrchr(word, ',') : NULL;
    if (comma != NULL) {
        put_before(t, word, (size_t)(comma + 1 - word));
        word = comma + 1;
    }
    t->begin = word;
}

/* bash takes "=" for a word of its own. */
static struct typed look_at(const struct question *q, int n, char **words)
{
    struct typed t = {.option = "", .begin = ""};

    for (int i = 0; i < n - 1; i++) {
        const bool valued = takes_value(q, words[i], strlen(words[i]));

        if (valued && i + 1 < n - 1 && strcmp(words[i + 1], "=") == 0)
            words[++i][0] = '\0', t.option = words[i - 1];
        else if (valued)
            t.option = words[i];
        else if (words[i][0] != '-' && *t.option == '\0' && t.n < 3)
            t.words[t.n++] = words[i];
        else
            t.option = "";
        if (t.n == 1 && strcmp(t.words[0], "help") == 0)
            t.n = 0;
    }
    if (n > 0)
        split_last(&t, q, strcmp(words[n - 1], "=") == 0 ? words[n - 1] + 1 : words[n - 1]);
    return t;
}

static const struct command *find_command(struct typed *t)
{
    const struct command *c;
    size_t i = 0;

    while ((c = command_at(i)) != NULL && strcmp(c->name, t->words[0]) != 0)
        i++;
    if (c == NULL || c->under == NULL || t->n < 2 ||
        strcmp(t->words[1], strchr(c->under->name, ' ') + 1) != 0)
        return c;
    t->words[1] = t->words[2];
    t->n--;
    return c->under;
}

struct problem *complete_words(struct question *q, int n, char **words, FILE *f)
{
    struct typed t = look_at(q, n, words);
    const struct command *c;

    t.f = f;
    c = t.n > 0 ? find_command(&t) : NULL;
    if (t.n == 0)
        offer_commands(&t);
    if (c == NULL)
        return NULL;
    q->line.answer = c->answer;
    if (*t.option != '\0')
        offer_values(&t, q, c);
    else if (*t.begin == '-')
        offer_options(&t, q, c);
    else if (t.n == 1)
        offer_arguments(&t, c);
    else if (strstr(c->arguments, " A B") != NULL)
        offer_algorithms(&t);
    return NULL;
}

/* ---- the scripts of the shells ---- */

static const char bash[] =
    "# Completion of logp for bash: logp completion bash\n"
    "_logp() {\n"
    "    local line\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        if [[ $line == :files ]]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$2\")\n"
    "        else\n"
    "            COMPREPLY+=(\"${line%%$'\\t'*}\")\n"
    "        fi\n"
    "    done < <(\"$1\" complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _logp logp\n";

static const char zsh[] =
    "#compdef logp\n"
    "# Completion of logp for zsh: logp completion zsh\n"
    "local line\n"
    "local -a candidates\n"
    "for line in ${(f)\"$(${(Q)words[1]} complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"}; do\n"
    "    if [[ $line == :files ]]; then\n"
    "        _files\n"
    "    else\n"
    "        candidates+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    fi\n"
    "done\n"
    "_describe logp candidates\n";

static const char fish[] =
    "# Completion of logp for fish: logp completion fish\n"
    "function __logp_words\n"
    "    set -l words (commandline -opc)\n"
    "    set -l last (commandline -ct)\n"
    "    for line in ($words[1] complete $words[2..-1] \"$last\" 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path \"$last\"\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c logp -f -k -a '(__logp_words)'\n";

static struct names shells(void)
{
    return (struct names){{"bash", "zsh", "fish"}, 3};
}

static struct problem *completion(struct question *q, struct answer_file *to)
{
    static const char *const scripts[] = {bash, zsh, fish};
    const struct names names = shells();
    char list[MAX_LIST];
    int which;

    if (q->line.n_words != 2)
        return usage_problem("completion: for which shell? %s", one_of(&names, NULL, list));
    which = find_name(&names, q->line.words[1]);
    if (which < 0)
        return usage_problem("completion %s: %s", q->line.words[1],
                             one_of(&names, q->line.words[1], list));
    fputs(scripts[which], to->f);
    return NULL;
}

const struct command command_completion = {
    .name = "completion",
    .arguments = "SHELL",
    .summary = "print the completion of the command line for bash, zsh or fish",
    .remark = "In this shell:  source <(logp completion bash)\n"
              "In zsh:         logp completion zsh >_logp, in a folder of $fpath\n"
              "In fish:        logp completion fish >~/.config/fish/completions/logp.fish",
    .call = completion,
    .words = shells,
};

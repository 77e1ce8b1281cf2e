/* SPDX-License-Identifier: MIT */
/*
 * Options of the mpirun of Open MPI and of MPICH, which scripts have: each is taken, is written as an option of `logp
 * mpirun`, has no meaning where all ranks are of one process, or is refused with the reason. Both write long names with
 * one dash, too.
 */
#include "commands/command.h"
#include "question/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum effect {
    NO_EFFECT,  /* no rank is elsewhere, and the runtime places them */
    EXPORT,     /* NAME or NAME=VALUE */
    SET,        /* NAME VALUE */
    FOLDER,     /* the working directory */
    INSTEAD,    /* it is this option here */
    PER_NODE,   /* it is this number of ranks of a node */
    OTHER_HOST, /* only this host's name is taken */
    REFUSED
};

static const struct foreign {
    const char *names; /* separated by blanks */
    int n_values;
    enum effect effect;
    const char *text; /* the option, or why it is refused */
} foreign[] = {
    {"oversubscribe nooversubscribe allow-run-as-root use-hwthread-cpus report-bindings "
     "display-map "
     "display-allocation bind-to-core bind-to-socket bind-to-none bycore bynode byslot nolocal "
     "localonly "
     "genvall envall enable-recovery disable-recovery",
     0, NO_EFFECT, NULL},
    {"bind-to map-by rank-by prefix launcher launcher-exec iface rmk binding membind genvlist "
     "envlist",
     1, NO_EFFECT, NULL},
    {"mca gmca pmixmca prtemca", 2, NO_EFFECT, NULL},
    {"x", 1, EXPORT, NULL},
    {"genv env", 2, SET, NULL},
    {"wdir wd", 1, FOLDER, NULL},
    {"l prepend-rank", 0, INSTEAD, "--tag-output"},
    {"gdb", 0, INSTEAD, "--gdb"},
    {"version", 0, INSTEAD, "--version"},
    {"c", 1, INSTEAD, "-P"},
    {"ppn perhost npernode N", 1, PER_NODE, NULL},
    {"pernode", 0, PER_NODE, "1"},
    {"host H hosts", 1, OTHER_HOST, NULL},
    {"hostfile machinefile default-hostfile f", 1, REFUSED,
     "all ranks run on this host; with --nodes 2x4 some of them share a node, --transport mpi "
     "runs over processes of "
     "an MPI"},
    {"output-filename outfile-pattern errfile-pattern", 1, REFUSED,
     "redirect the output of this command; --tag-output puts the rank before each line"},
    {"stdin", 1, REFUSED, "stdin is that of rank 0"},
    {"app configfile", 1, REFUSED, "write the programs in one line, with : between them"},
    {"cpu-set cpu-list cpus-per-proc cpus-per-rank", 1, REFUSED,
     "type --cores LIST for the cores to use"},
    {"xterm", 1, REFUSED, "type --gdb for a debugger"},
};

/* @return NULL: the others have no such option */
static const struct foreign *find_foreign(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        for (const char *name = foreign[i].names; *name != '\0'; name += strspn(name, " ")) {
            const size_t n = strcspn(name, " ");

            if (n == length && memcmp(name, word, n) == 0)
                return &foreign[i];
            name += n;
        }
    return NULL;
}

/* Whether an option of logp is followed by its value. */
static bool takes_value(const char *word)
{
    const char *name = word + (word[1] == '-' ? 2 : 1);
    const size_t length = strcspn(name, "=");

    if (name[length] == '=')
        return false;
    if (word[1] != '-' && strcmp(name, "n") != 0 && strcmp(name, "np") != 0 && length > 1)
        return false; /* -P4 */
    if (word[1] != '-' && *name == 'n')
        return true;
    for (int i = 0; i < n_option_rows; i++)
        if (strncmp(option_rows[i]->name, name, length) == 0 &&
            (word[1] == '-' || option_rows[i]->name[1] == '\0'))
            return option_rows[i]->value != NULL;
    return false;
}

static bool is_this_host(const char *list)
{
    char own[256] = "";

    gethostname(own, sizeof(own) - 1);
    for (const char *name = list; *name != '\0'; name += *name == ',') {
        const size_t n = strcspn(name, ",:");

        if ((n != strlen("localhost") || memcmp(name, "localhost", n) != 0) &&
            (n != strlen("127.0.0.1") || memcmp(name, "127.0.0.1", n) != 0) &&
            (n != strlen(own) || memcmp(name, own, n) != 0))
            return false;
        name += strcspn(name, ",");
    }
    return true;
}

/* Set NAME=VALUE, or NAME, which is set or not. */
static struct problem *export(const char *word, const char *text)
{
    char *name = need(strdup(text)), *value = strchr(name, '=');
    struct problem *problem = NULL;

    if (*name == '\0' || value == name)
        problem = usage_problem("mpirun: %s %s: NAME or NAME=VALUE", word, text);
    if (value != NULL && problem == NULL) {
        *value = '\0';
        setenv(name, value + 1, 1);
    }
    free(name);
    return problem;
}

/* Add the words that an option has here. */
static struct problem *take(const struct question *q, const struct foreign *f, char *word,
                            char *const *values, char **out, int *n)
{
    static const char nodes[] = "--nodes";
    char *text;

    switch (f->effect) {
    case EXPORT:
        return export(word, values[0]);
    case SET:
        if (*values[0] == '\0' || setenv(values[0], values[1], 1) != 0)
            return usage_problem("mpirun: %s '%s': a name and a value", word, values[0]);
        return NULL;
    case FOLDER:
        return chdir(values[0]) == 0
                   ? NULL
                   : usage_problem("mpirun: %s %s: %s", word, values[0], strerror(errno));
    case INSTEAD:
        out[(*n)++] = (char *)f->text;
        if (f->n_values == 1)
            out[(*n)++] = values[0];
        return NULL;
    case PER_NODE:
        text = kept_by(q, need(malloc(strlen(f->text != NULL ? f->text : values[0]) + 3)), free);
        sprintf(text, "*x%s", f->text != NULL ? f->text : values[0]);
        out[(*n)++] = (char *)nodes;
        out[(*n)++] = text;
        return NULL;
    case OTHER_HOST:
        if (is_this_host(values[0]))
            return NULL;
        return usage_problem(
            "mpirun: %s %s: all ranks run on this host; remove it: with --nodes "
            "2x4 some of them share a node, --transport mpi runs over processes of an MPI",
            word, values[0]);
    case REFUSED:
        return usage_problem("mpirun: %s is not an option of logp mpirun; remove it: %s", word,
                             f->text);
    default:
        return NULL;
    }
}

struct problem *take_foreign_options(const struct question *q, int *argc, char ***argv)
{
    char **const in = *argv,
                 **out = kept_by(q, need(malloc((size_t)(2 * *argc + 1) * sizeof(*out))), free);
    int i = 2, n = 2;

    out[0] = in[0];
    out[1] = in[1];
    while (i < *argc && in[i][0] == '-' && in[i][1] != '\0' && strcmp(in[i], "--") != 0) {
        char *word = in[i++], *values[2] = {NULL, NULL};
        const char *name = word + (word[1] == '-' ? 2 : 1);
        const size_t length = strcspn(name, "=");
        const struct foreign *f = find_foreign(name, length);

        if (f == NULL) {
            out[n++] = word;
            if (takes_value(word) && i < *argc)
                out[n++] = in[i++];
            continue;
        }
        for (int k = 0; k < f->n_values; k++)
            if (k == 0 && name[length] == '=')
                values[k] = word + (name - word) + length + 1;
            else if (i < *argc)
                values[k] = in[i++];
            else
                return usage_problem("mpirun: %s: needs %s", word,
                                     f->n_values == 2 ? "two values" : "a value");
        TRY(take(q, f, word, values, out, &n));
    }
    while (i < *argc)
        out[n++] = in[i++];
    out[n] = NULL;
    *argc = n;
    *argv = out;
    return NULL;
}

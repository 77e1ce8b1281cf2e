/* SPDX-License-Identifier: MIT */
/*
 * Variables of the C library that each rank has for itself. An executable refers to such a variable
 * by a symbol, or it has a copy of it (an R_*_COPY relocation). In the first case the symbol in the
 * rank's copy of the executable becomes an absolute address, that of the rank's own variable; so it
 * is there before the first constructor runs. In the second case the copy is the rank's own.
 */
#include "host.h"

#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    size_t offset, size; /* in struct variables */
} variables[N_VARIABLES] = {
#define VARIABLE(name, field)                                                                      \
    {                                                                                              \
        name, offsetof(struct variables, field), sizeof(((struct variables *)NULL)->field)         \
    }
    VARIABLE("optarg", optarg),         VARIABLE("optind", optind),
    VARIABLE("opterr", opterr),         VARIABLE("optopt", optopt),
    VARIABLE("stdin", input),           VARIABLE("stdout", output),
    VARIABLE("stderr", error),          VARIABLE("environ", environment),
    VARIABLE("__environ", environment), VARIABLE("_environ", environment),
};

void host_find_variables(struct job *job)
{
    for (int v = 0; v < N_VARIABLES; v++)
        job->symbols[v] = host_symbol_of(job, variables[v].name);
}

static bool is_copy(const Elf64_Sym *symbol)
{
    return symbol != NULL && symbol->st_shndx != SHN_UNDEF;
}

void host_give_variables(const struct job *job, struct host_rank *host)
{
    host->variables = (struct variables){.optind = 1,
                                         .opterr = 1,
                                         .optopt = '?',
                                         .input = host_input_of(job, host),
                                         .output = stdout,
                                         .error = stderr,
                                         .environment = environ};
    for (int v = 0; v < N_VARIABLES; v++) {
        host->at[v] = (char *)&host->variables + variables[v].offset;
        if (job->picture == NULL && job->symbols[v] != NULL && !is_copy(job->symbols[v]))
            host_write_address(host, job->symbols[v], host->at[v]);
    }
}

void host_begin_variables(const struct job *job, struct host_rank *host)
{
    for (int v = 0; v < N_VARIABLES; v++)
        if (is_copy(job->symbols[v])) {
            const void *value = host->at[v];

            host->at[v] = (void *)(host->base + job->symbols[v]->st_value);
            memcpy(host->at[v], value, variables[v].size);
        }
}

void *host_variable_of(const struct host_rank *host, const char *name)
{
    for (int v = 0; v < N_VARIABLES; v++)
        if (strcmp(variables[v].name, name) == 0)
            return host->at[v];
    return NULL;
}

bool host_is_variable(const char *name)
{
    for (int v = 0; v < N_VARIABLES; v++)
        if (strcmp(variables[v].name, name) == 0)
            return true;
    return false;
}

/* Where the executable has a copy, all of its names are that. */
char ***host_environment_of(const struct job *job, const struct host_rank *host)
{
    char ***at = NULL;

    for (int v = 0; v < N_VARIABLES; v++)
        if (variables[v].offset == offsetof(struct variables, environment) &&
            (at == NULL || is_copy(job->symbols[v])))
            at = host->at[v];
    return at;
}

void host_set_stdin(const struct host_rank *host, FILE *input)
{
    for (int v = 0; v < N_VARIABLES; v++)
        if (variables[v].offset == offsetof(struct variables, input))
            *(FILE **)host->at[v] = input;
}

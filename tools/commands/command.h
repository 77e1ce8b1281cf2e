/* SPDX-License-Identifier: MIT */
/* The commands: each is at the end of its file, as a row of the list in commands.c. */
#ifndef LOGP_COMMAND_H
#define LOGP_COMMAND_H

#include "answer/runs.h"
#include "view/records/records.h"

struct command {
    const char *name, *arguments, *summary;
    uint64_t options;   /* enum option_set */
    enum answer answer; /* which formats it can use */
    const char *remark; /* below the help of its options; NULL: nothing */
    /* Take the words that are its own, before its options are looked at; NULL: there are none. */
    struct problem *(*take)(struct question *q);
    struct problem *(*call)(struct question *q, struct answer_file *to);
    const struct command *under; /* a subcommand, "bench crossover" of "bench"; or NULL */
    struct names (*words)(void); /* allowed arguments, if that does not list them; or NULL */
    bool starts;                 /* the command line of a program follows -- */
};

/* Its own options, and those of all commands. */
static inline uint64_t options_of(const struct command *c)
{
    return c->options | OPTIONS_TALK;
}

/* ---- line.c ---- */

/* Make q, which is begun, the question of a command line, and write its answer to to->f, or to the file of --output.
 * q->work is set. The caller closes `to` with answer_close(). */
CHECKED struct problem *answer_line(struct question *q, int argc, char **argv,
                                    struct answer_file *to);
/* With several processes, let the first one write to the file of --output. m: between runs. */
CHECKED struct problem *begin_shared_output(const struct question *q, struct logp_machine *m,
                                            struct answer_file *to);
/* ---- commands.c ---- */

/* Command i = 0, 1, ... in the order of the help, which begins with the introduction and examples.
 * @return NULL: there are no more */
const struct command *command_at(size_t i);
extern const char help_introduction[], help_examples[];
/* NULL: there is none of this name */
const struct command *command_of(const char *name);
/* The first screen of help, and that of a command. */
void print_help(FILE *f);
void print_command_help(FILE *f, const struct command *c, const struct question *q);
/* All commands and formats. */
const struct vocabulary *vocabulary(void);

/* ---- terminal.c ---- */

/* The watcher of all commands; its `stuck` is that of main(). */
extern const struct watcher terminal;
/* Run a program as logp_machine_run() does; Ctrl-C ends it. */
int run_until_signal(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns);

/* ---- openmp.c ---- */

/* For a program of mpirun that needs OpenMP: divide the cores among the ranks, unless the user has set OMP_NUM_THREADS, and
 * print a note of this and of the executor. Called before the OpenMP library is loaded, which reads the variable. */
void prepare_openmp(const struct question *q);

/* ---- launcher.c ---- */

/* Join the other processes that a launcher may have started: only one prints an error of all, and
 * a process that ends for bad input leaves no other waiting. give_up: a signal handler that ends
 * the process */
void join_others(int argc, char **argv, const struct work *work, void (*give_up)(int));
/* Wait a little, so that the errors of other processes are printed before this one ends. */
void let_others_speak(void);

/* ---- foreign.c ---- */

/* Replace the options that other mpiruns have in the words of `logp mpirun`; q keeps the new words. Those that set a
 * variable or the working directory have done so. */
CHECKED struct problem *take_foreign_options(const struct question *q, int *argc, char ***argv);

/* ---- env.c ---- */

/* The library of a command that hosts a program: logp mpirun, logp explore. */
struct host_library {
    const char *command;           /* for errors */
    const char *name, *file;       /* "the MPI library", "libmpi_abi.so.1" */
    const char *built, *installed; /* below the folder of this command; below that of liblogp */
};
extern const struct host_library mpi_library, explore_library;
/* The path of the library that belongs to this command. */
CHECKED struct problem *find_host_library(const struct host_library *l, char *path, size_t size);

/* ---- program.c ---- */

/* Find a program as the shell would. @return its path, which may be `path`; its name: it is nowhere */
const char *find_program(const char *name, char *path, size_t size);
/* Whether a program is linked with a library whose name begins like this. found: for LD_PRELOAD, its path or name */
bool program_needs(const char *path, const char *library, char *found, size_t size);
/* The same of several names, and NULL, and also of the libraries of its own. by: the path of the file that needs one */
bool program_or_library_needs(const char *path, const char *const *names, char *by, size_t size);
/* The name of the OpenMP library that the program or a library of its own needs. @return false: none */
bool program_needs_openmp(const char *path, char *name, size_t size);

/* The thread-local variables of an executable, at a fixed distance from the thread's own data. */
struct thread_locals {
    uint16_t machine;                              /* of the ELF header */
    uint64_t address, bytes, initial_bytes, align; /* as its segment has them */
    void *initial;                                 /* their first bytes; the caller frees them */
};
/* Whether the program has such variables; a driver links them in another way. */
bool program_thread_locals(const char *path, struct thread_locals *out);

/* ---- mpirun.c, for logp explore, too ---- */

/* Refuse options that a check cannot have together, by their names. */
CHECKED struct problem *check_settings(const struct question *q, const struct logp_check *c,
                                       const struct logp_network *network);
/* Whether an option of the model is given: without one, messages take no time. */
bool model_is_given(const struct question *q);
/* Names of libraries, which --share or --private has in one text; NULL at their end. text: NULL: none */
const char *const *libraries_in(const struct question *q, const char *text);

/* ---- preload.c ---- */

/* The library of AddressSanitizer, which must come before all others, if the program is compiled with it; or "". */
const char *address_sanitizer(const char *program, char *path, size_t size);
/* Start this command again with its library, and those that the program needs first. */
CHECKED struct problem *start_again(const struct host_library *l, char **argv, const char *program);
bool is_started_again(void);
/* Let the first report of UBSan end the process that starts again, so that it is a failure: the user may want other. */
void stop_at_undefined(void);
/* The library that holds thread-local variables of the program; "": it needs none. */
const char *locals_library(void);
/* Restore the environment and the open files with which this command was first started, for
 * processes that ranks start. */
void restore_environment(void);
/* Start it in gdb, with the commands for ranks; and whether a debugger is already attached. */
CHECKED struct problem *start_gdb(char **argv, const char *program);
bool is_traced(void);

/* ---- locals.c ---- */

/* Make a library, in memory, that holds these variables. @return the file, which stays open in a program that
 * this process becomes; -1: there is no memory */
int make_locals_library(const struct thread_locals *v);

/* ---- completion.c ---- */

/* Print the candidates for the last of these words, which are all after
 * `logp`, up to the cursor. */
CHECKED struct problem *complete_words(struct question *q, int n, char **words, FILE *f);

extern const struct command command_run, command_predict, command_schedule, command_list,
    command_tree, command_trace, command_tune, command_paper, command_bench, command_crossover,
    command_completion, command_manual, command_watch, command_plot, command_report,
    command_explain, command_search, command_measure, command_validate, command_replay,
    command_mpirun, command_explore, command_env;

/* ---- bench.c ---- */

/* How the records of a sweep are shown. */
typedef void sweep_view(FILE *f, const struct output *out);
/* Run all points of a sweep, and answer with their records; NULL: with curves, in the format of q,
 * unless only --plot draws. */
CHECKED struct problem *run_sweep(struct question *q, sweep_view *answer, struct answer_file *to);

#endif

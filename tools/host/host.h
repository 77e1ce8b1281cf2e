/* SPDX-License-Identifier: MIT */
/*
 * Ranks as programs of this process: each has a copy of the executable with globals of its own, and
 * what the C library keeps once for a process it has for itself.
 */
#ifndef LOGP_HOST_H
#define LOGP_HOST_H

#include <logp/logp.h>

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

typedef int main_function(int argc, char **argv, char **env);

struct exit_call {
    struct exit_call *next;
    void (*function)(void *arg);
    void *arg;
};

/* A stream of a rank, written in whole lines. */
struct lines {
    char *text;
    size_t n, capacity;
    int to; /* > 0: a descriptor of the rank's own; 0: the process's stream; -1: the rank has closed it */
};

/* Variables of the C library that each rank has for itself: variables.c. */
struct variables {
    char *optarg;
    int optind, opterr, optopt;
    FILE *input, *output, *error; /* stdin, stdout, stderr */
    char **environment;
};

enum { N_VARIABLES = 10, N_STREAMS = 4 };

struct rank;
struct host_rank;

/* The guest, the library that programs are linked with and for which they are ranks. It defines this
 * table. */
struct guest {
    const char *name;          /* of the interface: "MPI" */
    const char *library;       /* its file, which programs are linked with; NULL: they are not */
    const char *libraries;     /* the start of the name of each library of that interface */
    const char *own_libraries; /* and of each version of this one */
    const char *driver;        /* the compiler driver, "logp-cc"; NULL: none */
    /* The process has been started without a command: its only rank is main(). @return the exit code */
    int (*run_alone)(main_function *main, int argc, char **argv);
    /* Note the result of the runtime in a call of the current rank. */
    void (*note_result)(int rc);
    /* Draw a number 0 .. n-1 for a rank, of the run; NULL: the host draws */
    int (*draw)(struct host_rank *h, int n);
    /* A rank leaves its own code for a time that the emulated clock counts by itself; and enters
     * it. */
    void (*charge_computing)(void);
    void (*resume_computing)(void);
};

extern const struct guest the_guest;

struct host_rank {
    struct logp_vp *vp;
    const struct job *job;   /* its program */
    struct rank *rank;       /* the guest's */
    const char *const *call; /* of the guest: that the rank is in, or was in last */
    jmp_buf end;
    bool acts;            /* its threads may call the guest for it */
    atomic_int inside;    /* the thread that does: its number and 1; 0: none does */
    int depth;            /* calls within its call */
    bool takes_turns;     /* several may be in a call: a turn each, until the call ends or waits */
    atomic_uint turn;     /* whether one of them has its turn: threads.c */
    atomic_int n_late;    /* threads that have waited long for a turn */
    atomic_int polls;     /* of the threads whose calls wait the one that polls, as in `inside` */
    atomic_uint changes;  /* counts the ends of its calls */
    atomic_int n_threads; /* that it has made */
    atomic_int n_alive;   /* of these */
    atomic_bool running;  /* it stays, where a run is abandoned */
    int code, rc;         /* its exit code; the error that ended the run */
    uintptr_t place;      /* where it was when the run ended: host_place_here() */
    struct exit_call *exit_calls, *quick_calls; /* of exit(), and of quick_exit() */
    struct lines out, err;
    FILE *
        input; /* in place of the stdin that it began with; NULL: the rank has left that as it was */
    struct random_data random;
    char random_state[128];
    struct drand48_data drand48;
    uint64_t n_drawn;    /* sequences of getrandom() */
    char *token;         /* of strtok() */
    int64_t computes_ns; /* its thread's processor time when it last resumed its own code */
    struct variables variables;
    void *at[N_VARIABLES]; /* of each: here, or in an image that has a copy */
    uintptr_t base;        /* of its image in memory: where the file's address 0 is */
    uintptr_t wrappers,
        wrappers_bytes;  /* functions in its image that are not places of the program */
    void (*flush)(void); /* of the program: write what its streams keep; NULL: they keep nothing */
    bool was_ended;      /* its destructors run once, and not after _exit() */
    char **environment;  /* environment.c: an array of its own; NULL: none */
    struct specific *specific; /* keys.c: of keys of threads; n_specific of them */
    int n_specific;
    int directory; /* directory.c: its own; 0: it has not changed that */
    bool has_mask;
    mode_t mask;
    struct host_signals *signals; /* signals.c: NULL: the rank has no handlers */
    bool parses; /* getopt(): it has been called; characters of a word done; operands passed */
    int in_word, first_operand, last_operand;
    char **argv;         /* a copy */
    void *streams;       /* of C++ */
    void *handler_stack; /* for signals; NULL: the thread has one already */
    void *image;         /* what the loader has loaded; NULL: nothing, or the image is a clone */
    int image_file;      /* for the loader: the copy of the executable; 0: none yet */
    int64_t ended_ns,
        late_ns;         /* the emulated time at its end, and how far behind that the host is */
    int64_t computed_ns; /* computing.c: processor time of its own code */
    char said[256];      /* explored runs: its last line on stderr */
    char found[256];     /* last mistake that the checks found in its calls */
};

/* The output of one explored run, in order. */
struct output {
    struct piece {
        int fd;
        size_t n;
        char *text;
    } * pieces;
    size_t n, capacity;
};

/* Functions of the executable, by address in the file: one, and an array of them. 0: there is none. */
struct own_functions {
    uintptr_t one, array, array_bytes;
};

/* A program of the run, and, of the first one, what belongs to all of them. */
struct job {
    struct job *next; /* the program of the ranks after those of this one; NULL: none */
    int index, first_rank;
    int argc;
    char **argv;
    const char *path; /* also for other folders and processes */
    char *file;       /* the executable, in memory */
    size_t file_bytes;
    size_t image_bytes; /* of an image in memory */
    const char *locals; /* the library that holds its thread-local variables; "" or NULL: none */
    struct own_functions constructors, destructors;
    const struct picture *picture; /* the source of clones; NULL: the loader loads each image */
    main_function *main; /* not NULL: there is one rank, which is this process's own program */
    bool tags_output, names_threads, quiet, verbose;
    bool threads_may_call;                  /* the guest, for their rank */
    bool is_debugged;                       /* by gdb: the loader makes all copies */
    const char *const *shared, *const *own; /* --share, --private: names, and NULL */
    struct output *kept; /* explored runs: output of the current one; NULL: not kept */
    bool fails_by_crash; /* explored runs: after a crash the process ends with exit code 1 */
    const struct link_map *last_before; /* of all loaded libraries, before the program's */
    size_t stack_bytes;
    int n_ranks;
    bool changes_directory; /* the executable calls chdir() or umask(): directory.c */
    int directory;          /* that of the process; -1: none is kept */
    mode_t mask;
    bool follows_clock; /* the system's clocks are emulated: clocks.c */
    int64_t epoch_ns;   /* the time of day at the start of the run, then: since 1970 */
    int node_size;      /* ranks of a node; 0: all are of this host */
    struct host_rank *hosts;
    _Atomic int abort_code; /* of host_abort_run(); -1: none */
    pid_t pid;
    FILE *no_input;
    const Elf64_Sym *symbols[N_VARIABLES]; /* in the file; NULL: it does not use the variable */
    const Elf64_Sym *streams[N_STREAMS];
    struct copied *copies; /* objects of C++ libraries that each image has a copy of */
    size_t n_copies;
};

extern struct job *the_job; /* NULL: none runs */

/* crash.c: report the place of a rank that crashes, before the handler that was there */
void host_catch_crashes(void);
/* A stack that is exceeded leaves no place for the handler. @return what to free; NULL: nothing */
void *host_make_handler_stack(void);
void host_free_handler_stack(void *memory);

/* rank.c: a rank begins, on its thread, and has its processor and its program; and it has ended */
void host_begin_rank(const struct job *job, struct host_rank *h);
void host_end_rank(struct host_rank *h);
/* Load its copy of the executable, and call the constructors. If it cannot be loaded, that is reported, and the run ends.
 * @return its entry */
void *host_start_image(const struct job *job, struct host_rank *h);

/* start.c: arguments of a rank, which programs move and change. To be freed; NULL: no memory */
char **host_copy_arguments(int n, char **argv);

/* explored.c: forget the rank of a run that is over. */
void host_forget_rank(struct host_rank *h);
/* Before each run, forget all ranks of the one before, and their output */
void host_begin_explored(struct job *job);
/* Print what the last run has written, in a signal handler also the lines that are not complete; and where its P ranks
 * were. */
void host_print_output(const struct job *job);
void host_print_crashed(const struct job *job);
void host_print_places(const struct job *job, int P);

/* ending.c: a run that is over ends, also if a rank never calls the guest again. exit_code: of the process then */
void host_begin_watch(int (*exit_code)(void));
void host_end_watch(void); /* the run has returned */
void host_note_over(void);
void host_catch_interrupts(void); /* once the handlers that stop the run are there */

/* locals.c: whether there is space for the thread-local variables of an executable that was linked as one, where it looks */
bool host_has_locals(const struct job *job);
/* Those of the calling thread begin, for a rank whose image is loaded. @return false: there is no memory */
bool host_begin_locals(const struct host_rank *h);
/* And for a thread that it has made. */
void host_begin_locals_of_thread(const struct host_rank *h);

/* executable.c */
/* The next section of this type in the file, from `after` on or the first; NULL: there is none. */
const Elf64_Shdr *host_section(const char *file, Elf64_Word type, const Elf64_Shdr *after);
/* The symbol of this name that the executable refers to or has; NULL: there is none. */
Elf64_Sym *host_dynamic_symbols(const struct job *job, size_t *n);
const char *host_symbol_name(const struct job *job, const Elf64_Sym *symbol);
const Elf64_Sym *host_symbol_of(const struct job *job, const char *name);
/* A symbol that refers to another file now is this address. */
void host_set_address(Elf64_Sym *symbol, void *address);
/* A function of the executable: where it is in a copy of this rank. NULL: it is not there, or the file is stripped */
void *host_function_named(const struct host_rank *h, const char *name);
/* The function at this address of the file. @return NULL: unknown; *offset: from its start */
const char *host_function_at(const struct job *job, uintptr_t address, uintptr_t *offset);
/* Bytes from the file's address 0 to the end of the last segment. */
size_t host_span_of(const Elf64_Phdr *segments, int n);
/* Where in the file of its executable this address of a rank is. @return 0: it is elsewhere */
uintptr_t host_address_in_file(const struct host_rank *h, uintptr_t address);
/* A file in memory with these bytes. @return its descriptor; -1: there is none */
int host_file_of(const void *bytes, size_t n, const char *name);
/* A symbol that refers to another file is this address in the copy of a rank, which is to be loaded. */
void host_write_address(const struct host_rank *host, const Elf64_Sym *symbol, void *address);

/* image.c. prepare: called before the first copy is made */
int host_read_image(struct job *job, void (*prepare)(struct job *), char *why, size_t size);
/* Whether the copies of so many ranks fit into this process, once all programs are read; else the reason is in *why. */
bool host_has_room(const struct job *job, int n_here, char *why, size_t size);
/* Load a copy of the executable. @return its entry; NULL: the reason is in *why */
void *host_load_image(const struct job *job, struct host_rank *host, char *why, size_t size);
/* Unload it. Its file is used again. */
void host_unload_image(struct host_rank *host);
void host_enter_image(void *entry);
/* The constructors of the executable, as the loader would call them; and the destructors. */
void host_begin_image(const struct job *job, const struct host_rank *host);
void host_end_image(const struct job *job, struct host_rank *host);

/* place.c: safe in signal handlers */
enum { MOST_PLACES = 16, PLACE_TEXT = 128 };
/* A place has the number of its program above the address in its file: it fits in 32 bits. */
enum { PROGRAM_SHIFT = 29, MOST_PROGRAMS = 8 };

/* Of an address in this rank's copy of the executable; 0: it is none. caller: a return address, or NULL */
uintptr_t host_place_of(const struct host_rank *h, void *caller);
/* Where the calling rank, or a thread that it has made, is: an address of the executable's file; 0:
 * unknown */
uintptr_t host_place_here(void);
/* The function that the executable has called, where the caller is in a thread that a rank has made; NULL: unknown */
const char *host_called_here(void);
/* The shared library that the calling rank is in, called by its executable; NULL: none, or one of the system's. */
const char *host_library_here(void);
/* The library that the calling rank, or a thread that it has made, is in, of which each rank has its own: ", in libx.so
 * (x.c:12)"; "" : none. @param text  PLACE_TEXT bytes. @return text */
const char *host_name_own_library(char *text);
/* Name at most MOST_PLACES places: " (file.c:12)"; nothing where the place is 0. */
void host_name_places(const struct job *job, const uintptr_t *places, int n,
                      char (*texts)[PLACE_TEXT]);
/* Whether it is where the executable's first function calls main(), so that main() has returned. */
bool host_is_after_main(const struct job *job, uintptr_t place);
/* A name as C++ writes it, in `text` or not; the name itself if it is not one of C++, or c++filt is not installed. */
const char *host_demangled(const char *name, char *text, size_t size);
/* The same of host_place_here(). @param text  PLACE_TEXT bytes. @return text */
const char *host_name_here(char *text);

/* own_code.c: whether a return address is in this library or liblogp */
bool host_is_own_code(const void *address);

/* clocks.c: this clock as the calling rank has it, outside of a rank the host's; -1: there is none */
int64_t host_read_clock(clockid_t clock);

/* computing.c: look where ranks are from now on, for the time that they compute, and for loops in which they keep others
 * off their core; and the thread of this rank, too */
void host_begin_looking(bool computes, bool loops);
void host_look_here(void);

/* variables.c */
void host_find_variables(struct job *job);
/* Before the copy of the executable is loaded, or in a clone; and after that. */
void host_give_variables(const struct job *job, struct host_rank *host);
void host_begin_variables(const struct job *job, struct host_rank *host);
/* Whether this is such a variable, and where that of a rank is. */
bool host_is_variable(const char *name);
void *host_variable_of(const struct host_rank *host, const char *name);
/* Where the variable environ of this rank is. */
char ***host_environment_of(const struct job *job, const struct host_rank *host);
/* The variable stdin of this rank. */
void host_set_stdin(const struct host_rank *host, FILE *input);

/* libraries.c: those of the program, before its first copy is loaded */
void host_load_libraries(const struct job *job);
/* The address of this symbol in the libraries that the executable is linked with, which are loaded now; NULL: it is in none. */
void *host_find_in_libraries(const struct job *job, const char *name);
/* Call f with the path of each library that the program has brought. */
void host_each_own_library(const struct job *job, void (*f)(const char *path, void *arg),
                           void *arg);
/* Another library of the guest's interface that the executable is linked with; NULL: none. */
const char *host_other_library(const struct job *job);
/* Report a program that looks for this library where earlier versions were installed. */
void host_name_old_link(const struct job *job);
/* Whether those of --share and --private are there, or may be opened later; if not, it is reported. */
bool host_libraries_are_known(const struct job *job);
/* Name those on stderr whose globals all ranks share. */
void host_name_shared(const struct job *job);
/* Whether an address is in a library of the system. */
bool host_is_system_code(const void *address);

/* copies.c: take those of the libraries' variables from the loader. @return false: no memory */
bool host_take_copies(struct job *job);
/* Find these variables, once the libraries are loaded. @return the name of one that cannot be copied; NULL: all can */
const char *host_find_copied(struct job *job);
/* Those of a rank's image, which is loaded, and in which nothing has run. */
void host_fill_copies(const struct job *job, const struct host_rank *host);

/* cxx.c: the streams of C++, as the variables */
void host_find_streams(struct job *job);
void host_give_streams(const struct job *job, struct host_rank *host);
void host_begin_streams(const struct job *job, const struct host_rank *host);
/* Whether this is such a stream, and where that of a rank is; NULL: the executable does not use it, or has a copy of it. */
bool host_is_stream(const char *name);
void *host_stream_of(const struct host_rank *host, const char *name);
/* std::cin reads this from now on. */
void host_set_stream_input(const struct host_rank *host, FILE *input);

/* here.c: a function of the C library that one of the same name here replaces */
void *host_next_of(const char *name);
#define NEXT(name) ((__typeof__(name) *)host_next_of(#name))
/* Those that are called by name. Signal handlers may call all but host_fileno(), since host_next_of() takes a lock. */
int host_close(int fd);
ssize_t host_read(int fd, void *buf, size_t n);
ssize_t host_write(int fd, const void *buf, size_t n);
int host_execvpe(const char *path, char *const *words, char *const *environment);
int host_fileno(FILE *f);
void host_abort(void) __attribute__((noreturn));
/* The rank that this thread runs; NULL: none. */
struct host_rank *host_here(void);
/* The same; NULL also in a child that the rank has made by fork(): a process of its own. */
struct host_rank *host_of_process(void);

/* The rank that has made this thread, or one from which it comes; NULL: none, or the thread is a rank's own. And its number
 * among those of the rank, 1, ...; 0: it is none. */
struct host_rank *host_maker(void);
int host_thread_number(void);
void host_be_made_by(struct host_rank *h, int number);
/* Where each rank is a thread: this one is that of the rank; NULL: of none. */
void host_be_thread_of(struct host_rank *h);

/* threads.c */
/* The rank of this thread, or else that one, while it has not ended; or NULL. */
struct host_rank *host_owner(void);
/* Such a thread calls the guest for its rank from now on. @return false: it cannot */
bool host_act(struct host_rank *h);
/* Threads of h call the guest in turn: wait for it; and let the next one call. */
void host_take_turn(struct host_rank *h);
void host_end_turn(struct host_rank *h);
/* A call waits, and another thread may have a turn: one of the threads polls, and the others sleep for some time or until
 * it is through. may_sleep: the one that polls, too, for 50 us */
void host_rest(struct host_rank *h, bool may_sleep);
void host_rest_no_more(struct host_rank *h); /* the call of this thread ends */
/* End such a thread. */
void host_end_thread(void) __attribute__((noreturn));
/* End the process from such a thread. */
void host_end_by_thread(int code) __attribute__((noreturn));

/* leave.c: end this rank with an exit code, after its exit handlers; or because the run has ended */
void host_leave_rank(int code, int rc) __attribute__((noreturn));
/* The functions that were registered are forgotten, or called: the last comes first, and it may register more. */
void host_end_calls(struct exit_call **calls, bool called);
/* What atexit() and at_quick_exit() have registered. */
void host_forget_calls(struct host_rank *h);
/* A rank of an explored run fails. */
void host_fail_explored(struct host_rank *h, const char *why);
/* Because it has ended by itself: `end` is how, and its last line on stderr may be why. */
void host_fail_by_end(struct host_rank *h, const char *end);
/* End the run with this exit code. A rank calls it, once it has written the reason to stderr. */
void host_abort_run(int code) __attribute__((noreturn));

/* stream.c */
FILE *host_input_of(const struct job *job, const struct host_rank *h);
void host_begin_output(void);
/* Write the rest of a rank's output to fd, a line without its end. */
void host_end_lines(struct host_rank *h, int fd);
void host_end_output(struct host_rank *h);
void host_write_all(int fd, const char *text, size_t n);
/* Write it to the process's stream, as a rank, in whole lines. @return n; -1: there is no memory */
ssize_t host_put(struct host_rank *h, int fd, const char *text, size_t n);
/* stderr of the process, by a stream that no rank uses: a rank that writes into a full pipe holds
 * the lock of its stream for ever. The last lines of a run that was abandoned are dropped if the
 * pipe is full. */
FILE *host_report_stream(void);
/* Whether a rank is still in its own code after the run has ended. */
bool host_is_abandoned(const struct job *job);

/* system.c: the node of a rank, and its name. size: of the array, with the end of the text; @return whether it fits */
int host_node_of(const struct job *job, int rank);
bool host_node_name(char *name, size_t size);

/* The number that this rank has as a process. */
pid_t host_number_of(const struct job *job, int rank);
/* environment.c: of this rank; NULL: of the process */
char **host_environment(const struct host_rank *h);
/* directory.c: look in the executable; a rank begins, on its thread; it comes back to its own code; it has ended */
void host_find_directories(struct job *job);
void host_begin_directory(const struct job *job, struct host_rank *h, bool is_only_thread);
void host_enter_directory(const struct host_rank *h);
void host_end_directory(struct host_rank *h);
/* locks.c: close this descriptor of a rank by closes(of), which ends the rank's locks of the file and no others; NULL: it is
 * of no rank. And the rank has ended. */
int host_close_locked(const struct host_rank *h, int fd, int (*closes)(void *of), void *of);
void host_end_locks(const struct host_rank *h);
/* keys.c: the rank has ended */
void host_end_keys(struct host_rank *h);
/* signals.c: the rank has ended */
void host_end_signals(struct host_rank *h);

/* redirect.c: close what a rank has put in place of its standard streams */
void host_end_redirections(struct host_rank *h);

#endif

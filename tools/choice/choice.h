/* SPDX-License-Identifier: MIT */
/* The names in the words and the options: a collective, its arguments, and its algorithms. */
#ifndef LOGP_CHOICE_H
#define LOGP_CHOICE_H

#include "options/options.h"

enum { MAX_ALGORITHMS = 64 };

/* ---- arguments.c ---- */

/* The arguments of a collective, from the options; also sets the defaults
 * in o that depend on it. */
struct logp_invocation make_invocation(struct options *o, const char *collective);

/* A note that the size of its messages does not change any time, and which option to type; NULL:
 * it does, or they are small. @return buf */
const char *free_bytes_of(const struct options *o, const char *collective,
                          const struct logp_invocation *c, char buf[MAX_LIST]);
/* Print that note, if there is one, as one line on stderr. */
void say_free_bytes(const struct options *o, const char *collective,
                    const struct logp_invocation *c);

/* ---- choice.c: an unknown name ends the process ---- */

const char *named_collective(const struct options *o);
/* @return how many, >= 1; in a sweep those that apply at this point, maybe none: say_left_out() */
size_t choose_algorithms(const struct options *o, const char *collective,
                         const struct logp_invocation *c,
                         const struct logp_algorithm *chosen[MAX_ALGORITHMS]);
void say_left_out(void);
/* As logp_algorithm_knob(); without memory it ends the process. */
bool knob_value(const struct logp_algorithm *a, const char *name, int64_t P,
                const struct logp_invocation *c, int64_t *value);
/* As logp_algorithm_predict_by(); without memory it ends the process. */
struct logp_prediction predict_by(const struct logp_algorithm *a, int64_t P,
                                  const struct logp_invocation *c, enum logp_basis by);
/* Check the result of a request for an optional item, which the caller leaves out on any error
 * but this: -ENOMEM ends the process. @return rc */
int or_end_without_memory(int rc);
/* Whether any algorithm of the collective applies. */
bool any_applies(const char *collective, int64_t P, const struct logp_invocation *c);
/* End the process because no algorithm applies. */
_Noreturn void none_applies(const struct options *o, const char *collective,
                            const struct logp_invocation *c);

/* ---- reigns.c: where the best changes ---- */

/* Candidates, by number, that are compared at sizes. */
struct contest {
    int64_t (*best)(void *of, int64_t size); /* -1: there is none */
    /* ns; < 0: it does not apply there. NULL: changes are no matter of time */
    int64_t (*time)(void *of, int64_t candidate, int64_t size);
    void *of;
};

/* From `settled` on to `to` one is the best; from `from` on it and the one before are it in turns. */
struct reign {
    int64_t from, settled, to;
    int64_t best;
};

struct reigns {
    struct reign *reign; /* to free */
    size_t n;
};

/* The reigns of all sizes between the first and the last of a grid, ascending. Without memory it ends
 * the process. */
void find_reigns(const struct contest *c, const int64_t *grid, size_t n, struct reigns *all);

/* ---- found.c: the algorithm `search` ---- */

/* Set it to the schedule that --schedules or --algo search selects for these arguments. */
void use_found(const struct options *o, const char *collective, const struct logp_invocation *c);
/* The fastest schedule of --schedules for these arguments; NULL: none. *ns: its time */
const struct logp_step_list *found_before(const struct options *o, const char *collective,
                                          const struct logp_invocation *c, int64_t *ns);
/* The file of --schedules for the result of a search with these arguments. @return to free */
char *path_in_folder(const struct options *o, const char *collective,
                     const struct logp_invocation *c);
/* End the process where a search with these arguments was refused; rc 0: it was not. */
void search_refused(const struct options *o, const char *collective,
                    const struct logp_invocation *c, int rc);

/* The names of rows, one after the other; into list, which is returned. */
const char *names_of(const struct logp_algorithm *const *rows, size_t n, char list[MAX_LIST]);
/* Report why no algorithm applies at a point of a sweep. */
void refuse_point(const struct options *o, const char *collective, const struct logp_invocation *c);

#endif

/* SPDX-License-Identifier: MIT */
/* What the words and the options name: a collective, its arguments, and which of its algorithms. */
#ifndef LOGP_CHOICE_H
#define LOGP_CHOICE_H

#include "options/options.h"

enum { MAX_ALGORITHMS = 64 };

/* ---- arguments.c ---- */

/* The arguments of a collective as the options say; sets o's defaults that depend on it. */
struct logp_invocation make_invocation(struct options *o, const char *collective);

/* That the size of its messages changes nothing, and what to type; NULL: it does, or they are
 * small. @return buf */
const char *free_bytes_of(const struct options *o, const char *collective,
                          const struct logp_invocation *c, char buf[MAX_LIST]);
/* Say that, if it is so, in one line on stderr. */
void say_free_bytes(const struct options *o, const char *collective,
                    const struct logp_invocation *c);

/* ---- choice.c: these end the process where what is named is nothing ---- */

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
/* What came of asking for something that is left out where it cannot be had: without memory it ends
 * the process. @return rc */
int or_end_without_memory(int rc);
/* Does any algorithm of the collective? */
bool any_applies(const char *collective, int64_t P, const struct logp_invocation *c);
/* None does: end the process. */
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

/* Make it what --schedules or --algo search asks for, for these arguments. */
void use_found(const struct options *o, const char *collective, const struct logp_invocation *c);
/* The fastest schedule of --schedules for these arguments; NULL: none. *ns: what it takes */
const struct logp_step_list *found_before(const struct options *o, const char *collective,
                                          const struct logp_invocation *c, int64_t *ns);
/* The file of --schedules that keeps what a search for these arguments finds. @return to free */
char *path_in_folder(const struct options *o, const char *collective,
                     const struct logp_invocation *c);
/* End the process where a search with these arguments was refused; rc 0: it was not. */
void search_refused(const struct options *o, const char *collective,
                    const struct logp_invocation *c, int rc);

/* The names of rows, one after the other; into list, which is returned. */
const char *names_of(const struct logp_algorithm *const *rows, size_t n, char list[MAX_LIST]);
/* Say why none applies at a point of a sweep. */
void refuse_point(const struct options *o, const char *collective, const struct logp_invocation *c);

#endif

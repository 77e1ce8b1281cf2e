/* SPDX-License-Identifier: MIT */
/* A collective, its arguments and its algorithms, as words and options of a command give them. */
#ifndef LOGP_CHOICE_H
#define LOGP_CHOICE_H

#include "question/question.h"

enum { MAX_ALGORITHMS = 64 };

/* ---- arguments.c ---- */

/* The arguments of a collective, from the options; also sets the defaults
 * in o that depend on it. */
CHECKED struct problem *make_invocation(struct question *q, const char *collective,
                                        struct logp_invocation *c);

/* A note that the size of its messages does not change any time, and which option to type; NULL:
 * it does, or they are small. @return buf */
const char *free_bytes_of(const struct question *q, const char *collective,
                          const struct logp_invocation *c, char buf[MAX_LIST]);
/* Print that note, if there is one, as one line on stderr. */
void say_free_bytes(const struct question *q, const char *collective,
                    const struct logp_invocation *c);

/* ---- choice.c ---- */

/* The collective that the words, or --schedule and --as, name. */
CHECKED struct problem *named_collective(const struct question *q, const char **collective);
/* *n: how many, >= 1; in a sweep those that apply at this point, maybe none: say_left_out() */
CHECKED struct problem *choose_algorithms(const struct question *q, const char *collective,
                                          const struct logp_invocation *c,
                                          const struct logp_algorithm *chosen[MAX_ALGORITHMS],
                                          size_t *n);
void say_left_out(const struct question *q);
/* All algorithms that apply, without a note of the others; @return how many */
size_t applying_algorithms(const struct question *q, const char *collective,
                           const struct logp_invocation *c,
                           const struct logp_algorithm *out[MAX_ALGORITHMS]);

/* The problem of several chosen algorithms where a command shows one: it names them. */
CHECKED struct problem *only_one(const struct question *q,
                                 const struct logp_algorithm *const *chosen, size_t n);

/* What a command line asks for. */
struct asked {
    const char *collective;
    struct logp_invocation c;
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    size_t n; /* of chosen, as choose_algorithms() has it */
};

/* Make the invocation of the collective, and choose its algorithms. */
CHECKED struct problem *resolve_asked(struct question *q, struct asked *a);
/* The same for the collective that the words name. */
CHECKED struct problem *asked_algorithms(struct question *q, struct asked *out);
/* As logp_algorithm_knob(); without memory it ends the process. */
bool knob_value(const struct logp_algorithm *a, const char *name, int64_t P,
                const struct logp_invocation *c, int64_t *value);
/* As logp_algorithm_predict_by(); without memory it ends the process. */
struct logp_prediction predict_by(const struct logp_algorithm *a, int64_t P,
                                  const struct logp_invocation *c, enum logp_basis by);

/* ---- needs.c ---- */

/* What an algorithm needs, and which of it the environment does not meet. @return buf */
const char *needed(const struct question *q, const struct logp_algorithm *a,
                   const struct logp_invocation *c, char buf[256]);
/* Whether any algorithm of the collective applies. */
bool any_applies(const char *collective, int64_t P, const struct logp_invocation *c);
/* The problem that no algorithm applies. */
CHECKED struct problem *none_applies(const struct question *q, const char *collective,
                                     const struct logp_invocation *c);

/* ---- reigns.c: where the best changes ---- */

/* Candidates, identified by number, that are compared at each size. */
struct contest {
    int64_t (*best)(void *of, int64_t size); /* -1: no candidate applies */
    /* ns; < 0: the candidate does not apply there. NULL: candidates are not compared by time */
    int64_t (*time)(void *of, int64_t candidate, int64_t size);
    void *of;
};

/* A range of sizes with one best candidate. From `settled` to `to` it is always the best; from
 * `from` to below `settled` it and the candidate of the reign before are the best alternately. */
struct reign {
    int64_t from, settled, to;
    int64_t best;
};

struct reigns {
    struct reign *reign; /* to free */
    size_t n;
};

/* Find the reigns of all sizes between the first and the last of an ascending grid. Without memory
 * it ends the process. */
void find_reigns(const struct contest *c, const int64_t *grid, size_t n, struct reigns *all);

/* ---- found.c: the algorithm `search` ---- */

/* Whether the algorithm is `search` of another question. */
bool is_of_another(const struct question *q, const struct logp_algorithm *a);
/* Set `search` to the schedule that --schedules or --algo search selects for these arguments. */
CHECKED struct problem *use_found(const struct question *q, const char *collective,
                                  const struct logp_invocation *c);
/* The fastest schedule of --schedules for these arguments, and its time; *list NULL: none */
CHECKED struct problem *found_before(const struct question *q, const char *collective,
                                     const struct logp_invocation *c,
                                     const struct logp_step_list **list, int64_t *ns);
/* The file of --schedules for the result of a search with these arguments. @return to free */
char *path_in_folder(const struct question *q, const char *collective,
                     const struct logp_invocation *c);
/* The problem of a search with these arguments that was refused; rc 0: it was not, NULL. */
CHECKED struct problem *search_refused(const struct question *q, const char *collective,
                                       const struct logp_invocation *c, int rc);

/* The names of rows, one after the other; into list, which is returned. */
const char *names_of(const struct logp_algorithm *const *rows, size_t n, char list[MAX_LIST]);
/* The problem why no algorithm applies at a point of a sweep. */
CHECKED struct problem *refuse_point(const struct question *q, const char *collective,
                                     const struct logp_invocation *c);

#endif

/* SPDX-License-Identifier: MIT */
/* The search: the order in which schedules are tried, and the choice of those kept: see
 * logp/search.h. */
#include "search/search.h"
#include "choice/choice.h"
#include "choice/contained.h"
#include "collective/collective.h"
#include "operand/operand.h"
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <logp/explain.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ITEMS = 64 * LPI_MATCHING_WORDS,
    MOST_CUTS = 64,          /* items that a vector is cut into */
    CHECKED_BYTES = 1 << 25, /* of all buffers together: more are not checked by labels */
    FIRST_NODES = 20000,     /* of the words' tree; in the next round ten times as many */
    DEEPEN_EVERY = 64,       /* rounds */
    ORDERS = 32,             /* changes of order in a round */
    MOST_STARTS = 64,        /* schedules whose order is changed */
    MOST_STEPS = 1 << 18     /* of all of them together */
};

/* A matching with its items, moves and time. */
struct plan {
    int n_items, lone_home; /* -1: the items of a vector begin on all ranks */
    struct lpi_moves moves, then;
    int64_t ns;
};

/* A schedule whose order is changed, and its time. */
struct start {
    struct lpi_draft draft;
    int64_t ns;
};

struct search {
    struct logp_search ask;
    struct logp_invocation c;
    const struct logp_collective *what;
    enum lpi_lowering how;
    struct lpi_folds folds;
    struct lpi_draft best, draft;
    struct start starts[MOST_STARTS]; /* the first is as good as the best, perhaps otherwise */
    int n_starts;
    int64_t n_steps; /* of all but the first */
    struct plan kept, next;
    int *home, *goal;
    struct logp_search_state state;
    enum logp_search_proof proof;
    bool words_done, over;
    int64_t word_ns, nodes;
    int *critical; /* ranks on the critical path; n_critical = 0: not known */
    int n_critical;
    uint64_t random;
    int rc;
};

static const struct {
    const char *collective;
    enum lpi_lowering how;
} lowerings[] = {{"broadcast", LPI_LOWER_BROADCAST}, {"reduce", LPI_LOWER_REDUCE},
                 {"scatter", LPI_LOWER_SCATTER},     {"gather", LPI_LOWER_GATHER},
                 {"allgather", LPI_LOWER_ALLGATHER}, {"reduce-scatter", LPI_LOWER_REDUCE_SCATTER},
                 {"allreduce", LPI_LOWER_ALLREDUCE}, {"alltoall", LPI_LOWER_ALLTOALL},
                 {"barrier", LPI_LOWER_BARRIER}};

static bool is_named(const struct search *s, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(s->what->name, names[i]) == 0)
            return true;
    return false;
}

static int draw(struct search *s, int n)
{
    return lpi_draw_below(&s->random, n);
}

/* ---- the end ---- */

static bool ask_stop(void *arg)
{
    struct search *s = arg;

    s->over |= s->ask.stop != NULL && s->ask.stop(s->ask.arg, &s->state);
    return s->over;
}

static bool is_proven(const struct search *s)
{
    return s->proof != LOGP_SEARCH_NO_PROOF;
}

static bool is_over(struct search *s)
{
    return s->rc != 0 || is_proven(s) || (s->ask.rounds > 0 && s->state.rounds >= s->ask.rounds) ||
           ask_stop(s);
}

/* ---- what a draft takes, and whether it is right ---- */

static struct logp_schedule schedule_of(const struct search *s, const struct logp_step_list *list)
{
    struct logp_schedule schedule = {.P = s->ask.P,
                                     .steps = logp_algorithm_find("schedule", "listed")->steps,
                                     .plan = logp_step_list_plan,
                                     .args = s->c.args,
                                     .model = s->c.model};

    schedule.args.list = list;
    return schedule;
}

/* INT64_MAX: more than `until`, or nothing that can be folded. */
static int64_t cost(struct search *s, const struct lpi_draft *d, int64_t until)
{
    const struct logp_step_list list = lpi_draft_list(d);
    const struct logp_schedule schedule = schedule_of(s, &list);
    struct logp_fold fold;
    int rc;

    s->state.tried++;
    rc = lpi_fold_until(&schedule, &s->folds.delay, 0, until, &fold);
    if (rc == -ENOMEM)
        s->rc = rc;
    return rc == 0 && fold.unreceived == 0 ? fold.ns : INT64_MAX;
}

static size_t all_bytes(const struct search *s)
{
    size_t all = 0, buf = 0, recv_buf = 0;

    for (int rank = 0; rank < s->ask.P && s->what->sizes != NULL; rank++) {
        s->what->sizes((int)s->ask.P, rank, &s->c, &buf, &recv_buf);
        all += buf + recv_buf;
    }
    return all;
}

static bool is_right(struct search *s, const struct lpi_draft *d)
{
    const struct logp_step_list list = lpi_draft_list(d);
    const struct logp_schedule schedule = schedule_of(s, &list);
    struct logp_schedule_error error;
    int rc;

    if (all_bytes(s) > CHECKED_BYTES)
        return true;
    rc = logp_schedule_check(&schedule, s->what, &error);
    if (rc == -ENOMEM)
        s->rc = rc;
    return rc == 0;
}

static void note_bound(struct search *s)
{
    if (s->state.ns == s->state.bound_ns)
        s->proof = LOGP_SEARCH_EQUALS_BOUND;
}

/* Note the ranks on which the time of a draft depends, if it can be explained. */
static void note_critical(struct search *s, const struct lpi_draft *d)
{
    const struct logp_step_list list = lpi_draft_list(d);
    const struct logp_schedule schedule = schedule_of(s, &list);
    struct logp_explanation *e = NULL;

    s->n_critical = 0;
    if (logp_explanation_create(&schedule, &e) != 0)
        return;
    for (size_t i = 0; i < e->n_path && s->n_critical < s->ask.P; i++)
        if (s->n_critical == 0 || s->critical[s->n_critical - 1] != e->path[i].rank)
            s->critical[s->n_critical++] = (int)e->path[i].rank;
    logp_explanation_free(e);
}

/* A better one, of that time, becomes the best. */
static void take(struct search *s, const struct lpi_draft *d, int64_t ns, const char *found_by)
{
    if (ns >= s->state.ns || !is_right(s, d))
        return;
    if (lpi_draft_copy(&s->best, d) != 0 || lpi_draft_copy(&s->starts[0].draft, d) != 0)
        s->rc = -ENOMEM;
    s->state.ns = s->starts[0].ns = ns;
    s->state.found_by = found_by;
    note_bound(s);
}

/* ---- the table ---- */

/* Read the steps of a row with this value of its free parameter (0: its own) into the draft. @return their time; INT64_MAX:
 * they cannot be folded as a list */
static int64_t read_row(struct search *s, const struct logp_algorithm *a, int64_t value,
                        const struct logp_algorithm *within)
{
    struct logp_invocation c = s->c;
    struct logp_schedule schedule;

    c.args.within = within;
    lpi_set_free(a, s->ask.P, &c, value);
    s->rc = lpi_resolve_free(a, s->ask.P, &c);
    if (s->rc != 0)
        return INT64_MAX;
    schedule = lpi_schedule_of(a, s->ask.P, &c);
    s->rc = lpi_draft_read(&s->draft, &schedule);
    return s->rc == 0 ? cost(s, &s->draft, INT64_MAX) : INT64_MAX;
}

static void begin_with_table(struct search *s)
{
    struct lpi_choice choice;
    int64_t ns;

    s->rc = lpi_choose(s->what->name, s->ask.P, &s->c, &s->c, true, NULL, NULL, &choice);
    if (s->rc == 0 && choice.algorithm == NULL)
        s->rc = -ENOTSUP;
    if (s->rc != 0)
        return;
    ns = read_row(s, choice.algorithm, choice.value, choice.within);
    s->state.table_ns = ns;
    s->state.ns = INT64_MAX;
    if (s->rc == 0)
        take(s, &s->draft, ns, "table");
    if (s->rc == 0 && s->state.ns == INT64_MAX)
        s->rc = -ENOTSUP;
}

/* The other rows of the table begin other schedules: the best of them may be near one that is better
 * than all rows. */
static void add_start(struct search *s, int64_t ns)
{
    struct start *start = &s->starts[s->n_starts];
    int64_t steps = 0;

    for (int64_t rank = 0; rank < s->ask.P; rank++)
        steps += s->draft.n[rank];
    if (s->n_starts == MOST_STARTS || steps > MOST_STEPS - s->n_steps)
        return;
    if (lpi_draft_init(&start->draft, s->ask.P) != 0 ||
        lpi_draft_copy(&start->draft, &s->draft) != 0)
        s->rc = -ENOMEM;
    start->ns = ns;
    s->n_starts++;
    s->n_steps += steps;
}

/* On alike links a row that uses another collective has messages that this one does not need. */
static bool begins(const struct search *s, const struct logp_algorithm *a)
{
    const bool are_alike = s->c.model.links == NULL && s->c.model.topology == NULL;

    return a->steps != NULL && !(are_alike && lpi_contained_of(a) != NULL) &&
           lpi_is_candidate(a, s->ask.P, &s->c);
}

static void begin_with_rows(struct search *s)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; !is_over(s) && (a = logp_algorithm_at(s->what->name, i)) != NULL; i++) {
        int64_t ns;

        if (!begins(s, a))
            continue;
        ns = read_row(s, a, 0, NULL);
        s->rc = s->rc == -ENOMEM ? s->rc : 0; /* a row that cannot be planned is left out */
        if (s->rc == 0 && ns < INT64_MAX)
            add_start(s, ns);
    }
}

/* ---- words ---- */

static bool has_words(const struct search *s)
{
    static const char *const names[] = {"barrier",        "allgather", "allreduce",
                                        "reduce-scatter", "scan",      "exscan"};

    return s->c.model.links == NULL && s->c.model.topology == NULL && s->ask.P > 1 &&
           is_named(s, names, sizeof(names) / sizeof(names[0]));
}

/* The steps of the row `census` with another word. */
static int read_word(struct search *s, const struct logp_algorithm *row,
                     const struct lpi_census *word)
{
    const struct logp_schedule schedule = lpi_schedule_of(row, s->ask.P, &s->c);
    const struct lpi_plan_state state = {word, sizeof(*word)};

    return lpi_draft_read_with(&s->draft, &schedule, &state);
}

static void deepen_words(struct search *s)
{
    const struct lpi_census_cost what = lpi_census_cost_of(s->what->name, &s->c);
    const struct logp_algorithm *row = logp_algorithm_find(s->what->name, "census");
    const struct lpi_census_effort effort = {s->nodes, ask_stop, s};
    struct lpi_census *word = malloc(sizeof(*word));
    int rc = word != NULL ? 0 : -ENOMEM;

    if (rc == 0)
        rc = lpi_census_deepen(word, s->ask.P, &s->c.model.params, &what, &effort, &s->words_done);
    s->nodes = s->nodes < INT64_MAX / 10 ? s->nodes * 10 : s->nodes;
    if (rc == 0 && word->found && lpi_is_candidate(row, s->ask.P, &s->c)) {
        rc = read_word(s, row, word);
        if (rc == 0) {
            const int64_t ns = cost(s, &s->draft, INT64_MAX);

            s->word_ns = ns < INT64_MAX ? ns : s->word_ns;
            take(s, &s->draft, ns, "word");
        }
    }
    free(word);
    if (rc == -ENOMEM)
        s->rc = rc;
}

/* ---- matchings ---- */

static bool is_vector(const struct search *s)
{
    return s->how == LPI_LOWER_REDUCE || s->how == LPI_LOWER_ALLREDUCE;
}

static struct lpi_cut cut_of(const struct search *s, int n_items)
{
    const size_t P = (size_t)s->ask.P;
    struct lpi_cut cut = {.how = s->how, .n_items = n_items};

    switch (s->how) {
    case LPI_LOWER_REDUCE:
    case LPI_LOWER_ALLREDUCE:
        cut.unit = lpi_element_bytes(&s->c);
        cut.whole = lpi_vector_bytes(&s->c);
        break;
    case LPI_LOWER_BROADCAST:
        cut.unit = 1;
        cut.whole = s->c.args.n_bytes;
        break;
    case LPI_LOWER_SCATTER:
    case LPI_LOWER_GATHER:
        cut.n_items = (int)P; /* a tree of one item, along which all go */
        cut.unit = s->c.args.n_bytes;
        cut.whole = P * cut.unit;
        break;
    case LPI_LOWER_REDUCE_SCATTER:
        cut.unit = lpi_vector_bytes(&s->c);
        cut.whole = P * cut.unit;
        break;
    case LPI_LOWER_ALLGATHER:
    case LPI_LOWER_ALLTOALL:
    case LPI_LOWER_BARRIER:
    case LPI_LOWER_NONE:
        cut.unit = s->c.args.n_bytes;
        cut.whole = P * cut.unit;
        break;
    }
    return cut;
}

static void place_home(struct search *s, const struct plan *plan)
{
    const int P = (int)s->ask.P;

    for (int i = 0; i < plan->n_items; i++) {
        if (plan->lone_home >= 0)
            s->home[i] = plan->lone_home;
        else if (s->how == LPI_LOWER_ALLTOALL)
            s->home[i] = i / P;
        else
            s->home[i] = (int)((int64_t)i * P / plan->n_items);
        s->goal[i] = s->how == LPI_LOWER_ALLTOALL ? i % P : -1;
    }
}

static struct lpi_matching matching_of(struct search *s, const struct plan *plan, bool backwards)
{
    const struct lpi_cut cut = cut_of(s, plan->n_items);
    struct lpi_matching x = {.P = (int)s->ask.P,
                             .n_items = plan->n_items,
                             .c = &s->c,
                             .home = s->home,
                             .goal = s->goal,
                             .to_all = s->how != LPI_LOWER_ALLTOALL,
                             .backwards = backwards};

    if (s->how != LPI_LOWER_BARRIER)
        x.item_bytes = s->how == LPI_LOWER_ALLTOALL ? cut.unit : cut.whole / (size_t)cut.n_items;
    if (backwards && s->how != LPI_LOWER_GATHER)
        x.combine_ns =
            lpi_combine_ns(&s->c.model.params, (int64_t)(x.item_bytes / lpi_element_bytes(&s->c)));
    return x;
}

/* Draw the number of items that a vector is cut into: often one, because bytes may cost nothing. */
static int draw_cut(struct search *s)
{
    static const int cuts[] = {1, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    const struct lpi_cut whole = cut_of(s, 1);
    const size_t units = whole.unit > 0 ? whole.whole / whole.unit : 1;
    int n = cuts[draw(s, sizeof(cuts) / sizeof(cuts[0]))];

    if (is_vector(s) && draw(s, 4) == 0)
        n = (int)s->ask.P;
    return (size_t)n <= units && n <= MOST_CUTS * 4 ? n : 1;
}

static void draw_plan(struct search *s, struct plan *plan)
{
    const int P = (int)s->ask.P;

    plan->lone_home = -1;
    switch (s->how) {
    case LPI_LOWER_BROADCAST:
    case LPI_LOWER_REDUCE:
        plan->n_items = draw_cut(s);
        plan->lone_home = s->c.args.root;
        break;
    case LPI_LOWER_SCATTER:
    case LPI_LOWER_GATHER:
        plan->n_items = 1;
        plan->lone_home = s->c.args.root;
        break;
    case LPI_LOWER_ALLREDUCE:
        plan->n_items = draw_cut(s);
        plan->lone_home = plan->n_items == 1 || draw(s, 2) == 0 ? 0 : -1;
        break;
    case LPI_LOWER_ALLTOALL:
        plan->n_items = P * P;
        break;
    case LPI_LOWER_ALLGATHER:
    case LPI_LOWER_REDUCE_SCATTER:
    case LPI_LOWER_BARRIER:
    case LPI_LOWER_NONE:
        plan->n_items = P;
        break;
    }
}

static struct lpi_rule draw_rule(struct search *s, const struct plan *plan)
{
    struct lpi_rule rule = {.most_items = 1 << draw(s, 9),
                            .lacks = draw(s, 3),
                            .near = draw(s, 3),
                            .noise = draw(s, 2) == 0 ? 0 : 1 << draw(s, 10),
                            .rotates = draw(s, 2) == 0,
                            .rarest = draw(s, 2) == 0,
                            .greedy_first = draw(s, 2) == 0,
                            .waits = draw(s, 4) == 0,
                            .seed = lpi_draw(&s->random)};

    if (s->how == LPI_LOWER_BARRIER || rule.most_items > plan->n_items || draw(s, 4) == 0)
        rule.most_items = plan->n_items;
    if (draw(s, 3) == 0)
        rule.most_items = 1;
    if (s->how == LPI_LOWER_BARRIER)
        rule.most_items = plan->n_items;
    return rule;
}

/* Take out some messages: one on the critical path, and some drawn. */
static void take_out(struct search *s, struct lpi_moves *m)
{
    const int most = 1 + (int)(m->n_moves / 8);
    int n = 1 + draw(s, most < 16 ? most : 16), at = m->last, length = 0;

    for (size_t i = 0; i < m->n_moves; i++)
        m->moves[i].planned = true;
    for (int i = m->last; i >= 0; i = m->acts[i].cause)
        length++;
    for (int i = length > 0 ? draw(s, length) : 0; i > 0; i--)
        at = m->acts[at].cause;
    if (at >= 0)
        m->moves[m->acts[at].move].planned = false;
    while (n-- > 1 && m->n_moves > 0)
        m->moves[draw(s, (int)m->n_moves)].planned = false;
}

static bool is_turned(const struct search *s)
{
    return s->how == LPI_LOWER_REDUCE || s->how == LPI_LOWER_GATHER || is_vector(s) ||
           s->how == LPI_LOWER_REDUCE_SCATTER;
}

/* Fill s->next anew, or from the kept plan. */
static int match(struct search *s, bool anew)
{
    const bool both = s->how == LPI_LOWER_ALLREDUCE;
    const int part = draw(s, 3); /* of both: which is changed */
    struct lpi_matching x;
    struct lpi_rule rule;
    int rc;

    if (anew)
        draw_plan(s, &s->next);
    else {
        s->next.n_items = s->kept.n_items;
        s->next.lone_home = s->kept.lone_home;
        take_out(s, &s->kept.moves);
        if (both)
            take_out(s, &s->kept.then);
    }
    rule = draw_rule(s, &s->next);
    place_home(s, &s->next);
    x = matching_of(s, &s->next, is_turned(s));
    if (!anew && both && part == 0)
        rc = lpi_moves_copy(&s->next.moves, &s->kept.moves);
    else
        rc = lpi_matching_run(&x, anew ? NULL : &s->kept.moves, &rule, &s->next.moves);
    if (rc != 0 || !both)
        return rc;
    if (!anew && part == 1)
        return lpi_moves_copy(&s->next.then, &s->kept.then);
    x = matching_of(s, &s->next, false);
    return lpi_matching_run(&x, anew ? NULL : &s->kept.then, &rule, &s->next.then);
}

static int keep_plan(struct search *s, int64_t ns)
{
    s->kept.n_items = s->next.n_items;
    s->kept.lone_home = s->next.lone_home;
    s->kept.ns = ns;
    return lpi_moves_copy(&s->kept.moves, &s->next.moves) != 0 ||
                   lpi_moves_copy(&s->kept.then, &s->next.then) != 0
               ? -ENOMEM
               : 0;
}

static bool is_tree(const struct search *s)
{
    return s->how == LPI_LOWER_BROADCAST || s->how == LPI_LOWER_REDUCE ||
           s->how == LPI_LOWER_SCATTER || s->how == LPI_LOWER_GATHER;
}

static const char *found_by(const struct search *s)
{
    return is_tree(s) && s->next.n_items == 1 ? "tree" : "matching";
}

/* Compute the time of s->next, and keep it if it is at least as good as the kept plan. */
static void weigh_plan(struct search *s)
{
    const struct lpi_cut cut = cut_of(s, s->next.n_items);
    int64_t ns;

    if (s->rc == 0)
        s->rc = lpi_lower(&cut, &s->c, (int)s->ask.P, &s->next.moves,
                          s->how == LPI_LOWER_ALLREDUCE ? &s->next.then : NULL, &s->draft);
    if (s->rc != 0)
        return;
    ns = cost(s, &s->draft, s->kept.ns);
    if (ns > s->kept.ns || ns == INT64_MAX)
        return;
    s->rc = keep_plan(s, ns);
    take(s, &s->draft, ns, found_by(s));
}

/* Try one matching: a new one in the first rounds and sometimes later, else a change of the kept
 * one. */
static void try_matching(struct search *s)
{
    const bool anew = s->kept.ns == INT64_MAX || s->state.rounds < 24 || draw(s, 8) == 0;

    s->rc = match(s, anew);
    weigh_plan(s);
}

/* The trees of the table are to be changed, too: begin with the best of them. */
static void begin_with_trees(struct search *s)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; s->rc == 0 && (a = logp_algorithm_at(s->what->name, i)) != NULL; i++) {
        struct logp_invocation c = s->c;
        struct logp_schedule schedule;
        int rc;

        if (a->steps == NULL || lpi_contained_of(a) != NULL || !lpi_is_candidate(a, s->ask.P, &c) ||
            is_over(s))
            continue;
        lpi_resolve_free(a, s->ask.P, &c);
        schedule = lpi_schedule_of(a, s->ask.P, &c);
        rc = lpi_draft_read(&s->draft, &schedule);
        if (rc == 0)
            rc = lpi_raise(s->how, &s->draft, s->c.args.root, &s->next.moves);
        if (rc == -ENOMEM)
            s->rc = rc;
        if (rc != 0)
            continue;
        s->next.n_items = 1;
        s->next.lone_home = s->c.args.root;
        weigh_plan(s);
    }
}

/* ---- orders ---- */

/* Move a step of a rank by a few places. @return the order has changed */
static bool move_step(struct search *s, struct lpi_draft *d, int64_t rank, size_t element_bytes)
{
    const int64_t n = d->n[rank];
    int64_t at = n > 1 ? (int64_t)(lpi_draw(&s->random) % (uint64_t)(n - 1)) : -1;
    bool changed = false;

    for (int places = 1 + draw(s, 4); at >= 0 && at + 1 < n && places > 0; places--, at++) {
        if (!lpi_order_swap(d, rank, at, element_bytes))
            break;
        changed = true;
    }
    return changed;
}

static void try_order(struct search *s, struct start *start)
{
    const size_t element_bytes = s->c.args.op != NULL ? s->c.args.op->element_bytes : 1;
    const bool on_path = s->n_critical > 0 && draw(s, 4) > 0;
    const int64_t rank = on_path ? s->critical[draw(s, s->n_critical)] : draw(s, (int)s->ask.P);
    const size_t size = (size_t)start->draft.n[rank] * sizeof(struct logp_step);
    struct logp_step *before = malloc(size + 1);
    int64_t ns;

    if (before == NULL) {
        s->rc = -ENOMEM;
        return;
    }
    if (size > 0)
        memcpy(before, start->draft.steps[rank], size);
    ns = move_step(s, &start->draft, rank, element_bytes) ? cost(s, &start->draft, start->ns)
                                                          : INT64_MAX;
    if (ns > start->ns && size > 0)
        memcpy(start->draft.steps[rank], before, size);
    else if (ns < start->ns) {
        start->ns = ns;
        take(s, &start->draft, ns, "order");
    }
    free(before);
}

/* Change the order of one schedule: in every second round of the one that is as good as the best. */
static void try_orders(struct search *s)
{
    struct start *start = &s->starts[draw(s, 2) > 0 ? draw(s, s->n_starts) : 0];

    note_critical(s, &start->draft);
    for (int i = 0; i < ORDERS && !is_proven(s) && s->rc == 0; i++)
        try_order(s, start);
}

/* ---- all of it ---- */

/* Whether a message costs the same whatever its size, and only L, o and g. */
static bool is_plain(const struct search *s)
{
    const struct logp_params *p = &s->c.model.params;
    const size_t most = lpi_bytes((size_t)s->ask.P, s->c.args.n_bytes);

    return s->c.model.links == NULL && s->c.model.topology == NULL && !p->gap_shared &&
           !lpi_has_ports(&s->c.model) && logp_params_capacity(p) == 0 &&
           s->c.model.rendezvous_from == 0 && !p->recv_streams && !p->latency_varies &&
           logp_params_stream_ns(p, most) == 0;
}

/* Search for a schedule that ends earlier than the best; repeat this until no earlier one is found. */
static void exhaust(struct search *s)
{
    const struct lpi_cut cut = cut_of(s, (int)s->ask.P);
    int rc = 1;

    if ((s->how != LPI_LOWER_BARRIER && s->how != LPI_LOWER_ALLGATHER) ||
        s->ask.P > LPI_EXHAUSTIVE_P || s->ask.P < 2 || !is_plain(s))
        return;
    while (rc == 1 && !is_over(s)) {
        const int64_t before = s->state.ns;

        rc = lpi_exhaustive((int)s->ask.P, &s->c.model.params, before - 1, ask_stop, s,
                            &s->next.moves);
        if (rc == 0)
            s->proof = LOGP_SEARCH_EXHAUSTIVE;
        if (rc == -ENOMEM)
            s->rc = rc;
        if (rc != 1)
            return;
        s->rc = lpi_lower(&cut, &s->c, (int)s->ask.P, &s->next.moves, NULL, &s->draft);
        if (s->rc == 0)
            take(s, &s->draft, cost(s, &s->draft, before - 1), "exhaustive");
        if (s->state.ns >= before)
            return;
    }
}

static bool has_matchings(const struct search *s)
{
    return s->how != LPI_LOWER_NONE && s->ask.P > 1 && s->c.args.work_ns == 0 &&
           (s->how != LPI_LOWER_ALLTOALL || s->ask.P * s->ask.P <= MOST_ITEMS) &&
           (!is_turned(s) || s->c.args.op == NULL || s->c.args.op->commutative);
}

static void look(struct search *s)
{
    const bool matches = has_matchings(s), words = has_words(s);

    if (words && !is_over(s))
        deepen_words(s);
    if (!is_over(s))
        exhaust(s);
    if (matches && is_tree(s) && !is_over(s))
        begin_with_trees(s);
    begin_with_rows(s);
    while (!is_over(s)) {
        if (words && !s->words_done && s->state.rounds % DEEPEN_EVERY == DEEPEN_EVERY - 1)
            deepen_words(s);
        if (matches)
            try_matching(s);
        if (!matches || s->state.rounds % 4 == 3)
            try_orders(s);
        s->state.rounds++;
    }
}

static int begin(struct search *s)
{
    const int64_t P = s->ask.P;

    s->rc = lpi_folds_init(&s->folds, P, &s->c);
    if (s->rc == 0)
        s->rc = s->folds.rc != 0 ? -ENOTSUP : 0;
    if (s->rc != 0)
        return s->rc;
    s->home = calloc(MOST_ITEMS + 1, sizeof(*s->home));
    s->goal = calloc(MOST_ITEMS + 1, sizeof(*s->goal));
    s->critical = calloc((size_t)P, sizeof(*s->critical));
    if (s->home == NULL || s->goal == NULL || s->critical == NULL ||
        lpi_draft_init(&s->best, P) != 0 || lpi_draft_init(&s->draft, P) != 0 ||
        lpi_draft_init(&s->starts[0].draft, P) != 0)
        s->rc = -ENOMEM;
    s->n_starts = 1;
    return s->rc;
}

static void end(struct search *s)
{
    lpi_folds_fini(&s->folds);
    free(s->home);
    free(s->goal);
    free(s->critical);
    lpi_draft_fini(&s->draft);
    for (int i = 0; i < s->n_starts; i++)
        lpi_draft_fini(&s->starts[i].draft);
    lpi_moves_fini(&s->kept.moves);
    lpi_moves_fini(&s->kept.then);
    lpi_moves_fini(&s->next.moves);
    lpi_moves_fini(&s->next.then);
}

/* The result, which owns the steps. */
struct found {
    struct logp_search_result result;
    struct logp_step_list list;
    struct lpi_draft draft;
};

static int answer(struct search *s, struct logp_search_result **out)
{
    struct found *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return -ENOMEM;
    f->draft = s->best;
    s->best = (struct lpi_draft){0};
    f->list = lpi_draft_list(&f->draft);
    f->result = (struct logp_search_result){.size = sizeof(f->result),
                                            .state = s->state,
                                            .proof = s->proof,
                                            .words_done = s->words_done,
                                            .word_ns = s->word_ns,
                                            .list = &f->list};
    *out = &f->result;
    return 0;
}

/* 0; -EINVAL, -ENOTSUP */
static int set_up(struct search *s, const struct logp_search *given)
{
    int rc = logp_struct_take(&s->ask, sizeof(s->ask), LOGP_UP_TO(struct logp_search, arg), given);

    if (rc != 0)
        return rc;
    if (s->ask.collective == NULL || s->ask.args == NULL || s->ask.P < 1 ||
        s->ask.P > LOGP_SEARCH_P || (s->ask.rounds <= 0 && s->ask.stop == NULL) ||
        s->ask.args->blocks != NULL || s->ask.args->list != NULL || s->ask.args->root < 0 ||
        s->ask.args->root >= s->ask.P)
        return -EINVAL;
    s->what = logp_collective_find(s->ask.collective);
    if (s->what == NULL || s->what == &lpi_schedule)
        return -EINVAL;
    s->c = lpi_invocation(s->ask.args, s->ask.network);
    s->c.args.in_place = false;
    if (s->what->operands == LOGP_OPERANDS_TOTAL || s->c.model.undelayed ||
        lpi_is_drawn(&s->c.model) || s->c.model.params.recv_streams)
        return -ENOTSUP;
    for (size_t i = 0; i < sizeof(lowerings) / sizeof(lowerings[0]); i++)
        if (strcmp(lowerings[i].collective, s->what->name) == 0)
            s->how = lowerings[i].how;
    s->random = s->ask.seed;
    s->nodes = FIRST_NODES;
    s->word_ns = -1;
    s->kept.ns = INT64_MAX;
    s->state.bound_ns =
        logp_collective_lower_bound(s->what->name, s->ask.P, &s->c.args, &s->c.model);
    return 0;
}

int logp_search_run(const struct logp_search *search, struct logp_search_result **out)
{
    struct search s = {.rc = 0};
    int rc = set_up(&s, search);

    *out = NULL;
    if (rc != 0)
        return rc;
    if (begin(&s) == 0)
        begin_with_table(&s);
    if (s.rc == 0)
        look(&s);
    if (s.rc == 0)
        s.rc = answer(&s, out);
    lpi_draft_fini(&s.best);
    end(&s);
    return s.rc;
}

void logp_search_free(struct logp_search_result *result)
{
    struct found *f = (struct found *)result;

    if (f == NULL)
        return;
    lpi_draft_fini(&f->draft);
    free(f);
}

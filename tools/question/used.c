/* SPDX-License-Identifier: MIT */
/* Which options the command, the collective and its algorithms use. */
#include "question/rows.h"

#include <stdlib.h>
#include <string.h>

static bool is_rooted(const struct logp_collective *c)
{
    return c->rooted;
}

static bool has_count(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_VECTOR || c->operands == LOGP_OPERANDS_TOTAL;
}

static bool has_bytes(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_BYTES || has_count(c);
}

bool takes_blocks(const struct logp_collective *c)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(c->name, i)) != NULL; i++)
        if (a->any_blocks)
            return true;
    return false;
}

static bool combines_on_all(const struct logp_collective *c)
{
    return c->same_results;
}

static bool has_matrix(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_MATRIX;
}

static bool has_type(const struct logp_collective *c)
{
    return has_count(c) || has_matrix(c);
}

bool any_has_knob(const struct logp_collective *c, const struct logp_knob *knob)
{
    const struct logp_algorithm *a;
    bool has = false;

    for (size_t i = 0; !has && (a = logp_algorithm_at(c->name, i)) != NULL; i++)
        has = logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL);
    return has;
}

/* Whether any of the named algorithms has this parameter. True for an unknown name,
 * which is refused elsewhere. */
static bool named_have_knob(const char *names, const struct logp_collective *c,
                            const struct logp_knob *knob)
{
    char *list = need(strdup(names)), *save = NULL;
    bool has = false;

    for (char *name = strtok_r(list, ",", &save); name != NULL; name = strtok_r(NULL, ",", &save)) {
        const struct logp_algorithm *a = logp_algorithm_find(c->name, name);

        has |= a == NULL || logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL);
    }
    free(list);
    return has;
}

bool has_knob(const struct question *q, const struct logp_collective *c,
              const struct logp_knob *knob)
{
    const bool shown_as_tree = (q->line.sets & OPTIONS_TREE) != 0 && !option_given(q, "algo") &&
                               logp_algorithm_find(c->name, "optimal") != NULL;

    if (q->what.list != NULL)
        return false;
    if (shown_as_tree)
        return named_have_knob("optimal", c, knob);
    if (q->what.algorithms == ALGORITHMS_NAMED)
        return named_have_knob(q->what.algorithm_list, c, knob);
    return any_has_knob(c, knob);
}

const struct logp_collective *named_at(const struct question *q, int i)
{
    const bool several = (q->line.sets & (OPTIONS_TUNE | OPTIONS_VALIDATE)) != 0;

    if (q->what.list != NULL)
        return i > 0 ? NULL : q->what.as != NULL ? q->what.as : logp_collective_find("schedule");
    if (q->form.export != NULL && *q->form.export != '\0')
        return NULL;
    if ((!several && ((q->line.sets & OPTIONS_MODEL) == 0 || i > 0)) || i + 1 >= q->line.n_words)
        return NULL;
    return logp_collective_find(q->line.words[i + 1]);
}

const struct logp_collective *named_by_words(const struct question *q)
{
    return (q->line.sets & OPTIONS_MODEL) != 0 ? named_at(q, 0) : NULL;
}

/* ---- options that another option makes idle ---- */

static bool has_counts(const struct question *q)
{
    return q->what.n_counts > 0 && named_at(q, 0) != NULL && takes_blocks(named_at(q, 0));
}

static bool has_schedule(const struct question *q)
{
    return q->what.list != NULL;
}

static bool has_no_schedule(const struct question *q)
{
    return q->what.list == NULL;
}

/* A plugin is given all parameters, and has rules of its own. */
static bool is_plain(const struct question *q)
{
    return q->model.network.params.G_ps > 0 && q->model.ignores_G && q->model.plugin == NULL;
}

/* Only LogGOPSim's rules know O. */
static bool is_without_O(const struct question *q)
{
    return q->model.network.params.O_ps > 0 && !model_params(q).recv_streams;
}

static bool is_free(const struct question *q)
{
    return !q->model.emulated && q->model.plugin == NULL;
}

static bool has_plugin(const struct question *q)
{
    return q->model.plugin != NULL;
}

static bool is_unmeasured_paper(const struct question *q)
{
    return (q->line.sets & OPTIONS_PAPER) != 0 && q->how.clock == LOGP_CLOCK_VIRTUAL;
}

/* On the virtual clock the placement makes no difference. */
static bool is_placed_in_vain(const struct question *q)
{
    return q->how.clock == LOGP_CLOCK_VIRTUAL && q->how.place != PLACE_BLOCK;
}

static bool keeps_nothing(const struct question *q)
{
    return q->form.raw != NULL && q->how.clock == LOGP_CLOCK_VIRTUAL;
}

static bool is_unmeasured(const struct question *q)
{
    return q->how.clock == LOGP_CLOCK_VIRTUAL;
}

static bool is_only_predicted(const struct question *q)
{
    return q->how.only_predicted;
}

/* ---- options that need another option ---- */

static bool is_map_unmeasured(const struct question *q)
{
    return (q->line.sets & OPTIONS_CROSSOVER) != 0 && !q->how.measure;
}

static bool has_no_file(const struct question *q)
{
    return q->form.output == NULL;
}

static bool has_no_picture(const struct question *q)
{
    return q->form.plot == NULL && !q->form.format->draws && !q->form.format->curves;
}

/* Whether the format is another one than a diagram; of mpirun, whether none is drawn. */
static bool has_no_diagram(const struct question *q)
{
    if ((q->line.sets & OPTIONS_MPIRUN) != 0 && q->mpi.traced == NULL)
        return true;
    return q->form.format->trace == NULL || !(q->form.format->for_people || q->form.format->draws);
}

static bool has_no_saved(const struct question *q)
{
    return q->form.against == NULL;
}

static bool has_no_chance(const struct question *q)
{
    return (q->line.sets & (OPTIONS_RUN | OPTIONS_FAULT)) == OPTIONS_FAULT && !is_faulty(q) &&
           q->model.arrival_text == NULL;
}

/* A table of the best algorithms has neither faults nor noise. */
static bool has_no_arrival(const struct question *q)
{
    return (q->line.sets & OPTIONS_TUNE) != 0 && q->model.arrival_text == NULL;
}

const struct limit limits[] = {
    {{"root"}, .used_by = is_rooted},
    {{"bytes"}, .used_by = has_bytes},
    {{"count"}, .used_by = has_count},
    {{"counts"}, .used_by = takes_blocks},
    {{"bytes", "count"}, .idle = has_counts, .beside = "counts"},
    {{"op"}, .used_by = has_count, .except = OPTIONS_TREE},
    {{"type"}, .used_by = has_type},
    {{"gamma"}, .used_by = has_count},
    {{"rows", "cols", "packing"}, .used_by = has_matrix},
    {{"same-results"}, .used_by = combines_on_all},
    {{"algo"}, .idle = has_schedule, .beside = "schedule"},
    {{"algo"}, .except = OPTIONS_SEARCH},
    {{"as"}, .idle = has_no_schedule, .without = "--schedule"},
    {{"plugin"}, .except = OPTIONS_PAPER},
    {{"warmup"}, .except = OPTIONS_MEASURE},
    {{"disturbed-by"}, .except = OPTIONS_MEASURE | OPTIONS_TRACE},
    {{"disturbed-by"}, .idle = is_unmeasured, .beside = "clock"},
    {{"raw"}, .idle = keeps_nothing, .beside = "clock"},
    {{"by"}, .except = OPTIONS_TRACE},
    {{"by", "L", "o", "o-send", "o-recv", "g", "G", "O", "gap", "capacity", "ports"},
     .idle = is_free,
     .beside = "delay"},
    {{"G"}, .idle = is_plain, .beside = "delay"},
    {{"O"}, .idle = is_without_O, .without = "--delay loggops"},
    {{"delay"}, .idle = has_plugin, .beside = "plugin"},
    {{"reps", "warmup"}, .idle = is_unmeasured_paper, .beside = "clock"},
    {{"clock", "executor", "reps", "warmup", "cores", "place", "queue-limit", "timeout",
      "progress"},
     .idle = is_only_predicted,
     .beside = "predicted"},
    {{"place"}, .idle = is_placed_in_vain, .beside = "clock"},
    {{"clock", "executor", "reps", "warmup", "cores", "place", "queue-limit", "timeout", "seed",
      "precision", "limit", "disturbed-by"},
     .idle = is_map_unmeasured,
     .without = "--measure"},
    {{"restart"}, .idle = has_no_file, .without = "--output"},
    {{"from", "to", "only"},
     .idle = has_no_diagram,
     .without = "a diagram (--trace or --output FILE.svg)"},
    {{"size", "title", "scale"},
     .idle = has_no_picture,
     .without = "a picture (--output FILE.svg)"},
    {{"fail-on"}, .idle = has_no_saved, .without = "--against"},
    {{"seed"}, .idle = has_no_chance, .without = "--noise, --fault or --arrival"},
    {{"seed"}, .idle = has_no_arrival, .without = "--arrival"},
    {.options = {NULL}},
};

bool is_usable(const struct limit *limit, const struct question *q)
{
    const struct logp_collective *c = named_at(q, 0);
    bool usable = c == NULL || limit->used_by == NULL;

    for (int k = 0; !usable && (c = named_at(q, k)) != NULL; k++)
        usable = limit->used_by(c);
    return usable && (q->line.sets & limit->except) == 0;
}

bool option_matters(const char *name, const struct question *q)
{
    const struct logp_knob *knob = logp_knob_find(name);
    const struct logp_collective *c = named_at(q, 0);

    if (knob != NULL && c != NULL && !has_knob(q, c, knob))
        return false;
    for (const struct limit *limit = limits; *limit->options != NULL; limit++)
        for (const char *const *option = limit->options; *option != NULL; option++)
            if (strcmp(*option, name) == 0 && !is_usable(limit, q))
                return false;
    return true;
}

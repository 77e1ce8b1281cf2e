/* SPDX-License-Identifier: MIT */
/* The parameters of algorithms: each has a field of struct logp_args, and a row here. */
#include "choice/choice.h"

#include <logp/paper.h>

#include <string.h>

static const struct logp_word k_words[] = {{"sqrt", LOGP_K_SQRT}, {0}};
static const struct logp_word overlap_words[] = {{"on", 0}, {"off", 1}, {0}};

#define FIELD(name) .field = offsetof(struct logp_args, name)

/* In the order of the command's help and of records. */
static const struct logp_knob knobs[] = {
    {"k", "N", "number of chains or segments, or the radix; or sqrt", "", "predicted best",
     "a whole number >= 1, or sqrt", "k", LOGP_UNIT_NUMBER, 1, LOGP_TREE_MAX, k_words, FIELD(k)},
    {"window", "W", "number of sends in flight ahead of the receives", "", "predicted best",
     "a number of sends, >= 1", "window", LOGP_UNIT_NUMBER, 1, LOGP_TREE_MAX, NULL, FIELD(window)},
    {"block", "BYTES", "size of a pipelined block", "", "predicted best",
     "a number of bytes, 1 .. 2^40", "block", LOGP_UNIT_BYTES, 1, INT64_C(1) << 40, NULL,
     FIELD(block_bytes)},
    {"pack", "T", "time to pack a column", "0", "", "a time", "pack_ns", LOGP_UNIT_NS, 0,
     LOGP_PARAM_MAX_NS, NULL, FIELD(pack_ns)},
    {"work", "T", "broadcast: time that each processor takes to process the item", "0", "",
     "a time", "work_ns", LOGP_UNIT_NS, 0, LOGP_PARAM_MAX_NS, NULL, FIELD(work_ns)},
    {"overlap", "WHEN", "overlap processing with forwarding: on, off", "on", "", "one of: on, off",
     "overlap", LOGP_UNIT_WORD, 0, 1, overlap_words, FIELD(no_overlap)},
};

const struct logp_knob *logp_knob_at(size_t i)
{
    return i < sizeof(knobs) / sizeof(knobs[0]) ? &knobs[i] : NULL;
}

const struct logp_knob *logp_knob_find(const char *name)
{
    const struct logp_knob *knob;

    for (size_t i = 0; (knob = logp_knob_at(i)) != NULL && strcmp(knob->name, name) != 0;)
        i++;
    return knob;
}

bool logp_algorithm_knob(const struct logp_algorithm *algorithm, const struct logp_knob *knob,
                         int64_t P, const struct logp_args *args, const struct logp_network *model,
                         int64_t *value)
{
    int i = 0;

    while (i < LOGP_MAX_KNOBS && algorithm->knobs[i].field != knob->field)
        i++;
    if (i == LOGP_MAX_KNOBS)
        return false;
    if (value != NULL && algorithm->knobs[i].value != NULL) {
        struct logp_invocation c = lpi_invocation(args, model);

        if (lpi_resolve_free(algorithm, P, &c) != 0)
            *value = LOGP_PREDICTION_NO_MEMORY;
        else
            *value = algorithm->knobs[i].value(P, &c);
    } else if (value != NULL) {
        *value = *(const int64_t *)((const char *)args + knob->field);
    }
    return true;
}

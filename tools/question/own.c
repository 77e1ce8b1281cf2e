/* SPDX-License-Identifier: MIT */
/* The memory of a question, which its copies share: see rows.h. */
#include "question/rows.h"

#include <stdlib.h>

struct kept {
    struct kept *next;
    void *memory;
    void (*drop)(void *memory);
};

struct question_own {
    void *parts[N_PARTS];
    struct kept *kept; /* the last first */
};

struct question_own *own_memory(void)
{
    return need(calloc(1, sizeof(struct question_own)));
}

void *kept_by(const struct question *q, void *memory, void (*drop)(void *memory))
{
    struct kept *k = need(malloc(sizeof(*k)));

    *k = (struct kept){q->own->kept, need(memory), drop};
    q->own->kept = k;
    return memory;
}

void *part_of(const struct question *q, enum question_part part, size_t size)
{
    if (q->own->parts[part] == NULL)
        q->own->parts[part] = kept_by(q, calloc(1, size), free);
    return q->own->parts[part];
}

void end_question(struct question *q)
{
    struct kept *next;

    for (struct kept *k = q->own != NULL ? q->own->kept : NULL; k != NULL; k = next) {
        next = k->next;
        k->drop(k->memory);
        free(k);
    }
    free(q->own);
    q->own = NULL;
}

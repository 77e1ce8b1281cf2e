/* SPDX-License-Identifier: MIT */
/* Events, choices, faults and waits of a run in words. */
#define _GNU_SOURCE
#include "kit.h"

#include <inttypes.h>

/* "EPROTO". NULL: unknown */
static const char *name_of_error(int number)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
    return strerrorname_np(number);
#else
    (void)number;
    return NULL;
#endif
}

static void rank_or_any(struct lpi_text *t, int source)
{
    if (source == LOGP_ANY_SOURCE)
        lpi_text_add(t, "any rank");
    else
        lpi_text_add(t, "rank %d", source);
}

/* The check whose names tags have; NULL: none. */
static _Thread_local const struct logp_check *names;

void lpi_words_use(const struct logp_check *check)
{
    names = check;
}

void lpi_tell_tag(struct lpi_text *t, int tag)
{
    if (tag == LOGP_ANY_TAG)
        lpi_text_add(t, ", any tag");
    else
        lpi_text_add(t, ", tag %d", tag);
    if (names != NULL && names->tag_names != NULL && tag >= 0 && tag < names->n_tag_names &&
        names->tag_names[tag] != NULL)
        lpi_text_add(t, " (%s)", names->tag_names[tag]);
}

void lpi_tell_named(struct lpi_text *t, struct lpi_named named, int64_t i)
{
    lpi_text_add(t, "%s: ", named.what);
    if (named.names != NULL)
        lpi_text_add(t, "%s", named.names[i]);
    else
        lpi_text_add(t, "%" PRId64, i);
}

static void tell_object(struct lpi_text *t, int key)
{
    const char *name = lpi_touched_name(key);

    if (name != NULL)
        lpi_text_add(t, "%s", name);
    else if (key == LPI_HISTORY_KEY)
        lpi_text_add(t, "the history");
    else
        lpi_text_add(t, "object %d", key);
}

void lpi_tell_wait(struct lpi_text *t, const struct logp_wait_info *w)
{
    char words[128];

    logp_wait_text(w, words, sizeof(words));
    lpi_text_add(t, "%s", words);
}

/* The call before which a fault comes; to: -1: no message is concerned, and tag is the kind of call */
static void tell_call(struct lpi_text *t, int to, int tag)
{
    const char *const words[] = {[LOGP_NOTE_RECEIVE] = "it waits",
                                 [LOGP_NOTE_FOUND] = "it looks for a message",
                                 [LOGP_NOTE_COMPUTED] = "it computes",
                                 [LOGP_NOTE_WAITED] = "it sleeps or yields",
                                 [LOGP_NOTE_TOUCHED] = "it touches an object",
                                 [LOGP_NOTE_KEPT] = "it makes something durable"};

    if (to >= 0) {
        lpi_text_add(t, " before it sends to rank %d", to);
        lpi_tell_tag(t, tag);
    } else if (tag >= 0 && tag < (int)(sizeof(words) / sizeof(words[0])) && words[tag] != NULL) {
        lpi_text_add(t, " before %s", words[tag]);
    }
}

/* to, tag: as tell_call() */
static void tell_fault(struct lpi_text *t, enum logp_fault_choice what, int rank, int to, int tag)
{
    switch (what) {
    case LOGP_FAULT_NONE:
        lpi_text_add(t, "rank %d continues", rank);
        return;
    case LOGP_FAULT_LOST:
    case LOGP_FAULT_DOUBLED:
        lpi_text_add(t, "the message of rank %d to rank %d", rank, to);
        lpi_tell_tag(t, tag);
        lpi_text_add(t, ", %s", what == LOGP_FAULT_LOST ? "is lost" : "comes twice");
        return;
    case LOGP_FAULT_CRASH:
        lpi_text_add(t, "rank %d crashes", rank);
        break;
    case LOGP_FAULT_RESTART:
        lpi_text_add(t, "rank %d crashes and starts again", rank);
        break;
    case LOGP_FAULT_CUT:
        lpi_text_add(t, "rank %d is cut off", rank);
        break;
    case LOGP_FAULT_SPLIT:
        lpi_text_add(t, "a partition begins");
        break;
    case LOGP_FAULT_HEAL:
        lpi_text_add(t, "the partition heals");
        return;
    case LOGP_FAULT_CUT_LINKS:
    case LOGP_FAULT_HEAL_LINKS:
        lpi_text_add(t, "rank %d %s links", rank, what == LOGP_FAULT_CUT_LINKS ? "cuts" : "heals");
        return;
    }
    tell_call(t, to, tag);
}

/* The mark is the program's, or that of MPI_Finalize(), whose messages are those of a barrier. */
static void tell_collective(struct lpi_text *t, const char *mark)
{
    lpi_text_add(t, ", a message of a collective");
    if (mark != NULL)
        lpi_text_add(t, " after %s", mark);
}

/* named: give the tag, too, as it is what differs from the usual alternative */
void lpi_tell_alternative(struct lpi_text *t, const struct logp_alternative *a, bool named,
                          const char *mark)
{
    switch (a->kind) {
    case LOGP_GO_ON:
        lpi_text_add(t, "rank %d runs", a->rank);
        break;
    case LOGP_TAKE:
        lpi_text_add(t, "rank %d takes the message of rank %d", a->rank, a->source);
        if (a->context > LOGP_CONTEXT_MAX)
            tell_collective(t, mark);
        else if (named)
            lpi_tell_tag(t, a->tag);
        break;
    case LOGP_OVERTAKE:
        lpi_text_add(t, "rank %d takes a later message of rank %d first", a->rank, a->source);
        lpi_tell_tag(t, a->tag);
        break;
    case LOGP_MISS:
        lpi_text_add(
            t, a->index == 1 ? "the wait of rank %d ends at its time" : "rank %d polls too early",
            a->rank);
        break;
    case LOGP_DONE:
        lpi_text_add(t, "the send of rank %d to rank %d is complete", a->rank, a->source);
        if (named)
            lpi_tell_tag(t, a->tag);
        break;
    case LOGP_TOUCH:
        lpi_text_add(t, "rank %d touches ", a->rank);
        tell_object(t, a->tag);
        break;
    case LOGP_PICK:
        lpi_text_add(t, "rank %d chooses %d", a->rank, a->index);
        break;
    case LOGP_FAULT:
        tell_fault(t, (enum logp_fault_choice)a->tag, a->rank, a->source, a->polls);
        break;
    case LOGP_CANCEL:
        lpi_text_add(t,
                     a->request != 0 ? "rank %d cancels a receive in time"
                                     : "rank %d ends, which cancels its posted receives",
                     a->rank);
        break;
    }
}

void lpi_tell_note(struct lpi_text *t, const struct logp_note *n, const char *mark)
{
    switch (n->kind) {
    case LOGP_NOTE_SEND:
        lpi_text_add(t, "send to rank %d", n->peer);
        break;
    case LOGP_NOTE_RECEIVE:
        lpi_text_add(t, "receive of rank %d", n->peer);
        break;
    case LOGP_NOTE_FOUND:
        lpi_text_add(t, "found, a message of rank %d", n->peer);
        break;
    case LOGP_NOTE_MISSED:
        lpi_text_add(t, "found nothing of ");
        rank_or_any(t, n->peer);
        break;
    case LOGP_NOTE_ENDED:
        lpi_text_add(t, n->value != 0 ? "returned %" PRId64 : "returned", n->value);
        if (n->value < 0 && n->value > -4096 && name_of_error((int)-n->value) != NULL)
            lpi_text_add(t, " (%s)", name_of_error((int)-n->value));
        return;
    case LOGP_NOTE_COMPUTED:
    case LOGP_NOTE_WAITED:
        lpi_text_add(t, n->kind == LOGP_NOTE_COMPUTED ? "computed" : "waited");
        return;
    case LOGP_NOTE_TOUCHED:
        lpi_text_add(t, "touched ");
        tell_object(t, (int)n->value);
        return;
    case LOGP_NOTE_CHOSEN:
        lpi_text_add(t, "chose %" PRId64, n->value);
        return;
    case LOGP_NOTE_FAULT:
        tell_fault(t, (enum logp_fault_choice)n->value, n->rank, n->peer, n->tag);
        return;
    case LOGP_NOTE_TOO_LATE:
        lpi_text_add(t, "cancelled too late: a receive of ");
        rank_or_any(t, n->peer);
        lpi_tell_tag(t, n->tag);
        return;
    case LOGP_NOTE_KEPT:
        lpi_text_add(t, "made key %d durable, %" PRId64 " bytes", n->tag, n->value);
        return;
    case LOGP_NOTE_ASKED:
        lpi_text_add(t, "send to rank %d that waits for it", n->peer);
        break;
    case LOGP_NOTE_ANSWERED:
        lpi_text_add(t, "answer to rank %d", n->peer);
        break;
    case LOGP_NOTE_MARKED:
        return;
    }
    if (n->context > LOGP_CONTEXT_MAX)
        tell_collective(t, mark);
    else
        lpi_tell_tag(t, n->tag);
    if (n->kind != LOGP_NOTE_MISSED)
        lpi_text_add(t, ", %" PRId64 " bytes", n->value);
}

void lpi_tell_point(struct lpi_text *t, const struct lpi_point *p)
{
    if (p == NULL) {
        lpi_text_add(t, "there is none");
    } else if (p->kind < 0) {
        lpi_text_add(t, "a fault of message %d of rank %d to rank %d", p->tag + 1, p->rank,
                     p->source);
    } else {
        const struct logp_alternative a = {.kind = (enum logp_alternative_kind)p->kind,
                                           .rank = p->rank,
                                           .source = p->source,
                                           .tag = p->tag,
                                           .polls = p->polls,
                                           .index = p->tag};

        lpi_tell_alternative(t, &a, false, NULL);
    }
}

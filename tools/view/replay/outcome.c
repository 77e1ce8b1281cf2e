/* SPDX-License-Identifier: MIT */
/* The outcome of a replay: the failure, or why there is none. */
#include "view/replay/outcome.h"

#include <stdlib.h>
#include <string.h>

void note_changed(const char *path, const struct logp_replay *r, const struct replayed *what)
{
    if (what->outcome == REPLAYED_OTHERWISE)
        say("%s: %s fails with another error than before", path, r->name);
    else if (what->outcome == REPLAYED_PASSED || what->outcome == REPLAYED_FIXED)
        say("%s: %s does not fail any more", path, r->name);
}

struct problem *show_replayed(FILE *f, const char *path, const struct logp_replay *r,
                              const struct replayed *what)
{
    static const char again[] = "check it again";
    const bool differs = what->text != NULL && strncmp(what->text, "the environment ", 16) == 0;

    switch (what->outcome) {
    case REPLAYED_AGAIN:
    case REPLAYED_OTHERWISE:
        write_shown_lines(f, what->text);
        note_changed(path, r, what);
        return told(EXIT_WRONG);
    case REPLAYED_PASSED:
    case REPLAYED_FIXED:
        write_shown(f, r->name);
        fprintf(f, ", P = %d: it does not fail any more: %s\n", r->P,
                what->outcome == REPLAYED_FIXED ? "with the same choices, it is fixed"
                                                : "it is fixed, or the program has changed");
        if (differs)
            write_shown_lines(f, what->text);
        return NULL;
    case REPLAYED_STALE:
        return usage_problem("%s: %s does not make the same choices any more: %.*s", path, r->name,
                             differs ? (int)strcspn(what->text, "\n") : (int)strlen(again),
                             differs ? what->text : again);
    case REPLAYED_NOT:
        return usage_problem("%s: %s could not be run: %s", path, r->name,
                             strerror(abs(what->error)));
    case REPLAY_NOT_REACHED:
        break;
    }
    return usage_problem("%s: the program never came to a check of \"%s\" with P = %d", path,
                         r->name, r->P);
}

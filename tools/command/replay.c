/* SPDX-License-Identifier: MIT */
/* logp replay: a failure that the test kit has found, again. */
#include "replay/replay.h"
#include "command/command.h"
#include "file/file.h"

static int replay(struct options *o)
{
    struct logp_replay *r;
    struct replayed what;
    int code;

    if (o->n_words < 2)
        bad_usage("replay: which file? LOGP_REPLAY_DIR=DIR lets tests leave theirs there");
    if (o->n_words > 2)
        bad_usage("%s: unexpected word; a program of your own stands behind --", o->words[2]);
    r = read_replay(o->words[1]);
    what = run_replay(o, o->words[1], r, false);
    code = tell_replayed(o->words[1], r, &what);
    if (what.outcome <= REPLAYED_PASSED)
        answer_is_whole();
    free_replayed(&what);
    logp_replay_free(r);
    return code;
}

const struct command command_replay = {
    .name = "replay",
    .arguments = "FILE",
    .summary = "repeat a failure found by the test kit: FILE [-- PROGRAM ARGUMENTS]",
    .options = OPTIONS_AGAIN | OPTIONS_OUTPUT,
    .answer = ANSWER_WORDS,
    .remark =
        "\nA test that uses logp_check() (logp/check.h) leaves such a file where it fails, if\n"
        "LOGP_REPLAY_DIR=DIR is in its environment. The file knows its program and how that was\n"
        "started; here it is started so again, shows that one run, byte for byte, and skips all\n"
        "others. What it prints goes to stderr, the failure to stdout. Exit code: 1, it has "
        "failed\n"
        "again; 0, it does not fail any more; 2, the run could not be reproduced. Behind -- stands "
        "a\n"
        "program built elsewhere, or a debugger, in which processors may be threads:\n"
        "\n"
        "  logp replay FILE --executor thread -- gdb --args ./test\n"
        "\n"
        "logp trace --replay FILE draws it.",
    .call = replay,
    .starts = true,
};

/* SPDX-License-Identifier: MIT */
/* logp replay: a failure that the test kit has found, again. */
#include "view/replay/outcome.h"
#include "commands/command.h"
#include "file/file.h"

static struct problem *replay(struct question *q, struct answer_file *to)
{
    struct logp_replay *r;
    struct replayed what;
    struct problem *problem;

    if (q->line.n_words < 2)
        return usage_problem(
            "replay: needs a FILE; tests write replay files to DIR if LOGP_REPLAY_DIR=DIR is set");
    if (q->line.n_words > 2)
        return usage_problem(
            "%s: unexpected argument; to name a program, type -- PROGRAM ARGUMENTS",
            q->line.words[2]);
    TRY(read_replay(q->line.words[1], &r));
    problem = run_replay(q, q->line.words[1], r, false, &what);
    if (problem == NULL) {
        problem = show_replayed(to->f, q->line.words[1], r, &what);
        to->is_whole = what.outcome <= REPLAYED_FIXED;
        free_replayed(&what);
    }
    logp_replay_free(r);
    return problem;
}

const struct command command_replay = {
    .name = "replay",
    .arguments = "FILE",
    .summary = "repeat a failure found by the test kit: FILE [-- PROGRAM ARGUMENTS]",
    .options = OPTIONS_AGAIN | OPTIONS_OUTPUT,
    .answer = ANSWER_WORDS,
    .remark = "\nA test that uses logp_check() (logp/check.h) writes such a file when it fails, "
              "if\nLOGP_REPLAY_DIR=DIR is in its environment. The file contains the command of the "
              "program.\nreplay prints it and starts it again: replay files are trusted like "
              "scripts. A program\nthat is neither below the folder of the file nor below the "
              "current folder must be named:\n-- COMMAND. The program repeats the failed run, "
              "event by event, and "
              "skips all other\nruns. The program's output goes to stderr, the failure to stdout. "
              "Exit code: 1, it failed\nagain; 0, it does not fail any more; 2, the run could not "
              "be reproduced. After -- give a\nprogram built elsewhere, or a debugger, in which "
              "processors may be threads:\n"
              "\n"
              "  logp replay FILE --executor thread -- gdb --args ./test\n"
              "\n"
              "logp trace --replay FILE draws it.",
    .call = replay,
    .starts = true,
};

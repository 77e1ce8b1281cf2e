/* SPDX-License-Identifier: MIT */
/* The value of one option, with a command that takes it: a command, the option, and behind a blank
 * each what it is given. "run --fault drop:1e-3" is `logp run broadcast --fault drop:1e-3`; so all
 * options are, whatever their values are made of. */
#include "harness.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char collective[] = "broadcast";
    char *text = fuzz_text(data, size), *rest = text, *words[4];

    words[0] = strsep(&rest, " ");
    words[1] = collective;
    words[2] = rest != NULL ? strsep(&rest, " ") : words[0];
    words[3] = rest;
    /* plug-ins are loaded into this process: plugin.c; and what must be a file is file.c's */
    if (rest != NULL && strncmp(words[2], "--", 2) == 0 && strncmp(words[2], "--pl", 4) != 0)
        fuzz_logp(4, words);
    free(text);
    return 0;
}

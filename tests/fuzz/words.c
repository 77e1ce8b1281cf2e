/* SPDX-License-Identifier: MIT */
/* The command line: a word a line. */
#include "harness.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, *words[FUZZ_WORDS];
    int n = 0;

    while (rest != NULL && n < FUZZ_WORDS)
        words[n++] = strsep(&rest, "\n");
    fuzz_logp(n, words);
    free(text);
    return 0;
}

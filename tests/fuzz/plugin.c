/* SPDX-License-Identifier: MIT */
/* The arguments of a plug-in (the delay model jitter of the tests), from which model and parameters
 * are asked. */
#include "harness.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *words[] = {(char *)"predict", (char *)"broadcast", (char *)"--plugin", NULL};

    words[3] = malloc(sizeof(FUZZ_PLUGIN) + 1 + size + 1);
    strcat(strcat(strcpy(words[3], FUZZ_PLUGIN), ":"), text);
    fuzz_logp(4, words);
    free(words[3]);
    free(text);
    return 0;
}

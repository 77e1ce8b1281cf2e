/* SPDX-License-Identifier: MIT */
/* The command and the test kit, called again and again in one process: what fuzz targets share. */
#ifndef LOGP_FUZZ_HARNESS_H
#define LOGP_FUZZ_HARNESS_H

#include "question/question.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_WORDS = 24 };

/* `logp WORDS...` as far as its command line is understood: the command itself is not called. */
void fuzz_logp(int n, char **words);
/* An empty question, and its end with a problem or NULL. */
void fuzz_begin(struct question *q);
void fuzz_end(struct question *q, struct problem *problem);
/* A file with these contents: its path, until the next one is made. */
const char *fuzz_file(const void *contents, size_t n);
/* The same bytes as a string, which ends at the first 0. To be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif

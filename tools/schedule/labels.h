/* SPDX-License-Identifier: MIT */
/* labels.c: the labels of one rank of a GOAL file, and the steps that they stand for. */
#ifndef LOGP_LABELS_H
#define LOGP_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name in a text that stays. */
struct name {
    const char *at;
    size_t n;
};

struct label {
    struct name name; /* at NULL: there is none here */
    int64_t step;
};

struct labels {
    struct label *all; /* a hash table of 2^x */
    size_t n, capacity;
};

/* @return false: there is one of this name */
bool add_label(struct labels *l, struct name name, int64_t step);
/* @return its step; -1: there is none */
int64_t find_label(const struct labels *l, struct name name);
void forget_labels(struct labels *l);

#endif

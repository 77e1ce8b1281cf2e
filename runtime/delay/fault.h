/* SPDX-License-Identifier: MIT */
/* Faults and noise as texts describe them: fault_text.c reads the texts, fault.c is the model. */
#ifndef LPI_FAULT_H
#define LPI_FAULT_H

#include <logp/delay.h>

enum lpi_fault_what {
    LPI_DROP,
    LPI_DUPLICATE,
    LPI_FLIP,
    LPI_DELAY,
    LPI_CUT,
    LPI_STOP, /* from here on faults of processors */
    LPI_SLOW,
    LPI_FIXED, /* from here on noise */
    LPI_UNIFORM,
    LPI_EXPONENTIAL,
    LPI_SAMPLES,
    LPI_TICK,
};

enum { LPI_MOST_RANGES = 16 };

/* n == 0: all ranks */
struct lpi_rank_set {
    int n;
    struct {
        int64_t first, last;
    } range[LPI_MOST_RANGES];
};

struct lpi_fault {
    enum lpi_fault_what what;
    double p;       /* messages: probability */
    double factor;  /* delay, slow */
    int64_t ns;     /* T */
    int64_t length; /* tick: D */
    int64_t shift;  /* tick: S; -1: drawn */
    struct lpi_rank_set a, b;
    bool to_b, either_way; /* from a to b; also back */
    int64_t from, to;      /* since time 0; to == INT64_MAX: for ever */
    uint64_t salt;         /* distinguishes its draws */
    int64_t *samples;
    int n_samples;
};

/* Read a text of noise or of faults, and append to *faults. @return 0; -EINVAL: see why; -ENOMEM */
int lpi_faults_read(const char *text, bool noise, const struct logp_fault_config *config,
                    struct lpi_fault **faults, int *n, char why[LOGP_FAULT_WHY]);
void lpi_faults_free(struct lpi_fault *faults, int n);
const char *lpi_fault_name(enum lpi_fault_what what);

/* fault.c: if *delay is a model of faults, replace it by its inner model. @return true: it is */
bool lpi_fault_within(struct logp_delay *delay);

#endif

/* SPDX-License-Identifier: MIT */
/* A schedule from a file: which format it has, its steps, and whether they fit together. */
#include "schedule_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_bytes = INT64_C(1) << 30;

static void *or_end(void *memory)
{
    if (memory == NULL)
        bad_usage("no memory for the schedule");
    return memory;
}

void begin_reading(struct reading *r, int64_t P)
{
    if (P < 1 || P > LOGP_MAX_PROCESSORS)
        bad_option(r->option, r->file, "1 .. %d ranks", LOGP_MAX_PROCESSORS);
    r->steps = or_end(calloc((size_t)P, sizeof(*r->steps)));
    r->n = or_end(calloc((size_t)P, sizeof(*r->n)));
    r->room = or_end(calloc((size_t)P, sizeof(*r->room)));
    r->list = (struct logp_step_list){
        .P = P, .steps = (const struct logp_step *const *)r->steps, .n = r->n};
}

static struct logp_step *one_more(struct reading *r, int64_t rank)
{
    if (r->n[rank] == r->room[rank]) {
        r->room[rank] = r->room[rank] > 0 ? 2 * r->room[rank] : 4;
        r->steps[rank] =
            or_end(realloc(r->steps[rank], (size_t)r->room[rank] * sizeof(struct logp_step)));
    }
    return memset(&r->steps[rank][r->n[rank]++], 0, sizeof(struct logp_step));
}

void read_message(struct reading *r, int64_t rank, enum logp_step_kind kind, int64_t peer,
                  int64_t n_bytes, int64_t tag, const char *place)
{
    struct logp_step *s;

    if (peer < 0 || peer >= r->list.P)
        bad_option(r->option, r->file, "%s: rank %lld: a rank is 0 .. %lld", place, (long long)peer,
                   (long long)r->list.P - 1);
    if (n_bytes < 0 || n_bytes > most_bytes)
        bad_option(r->option, r->file, "%s: %lld bytes: a message has 0 .. 2^30", place,
                   (long long)n_bytes);
    if (tag < 0 || tag > INT_MAX)
        bad_option(r->option, r->file, "%s: tag %lld: a tag is 0 .. %d", place, (long long)tag,
                   INT_MAX);
    s = one_more(r, rank);
    logp_step_send(s, peer, (int)tag, LOGP_RECV_BUF, 0, (size_t)n_bytes);
    s->kind = kind;
    if ((size_t)n_bytes > r->list.most_bytes)
        r->list.most_bytes = (size_t)n_bytes;
}

void read_compute(struct reading *r, int64_t rank, int64_t ns, const char *place)
{
    if (ns < 0 || ns > LOGP_PARAM_MAX_NS)
        bad_option(r->option, r->file, "%s: %lld ns: a time is 0 .. 10^15", place, (long long)ns);
    logp_step_compute(one_more(r, rank), ns, 0);
}

static char *text_of(const char *option, const char *file)
{
    FILE *f = fopen(file, "re");
    char *text = NULL;
    size_t n = 0, room = 0;

    if (f == NULL)
        bad_option(option, file, "a file that can be read: %s", strerror(errno));
    do {
        room = room > 0 ? 2 * room : 1 << 16;
        text = or_end(realloc(text, room + 1));
        n += fread(text + n, 1, room - n, f);
    } while (n == room);
    if (ferror(f))
        bad_option(option, file, "a file that can be read: %s", strerror(errno));
    fclose(f);
    text[n] = '\0';
    if (strlen(text) < n)
        bad_option(option, file, "text, json or goal");
    return text;
}

const struct logp_step_list *read_schedule(const char *option, const char *file)
{
    static struct reading r;
    char *text = text_of(option, file);

    r = (struct reading){.option = option, .file = file};
    if (text[strspn(text, " \t\r\n")] == '{')
        read_json(&r, text);
    else
        read_goal(&r, text);
    free(text);
    return &r.list;
}

/* Folded without delays: what waits in vain does so under any model. */
const struct logp_algorithm *listed_algorithm(const struct options *o, const struct logp_coll *c)
{
    const struct logp_algorithm *a = logp_algorithm_find("schedule", "listed");
    const struct logp_schedule s = logp_schedule_of(a, o->P, c);
    const struct logp_params params = {0};
    const char *file = option_text("schedule");
    struct logp_delay delay;
    struct logp_fold fold;
    int rc = logp_delay_create("loggp", &params, &delay);

    if (rc == 0) {
        rc = logp_schedule_fold(&s, &delay, 0, &fold);
        logp_delay_destroy(&delay);
    }
    if (rc == -EDEADLK)
        bad_option("--schedule", file,
                   "a send for each receive: rank %lld waits for a message from rank %lld, tag %d",
                   (long long)fold.rank, (long long)fold.source, fold.tag);
    if (rc == -EMSGSIZE)
        bad_option("--schedule", file, "receives as large as what is sent: not so on rank %lld",
                   (long long)fold.rank);
    if (rc != 0)
        bad_usage("--schedule %s: %s", file, strerror(-rc));
    if (fold.unreceived > 0)
        bad_option("--schedule", file, "a receive for each send: %llu are missing",
                   (unsigned long long)fold.unreceived);
    return a;
}

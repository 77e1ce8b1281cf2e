/* SPDX-License-Identifier: MIT */
/* --storage latency=T,bandwidth=B,servers=N: what the file operations of an MPI program take. */
#include "question/rows.h"

#include <stdlib.h>
#include <string.h>

enum { LATENCY, BANDWIDTH, SERVERS };

static const struct names names = {{"latency", "bandwidth", "servers"}, 3};

/* Read "latency=10us" into *s. seen: a bit for each that the text has had */
static struct problem *read_part(const struct question *q, const char *option, const char *text,
                                 char *part, unsigned *seen, struct storage_question *s)
{
    char *value = part, list[MAX_LIST], *slash;
    const int which = find_name(&names, strsep(&value, "="));

    if (which < 0)
        return option_problem(option, text, "'%s': %s", part, one_of(&names, part, list));
    if (value == NULL || (*seen & 1u << which) != 0)
        return option_problem(option, text, "%s=VALUE once", part);
    *seen |= 1u << which;
    if (which == LATENCY)
        return to_ns(q, option, value, &s->latency_ns);
    if (which == SERVERS)
        return parse_number(value, false, 1, 4096, &s->servers)
                   ? NULL
                   : must_be(option, text, "servers=N with a number of servers, 1 .. 4096");
    slash = strstr(value, "/s");
    if (slash != NULL && slash[2] == '\0')
        *slash = '\0';
    if (!parse_number(value, true, 1, INT64_C(1) << 50, &s->bandwidth))
        return must_be(option, text,
                       "bandwidth=B with the bytes per second of a server, 1 .. 2^50, as "
                       "500MB/s or 2GiB/s");
    return NULL;
}

struct problem *apply_storage(struct question *q, const char *option, const char *text)
{
    struct storage_question s = {.text = text, .servers = 1};
    char *copy, *rest, *part;
    struct problem *problem = NULL;
    unsigned seen = 0;

    q->mpi.storage = (struct storage_question){0};
    if (*text == '\0' || strcmp(text, "none") == 0)
        return NULL;
    copy = rest = need(strdup(text));
    while (problem == NULL && (part = strsep(&rest, ",;")) != NULL)
        problem = read_part(q, option, text, part, &seen, &s);
    free(copy);
    if (problem == NULL)
        q->mpi.storage = s;
    return problem;
}

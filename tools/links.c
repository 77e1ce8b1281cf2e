/* SPDX-License-Identifier: MIT */
/* What a run on a topology did to its links: per algorithm, round by round and the busiest. */
#include "command.h"

enum { STEPS_SHOWN = 12 };

void read_links(const struct logp_delay *delay, struct row *row)
{
    const struct logp_record *r = &row->record;
    const int runs = r->reps + r->restarts;

    if (runs == 0 || logp_link_use(delay, -1, &row->links) != 0 ||
        logp_link_busiest(delay, &row->busiest) != 0)
        return;
    row->has_links = true;
    row->busiest.messages /= (uint64_t)runs;
    row->links.waited_ns /= runs;
}

/* "3", or of a switch "switch 1"; into buf, which is returned. */
static const char *node_name(const struct logp_topology *t, int node, char buf[32])
{
    const int P = logp_topology_size(t);

    snprintf(buf, 32, "%s%d", node < P ? "" : "switch ", node < P ? node : node - P);
    return buf;
}

static void print_steps(const struct logp_algorithm *algorithm, const struct logp_coll *c)
{
    struct logp_link_load load;
    char text[8 * STEPS_SHOWN + 8] = "";
    int n = 0;

    if (logp_link_load_init(&load, algorithm, c) != 0) {
        printf(" %-28s", "-");
        return;
    }
    for (int i = 0; i < load.n_steps && i < STEPS_SHOWN; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%d", i > 0 ? " " : "",
                      load.step_most[i]);
    if (load.n_steps > STEPS_SHOWN)
        snprintf(text + n, sizeof(text) - (size_t)n, " ...");
    printf(" %-28s", text);
    logp_link_load_fini(&load);
}

void print_links(const struct options *o, const struct logp_coll *c, const struct row *rows,
                 size_t n)
{
    const struct logp_topology *t = c->topology;

    if (t == NULL || o->format != FORMAT_TABLE)
        return;
    printf("\nOf the %d links (waiting: of all messages together):\n\n%-22s %-28s %-28s %8s %13s\n",
           logp_topology_links(t), "", "most on one, each round", "the busiest", "messages",
           "waiting, us");
    for (size_t i = 0; i < n; i++) {
        const struct logp_link_use *busiest = &rows[i].busiest;
        char from_name[32], to_name[32], link[68] = "-";
        int from, to;

        if (!rows[i].has_links)
            continue;
        if (busiest->link >= 0) {
            logp_topology_ends(t, busiest->link, &from, &to);
            snprintf(link, sizeof(link), "%s -> %s", node_name(t, from, from_name),
                     node_name(t, to, to_name));
        }
        printf("%-22s", rows[i].algorithm->name);
        print_steps(rows[i].algorithm, c);
        printf(" %-28s %8llu %13.3f\n", link, (unsigned long long)busiest->messages,
               (double)rows[i].links.waited_ns / 1000);
    }
}

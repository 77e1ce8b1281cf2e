/* SPDX-License-Identifier: MIT */
/* The load of links by runs on a topology: per algorithm, round by round, and the busiest link. */
#include "view/records/records.h"

#include <errno.h>
#include <stdio.h>

enum { STEPS_SHOWN = 12 };

/* "3", or of a switch "switch 1"; into buf, which is returned. */
static const char *node_name(const struct logp_topology *t, int node, char buf[32])
{
    const int P = logp_topology_size(t);

    snprintf(buf, 32, "%s%d", node < P ? "" : "switch ", node < P ? node : node - P);
    return buf;
}

static void print_steps(FILE *f, const struct logp_algorithm *algorithm,
                        const struct logp_invocation *c)
{
    struct logp_link_load load;
    const int rc = logp_link_load_init(&load, algorithm, &c->args, &c->model);
    char text[8 * STEPS_SHOWN + 8] = "";
    int n = 0;

    if (rc == -ENOMEM)
        need(NULL);
    if (rc != 0) {
        fprintf(f, " %-28s", "-");
        return;
    }
    for (int i = 0; i < load.n_steps && i < STEPS_SHOWN; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%d", i > 0 ? " " : "",
                      load.step_most[i]);
    if (load.n_steps > STEPS_SHOWN)
        snprintf(text + n, sizeof(text) - (size_t)n, " ...");
    fprintf(f, " %-28s", text);
    logp_link_load_fini(&load);
}

void print_links(FILE *f, const struct output *out)
{
    const struct logp_topology *t = out->c->model.topology;

    if (t == NULL || !out->q->form.format->for_people)
        return;
    fprintf(
        f,
        "\nUse of the %d links (waiting: sum over all messages):\n\n%-22s %-28s %-28s %8s %13s\n",
        logp_topology_links(t), "", "max. on one link, by round", "busiest link", "messages",
        "waiting, us");
    for (size_t i = 0; i < out->n; i++) {
        const struct row *row = &out->rows[i];
        const struct logp_link_use *busiest = &row->busiest;
        char from_name[32], to_name[32], link[68] = "-";
        int from, to;

        if (!row->has_links)
            continue;
        if (busiest->link >= 0) {
            logp_topology_ends(t, busiest->link, &from, &to);
            snprintf(link, sizeof(link), "%s -> %s", node_name(t, from, from_name),
                     node_name(t, to, to_name));
        }
        fprintf(f, "%-22s", row->algorithm->name);
        print_steps(f, row->algorithm, out->c);
        fprintf(f, " %-28s %8llu %13.3f\n", link, (unsigned long long)busiest->messages,
                (double)row->links.waited_ns / 1000);
    }
}

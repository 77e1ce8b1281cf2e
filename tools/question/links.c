/* SPDX-License-Identifier: MIT */
/*
 * --nodes, --inter, --link: parameters that differ from pair to pair (logp/delay.h). The question
 * keeps the links made from them because a sweep visits each point several times.
 */
#include "question/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a link costs: L=9,o=2us ---- */

enum { LATENCY, O, O_SEND, O_RECV, GAP, BYTE, N_COSTS };

static const struct names cost_names = {{"L", "o", "o_send", "o_recv", "g", "G"}, N_COSTS};

static void set_cost(struct logp_link_costs *c, int which, int64_t value)
{
    int64_t *const of[N_COSTS] = {&c->L_ns,      &c->o_send_ns, &c->o_send_ns,
                                  &c->o_recv_ns, &c->g_ns,      &c->G_ps};

    *of[which] = value;
    if (which == O)
        c->o_recv_ns = value;
}

/* Read one cost, "L=9"; seen: a bit for each that the text has had. */
static struct problem *read_cost(const struct question *q, const char *option, const char *text,
                                 char *name, unsigned *seen, struct logp_link_costs *costs)
{
    const unsigned both = 1u << O_SEND | 1u << O_RECV;
    char *value = name, list[MAX_LIST];
    const int which = find_name(&cost_names, strsep(&value, "="));
    unsigned excluded;
    int64_t cost;

    if (which < 0)
        return option_problem(option, text, "'%s': %s", name, one_of(&cost_names, name, list));
    excluded = which == O ? both : (1u << which & both) != 0 ? 1u << O : 0;
    if (value == NULL || *value == '\0')
        return must_be(option, text, "%s=T with a time T, as %s=%s", name, name,
                       which == BYTE ? "1ns" : "90us");
    if ((*seen & (1u << which | excluded)) != 0)
        return option_problem(option, text, "%s once, and either o or o_send and o_recv", name);
    *seen |= 1u << which;
    TRY(which == BYTE ? to_byte_ps(q, option, value, &cost) : to_ns(q, option, value, &cost));
    set_cost(costs, which, cost);
    return NULL;
}

/* "L=T,o=T,o_send=T,o_recv=T,g=T,G=T", some of them: set in *costs. */
static struct problem *read_costs(const struct question *q, const char *option, const char *text,
                                  struct logp_link_costs *costs)
{
    char *copy = need(strdup(text)), *rest = copy, *name;
    struct problem *problem =
        strpbrk(text, " \t;") == NULL
            ? NULL
            : must_be(option, text, "costs with commas between them, as L=90us,g=2us");
    unsigned seen = 0;

    while (problem == NULL && (name = strsep(&rest, ",")) != NULL)
        problem = read_cost(q, option, text, name, &seen, costs);
    free(copy);
    return problem;
}

/* As it can be given again: "90us". */
static void show_time(FILE *f, const char *name, int64_t ns, const char **between)
{
    const bool us = ns > 0 && ns % 1000 == 0, ms = us && ns % 1000000 == 0;

    if (ns == LOGP_AS_BEFORE)
        return;
    fprintf(f, "%s%s=%lld%s", *between, name,
            (long long)(ms   ? ns / 1000000
                        : us ? ns / 1000
                             : ns),
            ms   ? "ms"
            : us ? "us"
                 : "ns");
    *between = ",";
}

static void show_costs(FILE *f, const struct logp_link_costs *c)
{
    const char *between = "";
    const bool one_o = c->o_send_ns == c->o_recv_ns;

    show_time(f, "L", c->L_ns, &between);
    show_time(f, one_o ? "o" : "o_send", c->o_send_ns, &between);
    if (!one_o)
        show_time(f, "o_recv", c->o_recv_ns, &between);
    show_time(f, "g", c->g_ns, &between);
    if (c->G_ps != LOGP_AS_BEFORE)
        fprintf(f, "%sG=%.12gns", between, (double)c->G_ps / 1000);
}

/* ---- which links: 0,2..5-*:L=9 ---- */

struct link_rule {
    struct logp_ranks src, dst;
    struct logp_link_costs costs;
    const char *text;
};

struct link_rules {
    struct link_rules *next;
    const char *text; /* as it was given, */
    int64_t unit_ns;  /* in these units */
    char *shown;      /* the same, but with units */
    struct link_rule *rule;
    int n;
};

/* All that the points of a sweep have. */
struct all_links {
    struct link_rules *rules;
    struct made_links {
        struct made_links *next;
        struct logp_links *links;
        int64_t P, node_size, socket_size;
        struct logp_link_costs inter, inter_sockets;
        const struct link_rules *rules;
    } * made;
    char option[2][32]; /* links_option() */
};

static struct all_links *all_links(const struct question *q)
{
    return part_of(q, PART_LINKS, sizeof(struct all_links));
}

static struct problem *read_ranks(const struct question *q, const char *option, const char *rule,
                                  char *text, struct logp_ranks *set)
{
    struct logp_rank_range *ranges = kept_by(q, malloc((strlen(text) + 1) * sizeof(*ranges)), free);
    const int64_t most = LOGP_MAX_PROCESSORS - 1;
    char *one;

    *set = (struct logp_ranks){ranges, 0};
    if (strcmp(text, "*") == 0) /* all: no range */
        return NULL;
    while ((one = strsep(&text, ",")) != NULL) {
        char *dots = strstr(one, "..");
        int64_t first, last;

        if (dots != NULL)
            *dots = '\0';
        if (!parse_number(one, false, 0, most, &first) ||
            !parse_number(dots != NULL ? dots + 2 : one, false, first, most, &last))
            return must_be(option, rule, "ranks as 3, 0,2..5 or * on both sides of the -");
        ranges[set->n++] = (struct logp_rank_range){(int)first, (int)last};
    }
    return NULL;
}

static struct problem *read_rule(const struct question *q, const char *option, char *text,
                                 struct link_rule *rule)
{
    char *costs = text, *dst, *src;

    *rule = (struct link_rule){.costs = LOGP_ALL_AS_BEFORE, .text = kept_by(q, strdup(text), free)};
    dst = strsep(&costs, ":");
    src = strsep(&dst, "-");
    if (costs == NULL || dst == NULL)
        return must_be(option, rule->text, "A-B:L=T,o=T,g=T,G=T, from the ranks A to the ranks B");
    TRY(read_ranks(q, option, rule->text, src, &rule->src));
    TRY(read_ranks(q, option, rule->text, dst, &rule->dst));
    return read_costs(q, option, costs, &rule->costs);
}

/* Show the rules, each time with its unit. */
static char *show_rules(const struct link_rules *r)
{
    char *shown = NULL;
    size_t size;
    FILE *f = need(open_memstream(&shown, &size));

    for (int i = 0; i < r->n; i++) {
        const char *text = r->rule[i].text;

        fprintf(f, "%s%.*s:", i > 0 ? ";" : "", (int)strcspn(text, ":"), text);
        show_costs(f, &r->rule[i].costs);
    }
    return close_text(f, &shown);
}

static struct problem *rules_of(const struct question *q, const char *option, const char *text,
                                const struct link_rules **rules)
{
    struct all_links *all = all_links(q);
    struct link_rules *r = all->rules;
    char *rest, *rule;

    while (r != NULL && (strcmp(r->text, text) != 0 || r->unit_ns != q->model.unit_ns))
        r = r->next;
    *rules = r;
    if (r != NULL)
        return NULL;
    *rules = r = kept_by(q, calloc(1, sizeof(*r)), free);
    *r = (struct link_rules){.next = all->rules, .text = text, .unit_ns = q->model.unit_ns};
    r->rule = kept_by(q, malloc((strlen(text) + 1) * sizeof(*r->rule)), free);
    rest = kept_by(q, strdup(text), free);
    while ((rule = strsep(&rest, ";")) != NULL)
        TRY(read_rule(q, option, rule, &r->rule[r->n++]));
    r->shown = kept_by(q, show_rules(r), free);
    all->rules = r;
    return NULL;
}

const char *rules_shown(const struct question *q)
{
    return q->model.rules != NULL ? q->model.rules->shown : NULL;
}

void show_links(FILE *f, const struct question *q)
{
    const int most = 60; /* letters: there may be a rule for each pair */

    if (q->model.node_size > 0) {
        fprintf(f, "nodes %s, between them ", q->model.nodes);
        show_costs(f, &q->model.inter);
    }
    if (q->model.socket_size > 0) {
        fputs(", between sockets ", f);
        show_costs(f, &q->model.inter_sockets);
    }
    if (q->model.rules != NULL)
        fprintf(f, "%slinks %.*s%s", q->model.node_size > 0 ? ", " : "", most,
                q->model.rules->shown, strlen(q->model.rules->shown) > (size_t)most ? "..." : "");
}

int64_t links_own_G(const struct question *q)
{
    int64_t most = q->model.node_size > 0 ? q->model.inter.G_ps : 0;

    if (q->model.socket_size > 0 && q->model.inter_sockets.G_ps > most)
        most = q->model.inter_sockets.G_ps;
    for (int i = 0; q->model.rules != NULL && i < q->model.rules->n; i++)
        most =
            most > q->model.rules->rule[i].costs.G_ps ? most : q->model.rules->rule[i].costs.G_ps;
    return most > 0 ? most : 0;
}

/* ---- the links of so many processors ---- */

static void drop_links(void *links)
{
    logp_links_destroy(links);
}

static bool same_costs(const struct logp_link_costs *a, const struct logp_link_costs *b)
{
    return a->L_ns == b->L_ns && a->o_send_ns == b->o_send_ns && a->o_recv_ns == b->o_recv_ns &&
           a->g_ns == b->g_ns && a->G_ps == b->G_ps;
}

/* Without them the nodes of an MPI program only determine which ranks share memory. */
static bool has_costs_between(const struct question *q)
{
    static const struct logp_link_costs nothing = LOGP_ALL_AS_BEFORE;

    return q->model.node_size > 0 &&
           (!same_costs(&q->model.inter, &nothing) ||
            (q->model.socket_size > 0 && !same_costs(&q->model.inter_sockets, &nothing)));
}

static struct problem *make_links(const struct question *q, int64_t P, struct logp_links **out)
{
    struct logp_links *links = NULL;
    const int made = logp_links_create(P, &links);

    *out = kept_by(q, made == 0 ? links : NULL, drop_links);
    if (has_costs_between(q) && q->model.socket_size > 0 &&
        logp_links_nodes(links, q->model.socket_size, &q->model.inter_sockets) != 0)
        need(NULL);
    if (has_costs_between(q) && logp_links_nodes(links, q->model.node_size, &q->model.inter) != 0)
        need(NULL);
    for (int i = 0; q->model.rules != NULL && i < q->model.rules->n; i++) {
        const struct link_rule *rule = &q->model.rules->rule[i];
        const int rc = logp_links_set(links, &rule->src, &rule->dst, &rule->costs);

        if (rc == -EINVAL)
            return must_be("link", rule->text, "ranks 0 .. %lld", (long long)P - 1);
        if (rc == -E2BIG)
            return must_be("link", rule->text, "at most %d kinds of ranks", LOGP_MOST_KINDS);
        if (rc != 0)
            need(NULL);
    }
    return NULL;
}

struct problem *links_of(const struct question *q, int64_t P, const struct logp_links **out)
{
    struct all_links *all = all_links(q);
    struct made_links *made = all->made;
    struct logp_links *links;
    char text[32];

    *out = NULL;
    if (!has_costs_between(q) && q->model.rules == NULL)
        return NULL;
    snprintf(text, sizeof(text), "%lld", (long long)P);
    if (P > LOGP_MAX_PROCESSORS)
        return option_problem("P", text, "with %s, 1 .. %d processors", links_option(q),
                              LOGP_MAX_PROCESSORS);
    while (made != NULL &&
           (made->P != P || made->node_size != q->model.node_size ||
            made->socket_size != q->model.socket_size || made->rules != q->model.rules ||
            !same_costs(&made->inter, &q->model.inter) ||
            !same_costs(&made->inter_sockets, &q->model.inter_sockets)))
        made = made->next;
    if (made == NULL) {
        TRY(make_links(q, P, &links));
        made = kept_by(q, malloc(sizeof(*made)), free);
        *made = (struct made_links){all->made,
                                    links,
                                    P,
                                    q->model.node_size,
                                    q->model.socket_size,
                                    q->model.inter,
                                    q->model.inter_sockets,
                                    q->model.rules};
        all->made = made;
    }
    *out = made->links;
    return NULL;
}

const char *links_option(const struct question *q)
{
    char(*option)[32] = all_links(q)->option;

    if (q->model.rules != NULL)
        return option_shown(q, "link", option[0]);
    return option_shown(
        q, option_given(q, "nodes") || q->model.machine == NULL ? "nodes" : "machine", option[1]);
}

/* ---- the options ---- */

/* "4x8", "*x8", "4x2x4": n nodes, 0: any number; size of a node; of a socket, 0: there are none. */
static bool parse_nodes(const char *text, int64_t *n, int64_t *size, int64_t *socket)
{
    char copy[32], *rest = copy, *part[3];
    int64_t number[3] = {0};
    int parts = 0;

    if (strlen(text) >= sizeof(copy))
        return false;
    memcpy(copy, text, strlen(text) + 1);
    for (char *one; (one = strsep(&rest, "x")) != NULL; parts++) {
        if (parts == 3)
            return false;
        part[parts] = one;
        if ((parts > 0 || strcmp(one, "*") != 0) &&
            !parse_number(one, false, 1, LOGP_MAX_PROCESSORS, &number[parts]))
            return false;
    }
    *n = strcmp(part[0], "*") == 0 ? 0 : number[0];
    *socket = parts == 3 ? number[2] : 0;
    *size = parts == 3 ? number[1] * number[2] : number[1];
    return parts > 1 && *size <= LOGP_MAX_PROCESSORS;
}

/* Without -P, take as many processors as the nodes have; each value in a list of -P must equal that
 * number. */
struct problem *apply_nodes(struct question *q, const char *option, const char *text)
{
    int64_t P;

    if (*text == '\0')
        return NULL;
    if (!parse_nodes(text, &P, &q->model.node_size, &q->model.socket_size))
        return must_be(option, text,
                       "NODESxPROCESSORS, as 4x8, or *x8 for as many nodes as P needs, or "
                       "NODESxSOCKETSxPROCESSORS, as 4x2x4");
    snprintf(q->model.nodes, sizeof(q->model.nodes), "%s", text);
    P *= q->model.node_size;
    if (P == 0)
        return NULL;
    if (P > LOGP_MAX_PROCESSORS)
        return must_be(option, text, "up to %d processors", LOGP_MAX_PROCESSORS);
    if (!option_given(q, "P") && q->what.list == NULL) {
        q->model.P = q->span.P_list[0] = P;
        q->span.n_P = 1;
    }
    for (size_t i = 0; i == 0 || i < q->span.n_P; i++)
        if ((q->span.n_P > 0 ? q->span.P_list[i] : q->model.P) != P)
            return option_problem(
                option, text, "has %lld processors, and P = %lld; type -P %lld, or --nodes '*%s'",
                (long long)P, (long long)(q->span.n_P > 0 ? q->span.P_list[i] : q->model.P),
                (long long)P, text + strspn(text, "0123456789"));
    return NULL;
}

/* The costs of each level, the outermost first, as "L=9;L=3". */
static struct problem *read_inter(struct question *q, const char *option, const char *text)
{
    struct logp_link_costs *const levels[] = {&q->model.inter, &q->model.inter_sockets};
    const int n = q->model.socket_size > 0 ? 2 : 1;
    char *rest = kept_by(q, strdup(text), free), *one, shown[32];
    int given = 0;

    if (*text == '\0')
        return NULL;
    while ((one = strsep(&rest, ";")) != NULL && given++ < n)
        TRY(read_costs(q, option, one, levels[given - 1]));
    if (given == n)
        return NULL;
    if (n == 1)
        return option_problem(option, text,
                              "must be given once with %s %s, all costs in one text, as "
                              "L=90us,g=2us; for sockets type --nodes "
                              "NODESxSOCKETSxPROCESSORS",
                              option_shown(q, "nodes", shown), q->model.nodes);
    return option_problem(option, text,
                          "must be given twice with %s %s, as --inter L=90us --inter L=9us: "
                          "between nodes, and then between sockets",
                          option_shown(q, "nodes", shown), q->model.nodes);
}

struct problem *apply_inter(struct question *q, const char *option, const char *text)
{
    char nodes[32];

    if (*text != '\0' && q->model.node_size == 0)
        return option_problem(option, text, "needs %s, which sets the nodes",
                              option_shown(q, "nodes", nodes));
    TRY(read_inter(q, option, text));
    if (q->model.node_size > 0 && !has_costs_between(q) && (q->line.sets & OPTIONS_MPIRUN) == 0)
        return option_problem(
            "nodes", q->model.nodes,
            "needs %s, the costs of messages between nodes, as in --inter L=90us,g=2",
            option_shown(q, option, nodes));
    if (*text == '\0' && q->model.socket_size > 0 && has_costs_between(q) &&
        same_costs(&q->model.inter_sockets, &(struct logp_link_costs)LOGP_ALL_AS_BEFORE))
        return option_problem("nodes", q->model.nodes,
                              "needs %s twice, between nodes and then between sockets",
                              option_shown(q, option, nodes));
    return NULL;
}

struct problem *apply_link(struct question *q, const char *option, const char *text)
{
    if (*text != '\0')
        TRY(rules_of(q, option, text, &q->model.rules));
    TRY(links_of(q, q->model.P, &q->model.network.links));
    if (q->model.network.links != NULL && q->model.network.params.capacity != 0)
        return must_be("capacity", option_text(q, "capacity"),
                       "off with %s: L and g differ by link; remove it", links_option(q));
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * --nodes, --inter, --link: parameters that differ from pair to pair (logp/delay.h). The links made
 * from them are kept until the process ends because a sweep visits each point several times.
 */
#include "question/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a link costs: L=9,o=2us ---- */

enum { LATENCY, O, O_SEND, O_RECV, GAP, BYTE, N_COSTS };

static const struct names cost_names = {{"L", "o", "o_send", "o_recv", "g", "G"}, N_COSTS};

/* Text that the rest of the process needs. */
static char *keep(const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL)
        bad_usage("no memory");
    return copy;
}

static void set_cost(struct logp_link_costs *c, int which, int64_t value)
{
    int64_t *const of[N_COSTS] = {&c->L_ns,      &c->o_send_ns, &c->o_send_ns,
                                  &c->o_recv_ns, &c->g_ns,      &c->G_ps};

    *of[which] = value;
    if (which == O)
        c->o_recv_ns = value;
}

void read_costs(const struct question *q, const char *option, const char *text,
                struct logp_link_costs *costs)
{
    const unsigned both = 1u << O_SEND | 1u << O_RECV;
    char *copy = keep(text), *rest = copy, *name;
    unsigned seen = 0;

    while ((name = strsep(&rest, ",")) != NULL) {
        char *value = name, list[MAX_LIST];
        const int which = find_name(&cost_names, strsep(&value, "="));
        unsigned excluded;

        if (which < 0)
            bad_option(option, text, "'%s': %s", name, one_of(&cost_names, name, list));
        excluded = which == O ? both : (1u << which & both) != 0 ? 1u << O : 0;
        if (value == NULL || *value == '\0')
            bad_option(option, text, "%s=T, a time", name);
        if ((seen & (1u << which | excluded)) != 0)
            bad_option(option, text, "%s once, and either o or o_send and o_recv", name);
        seen |= 1u << which;
        set_cost(costs, which,
                 which == BYTE ? to_byte_ps(q, option, value) : to_ns(q, option, value));
    }
    free(copy);
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

static struct logp_ranks read_ranks(const char *option, const char *rule, char *text)
{
    struct logp_rank_range *ranges = malloc((strlen(text) + 1) * sizeof(*ranges));
    struct logp_ranks set = {ranges, 0};
    const int64_t most = LOGP_MAX_PROCESSORS - 1;
    char *one;

    if (ranges == NULL)
        bad_usage("no memory");
    if (strcmp(text, "*") == 0) /* all: no range */
        return set;
    while ((one = strsep(&text, ",")) != NULL) {
        char *dots = strstr(one, "..");
        int64_t first, last;

        if (dots != NULL)
            *dots = '\0';
        if (!parse_number(one, false, 0, most, &first) ||
            !parse_number(dots != NULL ? dots + 2 : one, false, first, most, &last))
            bad_option(option, rule, "ranks as 3, 0,2..5 or * on both sides of the -");
        ranges[set.n++] = (struct logp_rank_range){(int)first, (int)last};
    }
    return set;
}

static struct link_rule read_rule(const struct question *q, const char *option, char *text)
{
    struct link_rule rule = {.costs = LOGP_ALL_AS_BEFORE, .text = keep(text)};
    char *costs = text, *dst = strsep(&costs, ":"), *src = strsep(&dst, "-");

    if (costs == NULL || dst == NULL)
        bad_option(option, rule.text, "A-B:L=T,o=T,g=T,G=T, from the ranks A to the ranks B");
    rule.src = read_ranks(option, rule.text, src);
    rule.dst = read_ranks(option, rule.text, dst);
    read_costs(q, option, costs, &rule.costs);
    return rule;
}

static void read_rules(const struct question *q, const char *option, struct link_rules *r)
{
    char *copy = keep(r->text), *rest = copy, *text;
    size_t size;
    FILE *f = open_memstream(&r->shown, &size);

    r->rule = malloc((strlen(copy) + 1) * sizeof(*r->rule));
    if (f == NULL || r->rule == NULL)
        bad_usage("no memory");
    while ((text = strsep(&rest, ";")) != NULL) {
        struct link_rule *rule = &r->rule[r->n++];

        *rule = read_rule(q, option, text);
        fprintf(f, "%s%.*s:", r->n > 1 ? ";" : "", (int)strcspn(rule->text, ":"), rule->text);
        show_costs(f, &rule->costs);
    }
    close_text(f, &r->shown);
    free(copy);
}

static const struct link_rules *rules_of(const struct question *q, const char *option,
                                         const char *text)
{
    static struct link_rules *all;
    struct link_rules *r = all;

    while (r != NULL && (strcmp(r->text, text) != 0 || r->unit_ns != q->model.unit_ns))
        r = r->next;
    if (r != NULL)
        return r;
    r = calloc(1, sizeof(*r));
    if (r == NULL)
        bad_usage("no memory");
    *r = (struct link_rules){.next = all, .text = text, .unit_ns = q->model.unit_ns};
    read_rules(q, option, r);
    return all = r;
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
    if (q->model.rules != NULL)
        fprintf(f, "%slinks %.*s%s", q->model.node_size > 0 ? ", " : "", most,
                q->model.rules->shown, strlen(q->model.rules->shown) > (size_t)most ? "..." : "");
}

int64_t links_own_G(const struct question *q)
{
    int64_t most = q->model.node_size > 0 ? q->model.inter.G_ps : 0;

    for (int i = 0; q->model.rules != NULL && i < q->model.rules->n; i++)
        most =
            most > q->model.rules->rule[i].costs.G_ps ? most : q->model.rules->rule[i].costs.G_ps;
    return most > 0 ? most : 0;
}

/* ---- the links of so many processors ---- */

_Noreturn static void refuse_links(const struct link_rule *rule, int rc, int64_t P)
{
    if (rc == -EINVAL)
        bad_option("link", rule->text, "ranks 0 .. %lld", (long long)P - 1);
    if (rc == -E2BIG)
        bad_option("link", rule->text, "at most %d kinds of ranks", LOGP_MOST_KINDS);
    bad_usage("no memory");
}

static struct logp_links *make_links(const struct question *q, int64_t P)
{
    struct logp_links *links;
    int rc = logp_links_create(P, &links);

    if (rc == 0 && q->model.node_size > 0)
        rc = logp_links_nodes(links, q->model.node_size, &q->model.inter);
    if (rc != 0)
        bad_usage("no memory");
    for (int i = 0; q->model.rules != NULL && i < q->model.rules->n; i++) {
        const struct link_rule *rule = &q->model.rules->rule[i];

        rc = logp_links_set(links, &rule->src, &rule->dst, &rule->costs);
        if (rc != 0)
            refuse_links(rule, rc, P);
    }
    return links;
}

static bool same_costs(const struct logp_link_costs *a, const struct logp_link_costs *b)
{
    return a->L_ns == b->L_ns && a->o_send_ns == b->o_send_ns && a->o_recv_ns == b->o_recv_ns &&
           a->g_ns == b->g_ns && a->G_ps == b->G_ps;
}

const struct logp_links *links_of(const struct question *q, int64_t P)
{
    static struct kept {
        struct kept *next;
        struct logp_links *links;
        int64_t P, node_size;
        struct logp_link_costs inter;
        const struct link_rules *rules;
    } * all;
    struct kept *k = all;
    char text[32];

    if (q->model.node_size == 0 && q->model.rules == NULL)
        return NULL;
    snprintf(text, sizeof(text), "%lld", (long long)P);
    if (P > LOGP_MAX_PROCESSORS)
        bad_option("P", text, "with %s, 1 .. %d processors", links_option(q), LOGP_MAX_PROCESSORS);
    while (k != NULL && (k->P != P || k->node_size != q->model.node_size ||
                         k->rules != q->model.rules || !same_costs(&k->inter, &q->model.inter)))
        k = k->next;
    if (k != NULL)
        return k->links;
    k = malloc(sizeof(*k));
    if (k == NULL)
        bad_usage("no memory");
    *k =
        (struct kept){all, make_links(q, P), P, q->model.node_size, q->model.inter, q->model.rules};
    all = k;
    return k->links;
}

const char *links_option(const struct question *q)
{
    static char option[2][32];

    if (q->model.rules != NULL)
        return option_shown("link", option[0]);
    return option_shown(option_given("nodes") || q->model.machine == NULL ? "nodes" : "machine",
                        option[1]);
}

/* ---- the options ---- */

/* "4x8", "*x8" */
static bool parse_nodes(const char *text, int64_t *n, int64_t *size)
{
    const char *x = strchr(text, 'x');
    char count[32] = "";

    if (x == NULL || x - text >= (long)sizeof(count))
        return false;
    memcpy(count, text, (size_t)(x - text));
    *n = 0;
    return parse_number(x + 1, false, 1, LOGP_MAX_PROCESSORS, size) &&
           (strcmp(count, "*") == 0 || parse_number(count, false, 1, LOGP_MAX_PROCESSORS, n));
}

/* Without -P, take as many processors as the nodes have; each value in a list of -P must equal that
 * number. */
void apply_nodes(struct question *q, const char *option, const char *text)
{
    int64_t P;

    if (*text == '\0')
        return;
    if (!parse_nodes(text, &P, &q->model.node_size))
        bad_option(option, text, "NODESxPROCESSORS, as 4x8, or *x8 for as many nodes as P needs");
    snprintf(q->model.nodes, sizeof(q->model.nodes), "%s", text);
    P *= q->model.node_size;
    if (P == 0)
        return;
    if (P > LOGP_MAX_PROCESSORS)
        bad_option(option, text, "up to %d processors", LOGP_MAX_PROCESSORS);
    if (!option_given("P") && q->what.list == NULL) {
        q->model.P = q->span.P_list[0] = P;
        q->span.n_P = 1;
    }
    for (size_t i = 0; i == 0 || i < q->span.n_P; i++)
        if ((q->span.n_P > 0 ? q->span.P_list[i] : q->model.P) != P)
            bad_option(option, text, "as many processors as -P gives; P = %lld",
                       (long long)(q->span.n_P > 0 ? q->span.P_list[i] : q->model.P));
}

void apply_inter(struct question *q, const char *option, const char *text)
{
    static const struct logp_link_costs nothing = LOGP_ALL_AS_BEFORE;
    char nodes[32];

    if (*text != '\0' && q->model.node_size == 0)
        bad_option(option, text, "needs %s, which sets the nodes", option_shown("nodes", nodes));
    if (*text != '\0')
        read_costs(q, option, text, &q->model.inter);
    if (q->model.node_size > 0 && same_costs(&q->model.inter, &nothing))
        bad_option("nodes", q->model.nodes,
                   "needs %s, the costs of messages between nodes, as in --inter L=90us,g=2",
                   option_shown(option, nodes));
}

void apply_link(struct question *q, const char *option, const char *text)
{
    if (*text != '\0')
        q->model.rules = rules_of(q, option, text);
    q->model.network.links = links_of(q, q->model.P);
    if (q->model.network.links != NULL && q->model.network.params.capacity != 0)
        bad_option("capacity", option_text("capacity"),
                   "off with %s: L and g differ by link; remove it", links_option(q));
}

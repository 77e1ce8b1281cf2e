/* SPDX-License-Identifier: MIT */
/* The settings: the columns that identify a row. See columns.h. */
#include "view/records/columns.h"

VALUE(collective_of)
{
    return text_cell(out->collective);
}

VALUE(algorithm_of)
{
    return text_cell(row->algorithm->name);
}

VALUE(option_number)
{
    return number_cell(CELL_WHOLE, true, at_offset(out->q, col));
}

VALUE(arg_number)
{
    return number_cell(CELL_WHOLE, true, at_offset(&out->c->args, col));
}

VALUE(param_ns)
{
    return number_cell(CELL_NS, true, at_offset(&out->q->model.network.params, col));
}

VALUE(param_ps)
{
    return number_cell(CELL_THOUSANDTHS, true, at_offset(&out->q->model.network.params, col));
}

VALUE(param_G)
{
    return number_cell(CELL_BYTE_TIME, true, out->q->model.network.params.G_ps);
}

VALUE(bytes_of)
{
    const int64_t n = operand_bytes(out);

    return number_cell(CELL_WHOLE, n >= 0, n);
}

VALUE(count_of)
{
    return number_cell(CELL_WHOLE, out->c->args.blocks == NULL, out->c->args.count);
}

VALUE(counts_of)
{
    return text_cell(out->c->args.blocks != NULL ? option_text(out->q, "counts") : NULL);
}

VALUE(type_of)
{
    return text_cell(out->q->what.op->type);
}

VALUE(op_of)
{
    return text_cell(out->q->what.op->name);
}

VALUE(packing_of)
{
    return text_cell(out->c->args.packing == LOGP_PACKING_NONE ? "none" : "structured");
}

VALUE(gap_of)
{
    return text_cell(out->q->model.network.params.gap_shared ? "shared" : "separate");
}

VALUE(capacity_of)
{
    const int64_t n = logp_params_capacity(&out->q->model.network.params);

    return number_cell(CELL_WHOLE, n > 0, n);
}

VALUE(rendezvous_of)
{
    return number_cell(CELL_WHOLE, out->q->model.network.rendezvous_from > 0,
                       out->q->model.network.rendezvous_from - 1);
}

/* ---- how it is run ---- */

VALUE(machine_of)
{
    return text_cell(out->q->model.machine != NULL ? out->q->model.machine->name : NULL);
}

VALUE(clock_of)
{
    return text_cell(out->q->how.clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall");
}

VALUE(executor_of)
{
    return text_cell(out->q->how.executor);
}

VALUE(transport_of)
{
    return text_cell(over_processes(out->q) ? out->q->how.transport : "mailbox");
}

VALUE(place_of)
{
    return text_cell(out->q->how.clock == LOGP_CLOCK_WALL ? out->q->how.place_text : NULL);
}

VALUE(unit_by_of)
{
    return text_cell(out->q->model.unit_auto ? "trial" : NULL);
}

VALUE(delay_of)
{
    return text_cell(out->q->model.plugin != NULL ? out->q->model.plugin
                                                  : out->q->model.delay->name);
}

VALUE(topology_of)
{
    return text_cell(out->q->model.network.topology != NULL
                         ? logp_topology_spec(out->q->model.network.topology)
                         : NULL);
}

VALUE(nodes_of)
{
    return text_cell(out->q->model.node_size > 0 ? out->q->model.nodes : NULL);
}

VALUE(inter_ns)
{
    const int64_t ns = at_offset(&out->q->model.inter, col);

    return number_cell(CELL_NS, out->q->model.node_size > 0 && ns >= 0, ns);
}

VALUE(inter_ps)
{
    const int64_t ps = at_offset(&out->q->model.inter, col);

    return number_cell(CELL_THOUSANDTHS, out->q->model.node_size > 0 && ps >= 0, ps);
}

VALUE(sockets_ns)
{
    const int64_t ns = at_offset(&out->q->model.inter_sockets, col);

    return number_cell(CELL_NS, out->q->model.socket_size > 0 && ns >= 0, ns);
}

VALUE(sockets_ps)
{
    const int64_t ps = at_offset(&out->q->model.inter_sockets, col);

    return number_cell(CELL_THOUSANDTHS, out->q->model.socket_size > 0 && ps >= 0, ps);
}

VALUE(links_of_row)
{
    return text_cell(rules_shown(out->q));
}

VALUE(reps_of)
{
    return number_cell(CELL_WHOLE, true,
                       row->ran ? runs_of_record(&row->record) : out->q->how.reps);
}

#define INTER(field) .offset = offsetof(struct logp_link_costs, field)

const struct column asked_columns[] = {
    {KEY("collective", collective_of)},
    {KEY("algorithm", algorithm_of), TABLE("times in us", -12, TABLE_ANY)},
    {KEY("P", option_number), OPTION(model.P), SWEPT("P", 6)},
    {KEY("root", option_number), OPTION(what.root), .option = "root", SWEPT("root", 6)},
    {KEY("bytes", bytes_of), SWEPT("bytes", 9)},
    {KEY("count", count_of), .option = "count", SWEPT("count", 9)},
    {KEY("counts", counts_of), .option = "counts"},
    {KEY("type", type_of), .option = "type", SWEPT("type", -6)},
    {KEY("op", op_of), .option = "op", SWEPT("op", -4)},
    {KEY("rows", arg_number), ARG(rows), .option = "rows", SWEPT("rows", 6)},
    {KEY("cols", arg_number), ARG(cols), .option = "cols", SWEPT("cols", 6)},
    {KEY("packing", packing_of), .option = "packing", SWEPT("packing", -10)},
    {KEY("L_ns", param_ns), PARAM(L_ns), SWEPT("L", 9)},
    {KEY("o_send_ns", param_ns), PARAM(o_send_ns), SWEPT("o send", 9)},
    {KEY("o_recv_ns", param_ns), PARAM(o_recv_ns), SWEPT("o recv", 9)},
    {KEY("g_ns", param_ns), PARAM(g_ns), SWEPT("g", 9)},
    {KEY("G_ns_per_byte", param_G), SWEPT("G ns/byte", 9)},
    {KEY("gamma_ns", param_ps), PARAM(gamma_ps), SWEPT("gamma", 9)},
    {KEY("gap", gap_of), SWEPT("gap", -8)},
    {KEY("capacity", capacity_of), SWEPT("capacity", 8)},
    {KEY("rendezvous", rendezvous_of), SWEPT("rendezvous", 10)},
    {0},
};

const struct column run_columns[] = {
    {KEY("machine", machine_of), SWEPT("machine", -8)},
    {KEY("clock", clock_of)},
    {KEY("executor", executor_of), SWEPT("executor", -8)},
    {KEY("transport", transport_of)},
    {KEY("place", place_of), SWEPT("place", -11)},
    {KEY("delay", delay_of), SWEPT("delay", -6)},
    {KEY("topology", topology_of), SWEPT("topology", -9)},
    {KEY("nodes", nodes_of), SWEPT("nodes", -6)},
    {PART("inter", "L_ns", inter_ns), INTER(L_ns)},
    {PART("inter", "o_send_ns", inter_ns), INTER(o_send_ns)},
    {PART("inter", "o_recv_ns", inter_ns), INTER(o_recv_ns)},
    {PART("inter", "g_ns", inter_ns), INTER(g_ns)},
    {PART("inter", "G_ns_per_byte", inter_ps), INTER(G_ps)},
    {KEY("links", links_of_row)},
    {KEY("seed", option_number), OPTION(how.seed), SWEPT("seed", 5)},
    {KEY("reps", reps_of)},
    {KEY("unit_ns", option_number), OPTION(model.unit_ns)},
    {KEY("unit_by", unit_by_of)},
    {0},
};

/* As requested. Exact operations have the same results with every algorithm. */
VALUE(same_results_of)
{
    return (struct cell){.kind = CELL_TRUTH, .number = !out->c->args.may_differ};
}

VALUE(core_count_of)
{
    return number_cell(CELL_WHOLE, row->ran, out->cores.n_cores);
}

VALUE(core_threads_of)
{
    return number_cell(CELL_WHOLE, row->ran, out->cores.n_threads);
}

VALUE(core_note_of)
{
    return text_cell(!row->ran              ? NULL
                     : out->cores.is_shared ? "shared with another run"
                     : out->cores.is_mixed  ? "fast and slow"
                                            : NULL);
}

/* LogGOPSim's rules alone know it. */
VALUE(O_of)
{
    const struct logp_params *p = &out->c->model.params;

    return number_cell(CELL_BYTE_TIME, p->recv_streams, p->O_ps);
}

/* Of the operations of a GOAL file. */
VALUE(rank_ends_of)
{
    return row->rank_ends != NULL ? (struct cell){.kind = CELL_LIST,
                                                  .number = row->n_rank_ends,
                                                  .list = row->rank_ends}
                                  : no_cell;
}

/* Of one of several files of --schedule: its time without the others. */
VALUE(alone_of)
{
    return number_cell(CELL_NS, row->has_alone, row->alone_ns);
}

VALUE(arrival_of)
{
    return text_cell(out->q->model.arrival_text);
}

/* Of several patterns of arrivals: the time with each. */
VALUE(patterns_of)
{
    return row->pattern_ns != NULL ? (struct cell){.kind = CELL_LIST,
                                                   .number = row->n_patterns,
                                                   .list = row->pattern_ns}
                                   : no_cell;
}

/* Of each processor. */
VALUE(ports_of)
{
    return number_cell(CELL_WHOLE, out->c->model.ports > 1, out->c->model.ports);
}

const struct column graph_columns[] = {
    {KEY("O_ns_per_byte", O_of)},
    {KEY("rank_ends_ns", rank_ends_of)},
    {KEY("alone_ns", alone_of), TABLE("alone", 13, TABLE_PREDICTED)},
    {KEY("arrival", arrival_of), SWEPT("arrival", -12)},
    {KEY("ports", ports_of), SWEPT("ports", 5)},
    {PART("inter_sockets", "L_ns", sockets_ns), INTER(L_ns)},
    {PART("inter_sockets", "o_send_ns", sockets_ns), INTER(o_send_ns)},
    {PART("inter_sockets", "o_recv_ns", sockets_ns), INTER(o_recv_ns)},
    {PART("inter_sockets", "g_ns", sockets_ns), INTER(g_ns)},
    {PART("inter_sockets", "G_ns_per_byte", sockets_ps), INTER(G_ps)},
    {KEY("patterns_ns", patterns_of)},
    {0}};

const struct column last_columns[] = {
    {KEY("same_results", same_results_of), .option = "same-results"},
    {KEY("core_count", core_count_of), .measured = true},
    {KEY("core_threads", core_threads_of), .measured = true},
    {KEY("core_note", core_note_of), .measured = true},
    {0},
};

/* ---- parameters of algorithms; tables show those that algorithms choose ---- */

/* Return the name of the value, if it has one. */
static const char *word_of(const struct logp_knob *knob, int64_t value)
{
    for (const struct logp_word *w = knob->words; w != NULL && w->word != NULL; w++)
        if (w->value == value)
            return w->word;
    return NULL;
}

/* The value, given or chosen. */
VALUE(knob_of)
{
    struct logp_invocation c = *out->c;
    int64_t value;

    if (row->args != NULL)
        c.args = *row->args;
    if (!knob_value(row->algorithm, col->knob->name, out->q->model.P, &c, &value))
        return no_cell;
    if (word_of(col->knob, value) != NULL)
        return text_cell(word_of(col->knob, value));
    return number_cell(col->knob->unit == LOGP_UNIT_NS ? CELL_NS : CELL_WHOLE, true, value);
}

bool knob_column(size_t i, struct column *col)
{
    const struct logp_knob *knob = logp_knob_at(i);

    if (knob == NULL)
        return false;
    *col = (struct column){KEY(knob->key, knob_of),
                           .heading = knob->name,
                           .width = 6,
                           .spare = 2,
                           .tables = *knob->default_text == '\0' ? TABLE_ANY : TABLE_SWEPT,
                           .knob = knob};
    return true;
}

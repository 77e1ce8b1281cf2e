/* SPDX-License-Identifier: MIT */
/* Records as a table; see json.c for other formats. All times in it are microseconds. */
#include "view/records/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the heading ---- */

/* Print the size of a vector: "of 100 double each, sum"; with --bytes
 * "of 800 bytes each (100 double), sum". */
static void print_vector(FILE *f, const struct question *q, const struct logp_collective *what,
                         const struct logp_invocation *c)
{
    const char *each = what->operands == LOGP_OPERANDS_TOTAL ? "in all" : "each";
    const long long count = c->args.count, unit = (long long)c->args.op->element_bytes;

    if (*size_option(q, what) == 'b')
        fprintf(f, " of %lld bytes %s (%lld %s), %s", count * unit, each, count, c->args.op->type,
                c->args.op->name);
    else
        fprintf(f, " of %lld %s %s, %s", count, c->args.op->type, each, c->args.op->name);
}

/* "of 8 bytes", "of 100 double each, sum" */
static void print_operands(FILE *f, const struct question *q, const struct logp_collective *what,
                           const struct logp_invocation *c)
{
    if (c->args.blocks != NULL) {
        fprintf(f, " of %s ", option_text(q, "counts"));
        if (c->args.op != NULL)
            fprintf(f, "%s, %s", c->args.op->type, c->args.op->name);
        else
            fprintf(f, "bytes");
        return;
    }
    switch (what->operands) {
    case LOGP_OPERANDS_NONE:
        break;
    case LOGP_OPERANDS_BYTES:
        fprintf(f, " of %zu byte%s", c->args.n_bytes, c->args.n_bytes == 1 ? "" : "s");
        break;
    case LOGP_OPERANDS_VECTOR:
    case LOGP_OPERANDS_TOTAL:
        print_vector(f, q, what, c);
        break;
    case LOGP_OPERANDS_MATRIX:
        fprintf(f, " of %lld x %lld elements of %zu bytes", (long long)c->args.rows,
                (long long)c->args.cols, c->args.n_bytes);
        break;
    }
}

/* "60 us", "0.0005 us": exactly; into buf, which is returned. */
static const char *exact_us(int64_t ps, char buf[48])
{
    int n = snprintf(buf, 48, "%lld.%06lld", (long long)(ps / 1000000), (long long)(ps % 1000000));

    while (buf[n - 1] == '0')
        n--;
    n -= buf[n - 1] == '.';
    snprintf(buf + n, 48 - (size_t)n, " us");
    return buf;
}

static void print_params(FILE *f, const struct logp_params *p)
{
    char us[48], rate[64];

    fprintf(f, "L = %s, ", exact_us(p->L_ns * 1000, us));
    fprintf(f, "o = %s%s", exact_us(p->o_send_ns * 1000, us),
            p->o_send_ns == p->o_recv_ns ? ", " : " to send, ");
    if (p->o_send_ns != p->o_recv_ns)
        fprintf(f, "%s to receive, ", exact_us(p->o_recv_ns * 1000, us));
    fprintf(f, "g = %s%s", exact_us(p->g_ns * 1000, us), p->gap_shared ? " (shared)" : "");
    if (p->G_ps > 0)
        fprintf(f, ", G = %s", show_byte_time(p->G_ps, rate));
    if (p->O_ps > 0)
        fprintf(f, ", O = %s", show_byte_time(p->O_ps, rate));
    fputs("; ", f);
    if (p->gamma_ps > 0)
        fprintf(f, "gamma = %s; ", exact_us(p->gamma_ps, us));
    if (logp_params_capacity(p) > 0)
        fprintf(f, "capacity %lld; ", (long long)logp_params_capacity(p));
}

/* Print the values that are given; values that vary have columns. */
static void print_sweep_heading(FILE *f, const struct output *out)
{
    const struct question *q = out->q;
    char text[MAX_LIST];

    fprintf(f, "%s\n", out->sweep);
    if (out->against != NULL)
        fprintf(f,
                "%s clock, against %s\nchange: median now / then; from .. to: its 95 %% interval\n",
                q->how.clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall",
                saved_words(out->against, text));
    else if (q->how.clock == LOGP_CLOCK_VIRTUAL)
        fputs("virtual clock\n", f);
    else
        fprintf(f, "wall clock, at most %d runs each; from .. to: the median's 95 %% interval\n",
                q->how.reps);
}

/* -1: it is not known. */
static void print_least(FILE *f, int64_t lower_bound_ns)
{
    fputs("prediction only", f);
    if (lower_bound_ns >= 0)
        fprintf(f, "; no algorithm takes less than %.3f us", (double)lower_bound_ns / 1000);
    fputc('\n', f);
}

void print_carriers(FILE *f, const struct question *q, const struct logp_core_use *cores,
                    int n_processes)
{
    fprintf(f, "%s clock, %s executor on %d core%s",
            q->how.clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall", q->how.executor,
            cores->n_cores, cores->n_cores == 1 ? "" : "s");
    if (cores->n_threads > cores->n_cores)
        fprintf(f, " (%d hardware threads)", cores->n_threads);
    if (cores->is_shared)
        fputs(" shared with another run", f);
    if (cores->is_mixed && q->how.clock == LOGP_CLOCK_WALL)
        fputs(", fast and slow ones", f);
    if (q->how.place != PLACE_BLOCK && q->how.clock == LOGP_CLOCK_WALL)
        fprintf(f, " (%s%s)", q->how.traffic_file != NULL ? "partners by " : "", q->how.place_text);
    if (over_processes(q) && n_processes > 0)
        fprintf(f, " of each of %d process%s", n_processes, n_processes == 1 ? "" : "es");
}

void print_conditions(FILE *f, const struct question *q)
{
    show_links(f, q);
    if (q->model.node_size > 0 || q->model.rules != NULL)
        fputs("; ", f);
    if (q->model.network.rendezvous_from == 1)
        fprintf(f, "every send waits for its receiver; ");
    else if (q->model.network.rendezvous_from > 1)
        fprintf(f, "sends of more than %lld bytes wait for their receiver; ",
                (long long)q->model.network.rendezvous_from - 1);
    if (q->model.network.ports > 1)
        fprintf(f, "%lld ports of each processor; ", (long long)q->model.network.ports);
    if (q->model.arrival_text != NULL)
        fprintf(f, "%s %s; ", q->model.has_patterns ? "mean times with arrivals" : "arrivals",
                q->model.arrival_text);
    if (q->model.network.faults != NULL)
        fprintf(f, "faults %s; ", q->model.network.faults);
    if (q->model.network.noise != NULL)
        fprintf(f, "noise %s; ", q->model.network.noise);
}

/* Print the number of runs, which is smaller than requested where
 * --timeout or Ctrl-C came first. */
static void print_runs(FILE *f, const struct output *out)
{
    const int asked = out->q->how.reps;
    int least = asked, most = -1;

    for (size_t i = 0; i < out->n; i++) {
        const int n = out->rows[i].ran ? runs_of_record(&out->rows[i].record) : asked;

        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least < asked && least < most)
        fprintf(f, "%d to ", least);
    if (least < asked)
        fprintf(f, "%d of ", most);
    fprintf(f, "%d run%s%s\n", asked, asked == 1 ? "" : "s", least < asked ? "" : " each");
}

void print_model(FILE *f, const struct question *q)
{
    if (q->model.machine != NULL)
        fprintf(f, "%s; ", q->model.machine->title);
    if (q->model.plugin != NULL)
        fprintf(f, "delays by %s; ", q->model.plugin);
    else
        fprintf(f, "delay %s%s%s; ", q->model.delay->name,
                q->model.network.topology != NULL ? " on " : "",
                q->model.network.topology != NULL ? logp_topology_spec(q->model.network.topology)
                                                  : "");
}

static void print_heading(FILE *f, const struct output *out)
{
    const struct question *q = out->q;
    const struct logp_collective *what = logp_collective_find(out->collective);
    char unit[32];

    fputs(out->collective, f);
    if (what != NULL)
        print_operands(f, q, what, out->c);
    if (what != NULL && what->rooted)
        fprintf(f, ", root %lld", (long long)q->what.root);
    fprintf(f, ", P = %lld\n", (long long)q->model.P);
    print_model(f, q);
    if (q->model.plugin != NULL || q->model.emulated)
        print_params(f, &q->model.network.params);
    print_conditions(f, q);
    if (q->model.unit_auto)
        fprintf(f, "unit %s, found by trial; ", show_ns(q->model.unit_ns, unit, sizeof(unit)));
    if (out->cores.n_cores == 0) {
        print_least(f, lower_bound(q, out->collective, out->c));
        return;
    }
    print_carriers(f, q, &out->cores, out->n > 0 ? out->rows[0].processes : 0);
    fputs(", ", f);
    print_runs(f, out);
}

/* ---- the table ---- */

static void write_cell(const struct cell *cell, char buf[CELL_SIZE])
{
    switch (cell->kind) {
    case CELL_NOTHING:
        snprintf(buf, CELL_SIZE, "%s", cell->text != NULL ? cell->text : "-");
        break;
    case CELL_WHOLE:
        snprintf(buf, CELL_SIZE, "%lld", (long long)cell->number);
        break;
    case CELL_NS:
        snprintf(buf, CELL_SIZE, "%s%.3f", cell->text != NULL ? cell->text : "",
                 (double)cell->number / 1000);
        break;
    case CELL_THOUSANDTHS:
        snprintf(buf, CELL_SIZE, "%.6f", (double)cell->number / 1000000);
        break;
    case CELL_BYTE_TIME:
        snprintf(buf, CELL_SIZE, "%.3f", (double)cell->number / 1000);
        break;
    case CELL_RATIO:
        snprintf(buf, CELL_SIZE, "%.4f", cell->ratio);
        break;
    case CELL_TRUTH:
        snprintf(buf, CELL_SIZE, "%s", cell->number != 0 ? "yes" : "NO");
        break;
    case CELL_LIST: /* not in tables */
        break;
    case CELL_TEXT:
        snprintf(buf, CELL_SIZE, "%s", cell->text);
        break;
    }
}

/* Add a column, unless all its cells are dashes; a TABLE_SWEPT column only if its rows differ. */
static void add_column(struct table *t, const struct output *out, const struct column *col)
{
    char(*cells)[CELL_SIZE] = need(calloc(t->rows, sizeof(*cells)));
    int width = abs(col->width), heading = (int)strlen(col->heading);
    bool says = false, differs = false;
    size_t k = 0;

    for (; out != NULL; out = out->next)
        for (size_t i = 0; i < out->n; i++, k++) {
            const struct cell cell = cell_of(out, &out->rows[i], col);
            int length;

            write_cell(&cell, cells[k]);
            if (cell.kind == CELL_NOTHING && *col->heading == '\0')
                *cells[k] = '\0';
            says |= cell.kind != CELL_NOTHING || cell.text != NULL;
            differs |= strcmp(cells[k], cells[0]) != 0;
            length = (int)strlen(cells[k]);
            width = length > width ? length : width;
        }
    if (col->tables == TABLE_SWEPT ? !differs : !says) {
        free(cells);
        return;
    }
    t->column[t->n] = *col;
    t->cell[t->n] = cells;
    t->width[t->n++] = width > heading ? width : heading;
}

void fill_table(struct table *t, const struct output *out)
{
    const unsigned kind = (out->q->form.ranks ? TABLE_RANKS : 0) |
                          (out->sweep != NULL ? TABLE_SWEPT : 0) |
                          (out->against != NULL                      ? TABLE_COMPARED
                           : out->cores.n_cores == 0                 ? TABLE_PREDICTED
                           : out->q->how.clock == LOGP_CLOCK_VIRTUAL ? TABLE_VIRTUAL
                                                                     : TABLE_WALL);
    struct column col;

    *t = (struct table){.n = 0};
    for (const struct output *q = out; q != NULL; q = q->next)
        t->rows += q->n;
    for (size_t i = 0; output_column(i, &col) && t->n < MOST_COLUMNS && t->rows > 0; i++)
        if (col.heading != NULL && (col.tables & kind) != 0 && (out->sweep != NULL || !col.swept))
            add_column(t, out, &col);
}

void free_table(struct table *t)
{
    for (int i = 0; i < t->n; i++)
        free(t->cell[i]);
}

/* Print one line: the headings (row < 0), or the cells of a row. Without blanks at its end. */
static void print_line(FILE *f, const struct table *t, int row)
{
    int blanks = 0;

    for (int i = 0; i < t->n; i++) {
        const bool left = t->column[i].width < 0;
        const char *text = table_text(t, i, row);
        const int fill = t->width[i] - (int)strlen(text);

        if (i > 0)
            blanks += left ? 2 : 1;
        if (*text != '\0')
            fprintf(f, "%*s%s", blanks + (left ? 0 : fill), "", text);
        blanks = *text == '\0' ? blanks + fill : left ? fill : 0;
    }
    fputc('\n', f);
}

void print_table_heading(FILE *f, const struct output *out)
{
    if (out->sweep != NULL)
        print_sweep_heading(f, out);
    else
        print_heading(f, out);
}

void print_table(FILE *f, const struct output *out)
{
    char text[MAX_LIST];
    struct names gone;
    struct table t;
    int width;

    print_table_heading(f, out);
    if (free_bytes_in(out, text) != NULL)
        fprintf(f, "%s\n", text);
    fill_table(&t, out);
    width = fit_table(f, &t, &gone);
    for (int row = -1; row < (int)t.rows && t.rows > 0; row++) {
        fputs(row < 0 ? "\n" : "", f);
        print_line(f, &t, row);
    }
    free_table(&t);
    if (gone.n > 0)
        fprintf(f, "left out, because the terminal has %d columns: %s; --output FILE.csv has all\n",
                width, list_names(&gone, ", ", text));
    for (const struct output *q = out; q != NULL && out->cores.n_cores > 0; q = q->next)
        for (size_t i = 0; i < q->n; i++)
            if (is_unchecked(q, &q->rows[i])) {
                fputs("through: every processor reached its end; no result could be verified\n", f);
                return;
            }
}

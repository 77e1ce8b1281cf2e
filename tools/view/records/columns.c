/* SPDX-License-Identifier: MIT */
/* All columns, one after another. See columns.h. */
#include "view/records/columns.h"

bool output_column(size_t i, struct column *out)
{
    static const struct column *const all[] = {
        asked_columns, NULL /* the parameters of algorithms */,
        run_columns,   result_columns,
        fault_columns, against_columns,
        sweep_columns, last_columns,
        host_columns,  undisturbed_columns,
        graph_columns};

    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        size_t n = 0;

        for (; all[k] != NULL && all[k][n].value != NULL; n++)
            if (n == i) {
                *out = all[k][n];
                return true;
            }
        for (; all[k] == NULL && knob_column(n, out); n++)
            if (n == i)
                return true;
        i -= n;
    }
    return false;
}

bool has_key(const struct output *out, const struct column *col)
{
    return col->key != NULL && (out->cores.n_cores > 0 || !col->measured) &&
           (out->sweep != NULL || !col->swept) && (out->against != NULL || !col->compared);
}

struct cell cell_of(const struct output *out, const struct row *row, const struct column *col)
{
    if (col->option != NULL && !option_matters(col->option, out->q))
        return no_cell;
    return col->value(out, row, col);
}

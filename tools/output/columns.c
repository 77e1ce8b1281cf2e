/* SPDX-License-Identifier: MIT */
/* All columns, one after another. */
#include "output/columns.h"

const struct column *output_column(size_t i)
{
    const struct column *all[] = {asked_columns,  knob_columns(), run_columns,
                                  result_columns, fault_columns,  sweep_columns};

    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        for (const struct column *col = all[k]; col->value != NULL; col++)
            if (i-- == 0)
                return col;
    return NULL;
}

bool has_key(const struct output *out, const struct column *col)
{
    return col->key != NULL && (out->n_cores > 0 || !col->measured) &&
           (out->sweep != NULL || !col->swept);
}

struct cell cell_of(const struct output *out, const struct row *row, const struct column *col)
{
    if (col->option != NULL && !option_matters(col->option, out->o))
        return no_cell;
    return col->value(out, row, col);
}

/* SPDX-License-Identifier: MIT */
/* Faults and noise, and what came of them: see columns.h. */
#include "output/columns.h"

VALUE(fault_of)
{
    return text_cell(out->o->faults);
}

VALUE(noise_of)
{
    return text_cell(out->o->noise);
}

VALUE(failed_of)
{
    return number_cell(CELL_WHOLE, is_faulty(out->o), row->record.failed);
}

VALUE(wrong_ranks_of)
{
    return text_cell(row->wrong_ranks[0] != '\0' ? row->wrong_ranks : NULL);
}

VALUE(struck_of)
{
    return number_cell(CELL_WHOLE, is_faulty(out->o), at_offset(&row->record, col));
}

const struct column fault_columns[] = {
    {KEY("fault", fault_of)},
    {KEY("noise", noise_of)},
    {KEY("failed", failed_of), .measured = true, TABLE("failed", 7, TABLE_WALL | TABLE_VIRTUAL)},
    {KEY("wrong_ranks", wrong_ranks_of), .measured = true},
    {KEY("dropped", struck_of), RECORD(struck.dropped)},
    {KEY("duplicated", struck_of), RECORD(struck.duplicated)},
    {KEY("flipped", struck_of), RECORD(struck.flipped)},
    {KEY("delayed", struck_of), RECORD(struck.delayed)},
    {0},
};

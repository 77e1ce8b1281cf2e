/* SPDX-License-Identifier: MIT */
/* The columns of knobs: the library says which there are. Tables show those that algorithms choose.
 */
#include "output/columns.h"

#include "choice/choice.h"

enum { MOST_KNOBS = 32 };

/* What the value is called, if it has a name. */
static const char *word_of(const struct logp_knob *knob, int64_t value)
{
    for (const struct logp_word *w = knob->words; w != NULL && w->word != NULL; w++)
        if (w->value == value)
            return w->word;
    return NULL;
}

/* Given or chosen. */
VALUE(knob_of)
{
    int64_t value;

    if (!knob_value(row->algorithm, col->knob->name, out->o->P, out->c, &value))
        return no_cell;
    if (word_of(col->knob, value) != NULL)
        return text_cell(word_of(col->knob, value));
    return number_cell(col->knob->unit == LOGP_UNIT_NS ? CELL_NS : CELL_WHOLE, true, value);
}

const struct column *knob_columns(void)
{
    static struct column columns[MOST_KNOBS + 1];
    const struct logp_knob *knob;

    for (size_t i = 0; i < MOST_KNOBS && (knob = logp_knob_at(i)) != NULL; i++) {
        columns[i] = (struct column){KEY(knob->key, knob_of), .knob = knob};
        columns[i].heading = knob->name;
        columns[i].width = 6;
        columns[i].tables = *knob->default_text == '\0' ? TABLE_ANY : TABLE_SWEPT;
    }
    return columns;
}

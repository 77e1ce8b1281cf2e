/* SPDX-License-Identifier: MIT */
/* The parameters of algorithms as options, from the table of the library. */
#include "question/rows.h"

#include <string.h>

enum { MOST_KNOBS = 32 };

static enum series_kind series_of(const struct logp_knob *knob)
{
    switch (knob->unit) {
    case LOGP_UNIT_NUMBER:
        return SERIES_NUMBERS;
    case LOGP_UNIT_BYTES:
        return SERIES_BYTES;
    case LOGP_UNIT_NS:
        return SERIES_TIMES;
    case LOGP_UNIT_WORD:
        return SERIES_WORDS;
    }
    return SERIES_NONE;
}

const struct option_row *knob_options(void)
{
    static struct option_row rows[MOST_KNOBS + 1];
    const struct logp_knob *knob;

    for (size_t i = 0; i < MOST_KNOBS && (knob = logp_knob_at(i)) != NULL; i++)
        rows[i] = (struct option_row){.name = knob->name,
                                      .value = knob->metavar,
                                      .help = knob->help,
                                      .preset = knob->default_text,
                                      .other = knob->auto_text,
                                      .set = OPTIONS_MODEL,
                                      .knob = knob,
                                      .series = series_of(knob)};
    return rows;
}

/* Find a named value of the parameter. NULL: it has no such name. */
static const struct logp_word *word_of(const struct logp_knob *knob, const char *text)
{
    for (const struct logp_word *w = knob->words; w != NULL && w->word != NULL; w++)
        if (strcmp(w->word, text) == 0)
            return w;
    return NULL;
}

static struct problem *refuse_word(const struct logp_knob *knob, const char *option,
                                   const char *text)
{
    struct names names = {0};

    for (const struct logp_word *w = knob->words; w->word != NULL; w++)
        add_name(&names, w->word);
    return name_problem(option, text, &names);
}

bool parse_knob(const struct logp_knob *knob, const char *text, int64_t *value)
{
    const struct logp_word *word = word_of(knob, text);

    if (word != NULL)
        *value = word->value;
    return word != NULL ||
           parse_number(text, knob->unit == LOGP_UNIT_BYTES, knob->least, knob->most, value);
}

struct problem *apply_knob(struct question *q, const struct logp_knob *knob, const char *option,
                           const char *text)
{
    int64_t *value = (int64_t *)((char *)&q->what.knobs + knob->field);

    if (knob->unit == LOGP_UNIT_NS)
        return to_ns(q, option, text, value);
    if (knob->unit == LOGP_UNIT_WORD && word_of(knob, text) == NULL)
        return refuse_word(knob, option, text);
    if (*text != '\0' && !parse_knob(knob, text, value))
        return must_be(option, text, "%s", knob->allowed);
    return NULL;
}

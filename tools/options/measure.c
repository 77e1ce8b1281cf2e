/* SPDX-License-Identifier: MIT */
/* The options of what is measured from outside. */
#include "options/rows.h"

static void apply_pairs(struct options *o, const char *option, const char *text)
{
    o->all_pairs = either(option, text, "first", "all");
}

static const char *all_on(const struct options *o, char buf[MAX_LIST])
{
    const struct logp_machine_file *m;
    struct names names = {{"host"}, 1};

    (void)o;
    for (size_t i = 0; (m = logp_machine_file_at(i)) != NULL; i++)
        add_name(&names, m->name);
    return list_names(&names, ", ", buf);
}

const struct option_row measure_options[] = {
    {"pairs", "WHICH", "first: ranks 0 and 1; all: each pair, to find nodes", "first", "",
     OPTIONS_MEASURE, .apply = apply_pairs, .words = "first, all"},
    {"on", "WHAT", "host: at its own speed; or an emulated machine, by name or file", "host", "",
     OPTIONS_VALIDATE, TEXT(on), .choices = all_on},
    {"fit", NULL, "find the parameters that fit the measured times", "off", "", OPTIONS_VALIDATE,
     SWITCH(fit)},
    {0},
};

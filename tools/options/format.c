/* SPDX-License-Identifier: MIT */
/* --format: which of the formats the command can use, and which of these it shall be; --explain,
 * --plot. */
#include "options/rows.h"

#include <stdio.h>
#include <string.h>

static struct names names_for(const struct output_format *formats, format_use use)
{
    struct names names = {0};

    for (const struct output_format *f = formats; f->name != NULL; f++)
        if (use == NULL || use(f))
            add_name(&names, f->name);
    return names;
}

const char *formats_for(const struct output_format *formats, format_use use, char buf[MAX_LIST])
{
    const struct names names = names_for(formats, use);

    return list_names(&names, " or ", buf);
}

/* NULL: there is none of this name. */
static const struct output_format *find_format(const struct options *o, const char *name)
{
    const struct output_format *f = o->formats;

    while (f->name != NULL && strcmp(f->name, name) != 0)
        f++;
    return f->name != NULL ? f : NULL;
}

/* An environment that is wrong stops no command that can go without. */
static void apply_format(struct options *o, const char *option, const char *text)
{
    const struct output_format *f = find_format(o, text);
    const struct names names = names_for(o->formats, o->prints);
    char list[MAX_LIST];

    o->format = f;
    if (f != NULL && (o->prints == NULL || o->prints(f)))
        return;
    formats_for(o->formats, o->prints, list);
    if ((o->sets & OPTIONS_FORGIVING) != 0 && option_in_environment(option)) {
        o->format = find_format(o, names.name[0]);
        fprintf(stderr, "logp: LOGP_FORMAT '%s': %s; this is a %s\n", text, list, o->format->name);
        return;
    }
    if (f != NULL)
        bad_option(option, text, "%s", list);
    refuse_name(option, text, &names);
}

static const char *usable_formats(const struct options *o, char buf[MAX_LIST])
{
    return formats_for(o->formats, o->prints, buf);
}

static void apply_explain(struct options *o, const char *option, const char *text)
{
    o->explain = switched(option, text);
}

static void apply_plot(struct options *o, const char *option, const char *text)
{
    (void)option; /* the command knows what it is */
    o->plot = *text != '\0' ? text : NULL;
}

const struct option_row format_options[] = {
    {"explain", NULL,
     "what the predicted time is made of, what has slack, and how often L, o, g count", "off", "",
     OPTIONS_EXPLAIN, .apply = apply_explain},
    {"format", "KIND", "%s", "table", "", OPTIONS_FORMAT, .apply = apply_format,
     .choices = usable_formats},
    {"plot", "FILE|DIR", "a picture of the sweep, .png, .svg or .pdf; a paper's: in this folder",
     "", "none", OPTIONS_PLOT, .apply = apply_plot},
    {0},
};

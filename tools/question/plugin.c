/* SPDX-License-Identifier: MIT */
/* --plugin FILE.so:ARGUMENTS: see logp/algorithm.h. If it refuses them, the process ends with one
 * line. */
#include "question/rows.h"
#include "file/file.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* loaded until the process ends */
static struct logp_plugin plugin;
static const char *arguments;

/* The length of the file's name; the arguments follow after a colon. */
static size_t length_of_name(const char *text)
{
    const char *so = strstr(text, ".so");
    const size_t before = so != NULL ? (size_t)(so - text) : 0;

    return before + strcspn(text + before, ":");
}

static const struct logp_plugin *symbol_of(const char *option, const char *text)
{
    char *file = strndup(text, length_of_name(text));
    const struct logp_plugin *found;
    void *handle;

    if (file == NULL)
        bad_usage("no memory");
    if (!is_trusted(file)) /* before its constructors run */
        bad_option(option, text,
                   "a replay loads plug-ins from its folder or the current one only; if you trust "
                   "this one, type logp replay FILE -- COMMAND");
    handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    free(file);
    if (handle == NULL)
        bad_option(option, text, "%s", dlerror());
    found = dlsym(handle, "logp_plugin");
    if (found == NULL)
        bad_option(
            option, text,
            "a shared object that defines struct logp_plugin logp_plugin (logp/algorithm.h)");
    return found;
}

static void add_algorithm(const char *option, const char *text, const struct logp_algorithm *a)
{
    const bool is_shown = (a->name == NULL || is_printable(a->name)) &&
                          (a->summary == NULL || is_printable(a->summary)) &&
                          (a->source == NULL || is_printable(a->source));
    const int rc = is_shown ? logp_algorithm_add(a) : -EINVAL;

    if (!is_shown)
        bad_option(option, text, "algorithms whose names, summaries and sources can be printed");
    if (rc == -EPROTONOSUPPORT)
        bad_option(option, text,
                   "algorithms that were compiled for this version of liblogp; these were compiled "
                   "for another version of liblogp: compile the plug-in again");
    if (rc == -EEXIST)
        bad_option(option, text, "algorithms with new names: %s %s exists already", a->collective,
                   a->name);
    if (rc == -ENOSPC)
        bad_option(option, text, "fewer algorithms");
    if (rc != 0)
        bad_option(option, text, "algorithms of existing collectives, with names and steps");
}

/* Once in a process. */
static void load(const char *option, const char *text)
{
    const size_t length = length_of_name(text);
    const int rc =
        logp_struct_take(&plugin, sizeof(plugin), LOGP_UP_TO(struct logp_plugin, algorithms),
                         symbol_of(option, text));
    if (rc != 0)
        bad_option(option, text, "%s",
                   rc == -E2BIG ? "a plug-in that uses no more fields than this version of logp has"
                                : "a plug-in whose size field is set");
    if (plugin.version != LOGP_PLUGIN_VERSION)
        bad_option(option, text, "a plug-in of version %d; this is one of version %d",
                   LOGP_PLUGIN_VERSION, plugin.version);
    if (plugin.create_delay == NULL && plugin.algorithms == NULL)
        bad_option(option, text, "a plug-in with a delay model or algorithms");
    arguments = text[length] == ':' ? text + length + 1 : "";
    if (plugin.create_delay == NULL && *arguments != '\0')
        bad_option(option, text, "plug-in %s takes no arguments; remove them", plugin.name);
    for (int i = 0; plugin.algorithms != NULL && plugin.algorithms[i] != NULL; i++)
        add_algorithm(option, text, plugin.algorithms[i]);
}

void apply_plugin(struct question *q, const char *option, const char *text)
{
    static char *shown; /* a process loads one */
    char topology[32];

    if (strcmp(text, "none") == 0)
        return;
    if (plugin.size == 0)
        load(option, text);
    if (plugin.create_delay != NULL && q->model.network.topology != NULL)
        bad_option(option, text, "a delay model of a plug-in does not support %s; remove it",
                   option_shown("topology", topology));
    if (plugin.create_delay != NULL && q->model.network.links != NULL)
        bad_option(option, text, "a delay model of a plug-in does not support %s; remove it",
                   links_option(q));
    if (plugin.create_delay != NULL && shown == NULL)
        shown = shown_text(text);
    if (plugin.create_delay != NULL)
        q->model.plugin = shown;
}

/* Ask the plug-in for its model. @return 0; or it refuses, with the reason in one line */
static int ask(const struct question *q, struct logp_delay *out, char why[LOGP_PLUGIN_WHY])
{
    struct logp_params params = q->model.network.params;
    const struct logp_plugin_call call = {.size = sizeof(call),
                                          .arguments = arguments,
                                          .P = q->model.P,
                                          .seed = q->how.seed,
                                          .params = &params};
    int rc;

    params.seed = q->how.seed;
    why[0] = '\0';
    *out = (struct logp_delay){0};
    rc = plugin.create_delay(&call, out, why);
    why[LOGP_PLUGIN_WHY - 1] = '\0';
    for (char *s = why; *s != '\0'; s++)
        if (iscntrl((unsigned char)*s))
            *s = ' ';
    return rc;
}

struct logp_delay make_plugin_delay(const struct question *q)
{
    struct logp_delay delay;
    struct logp_delay_ops ops;
    char why[LOGP_PLUGIN_WHY];
    const int rc = ask(q, &delay, why);

    if (rc != 0)
        bad_option("--plugin", q->model.plugin, "%s refuses: %s", plugin.name,
                   why[0] != '\0' ? why : strerror(rc < 0 ? -rc : rc));
    if (logp_delay_functions(&delay, &ops) != 0)
        bad_option("--plugin", q->model.plugin,
                   "a delay model with all its functions, and their size");
    return delay;
}

/* Whether a built-in model would take these parameters. */
static bool sound(const struct logp_params *params)
{
    struct logp_delay delay;
    const bool is = logp_delay_create(logp_delay_name(params), params, &delay) == 0;

    if (is)
        logp_delay_destroy(&delay);
    return is;
}

/* Taken from the model itself. Where it refuses, making a machine reports the reason. */
static bool plugin_params(const struct question *q, struct logp_params *out)
{
    const struct logp_params *params = NULL;
    struct logp_delay_ops ops;
    struct logp_delay delay;
    char why[LOGP_PLUGIN_WHY];

    if (q->model.P > LOGP_MAX_PROCESSORS || ask(q, &delay, why) != 0)
        return false;
    if (logp_delay_functions(&delay, &ops) == 0 && ops.params != NULL)
        params = ops.params(delay.model);
    if (params != NULL && !sound(params))
        bad_option("--plugin", q->model.plugin, "a delay model whose parameters are 0 .. 11 days");
    if (params != NULL)
        *out = *params;
    logp_delay_destroy(&delay);
    return params != NULL;
}

struct logp_params model_params(const struct question *q)
{
    struct logp_params params = q->model.network.params;

    if (q->model.plugin == NULL || !plugin_params(q, &params))
        logp_delay_params(q->model.delay->name, &q->model.network.params, &params);
    params.gamma_ps = q->model.network.params.gamma_ps; /* which is the host's, not the network's */
    return params;
}

struct logp_network network_of(const struct question *q)
{
    struct logp_network network = q->model.network;

    network.params = model_params(q);
    network.params.seed = q->how.seed;
    network.unit_ns = q->model.unit_ns;
    network.undelayed = !q->model.emulated && q->model.plugin == NULL &&
                        q->how.clock == LOGP_CLOCK_WALL && !over_processes(q);
    return network;
}

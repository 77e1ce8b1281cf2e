/* SPDX-License-Identifier: MIT */
/* --plugin FILE.so:ARGUMENTS: see logp/algorithm.h. */
#include "question/rows.h"
#include "file/file.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The plug-in of a question. Its file stays loaded, and its algorithms added, until the process
 * ends. */
struct loaded {
    struct logp_plugin plugin;
    const char *arguments;
    char *shown; /* the option's text */
};

static struct loaded *loaded(const struct question *q)
{
    return part_of(q, PART_PLUGIN, sizeof(struct loaded));
}

/* The length of the file's name; the arguments follow after a colon. */
static size_t length_of_name(const char *text)
{
    const char *so = strstr(text, ".so");
    const size_t before = so != NULL ? (size_t)(so - text) : 0;

    return before + strcspn(text + before, ":");
}

static struct problem *find_symbol(const char *option, const char *text,
                                   const struct logp_plugin **found)
{
    char *file = need(strndup(text, length_of_name(text)));
    const bool trusted = is_trusted(file); /* before its constructors run */
    void *handle = trusted ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;

    free(file);
    if (!trusted)
        return option_problem(
            option, text,
            "a replay loads plug-ins from its folder or the current one only; if you trust "
            "this one, type logp replay FILE -- COMMAND");
    if (handle == NULL)
        return option_problem(option, text, "%s", dlerror());
    *found = dlsym(handle, "logp_plugin");
    if (*found == NULL)
        return option_problem(
            option, text,
            "a shared object that defines struct logp_plugin logp_plugin (logp/algorithm.h)");
    return NULL;
}

/* Whether another question has added it. */
static bool is_added(const struct logp_algorithm *a)
{
    return a->collective != NULL && a->name != NULL &&
           logp_algorithm_find(a->collective, a->name) == a;
}

static struct problem *add_algorithm(const char *option, const char *text,
                                     const struct logp_algorithm *a)
{
    const bool is_shown = (a->name == NULL || is_printable(a->name)) &&
                          (a->summary == NULL || is_printable(a->summary)) &&
                          (a->source == NULL || is_printable(a->source));
    const int rc = !is_shown ? -EINVAL : is_added(a) ? 0 : logp_algorithm_add(a);

    if (!is_shown)
        return option_problem(option, text,
                              "algorithms whose names, summaries and sources can be printed");
    if (rc == -EPROTONOSUPPORT)
        return option_problem(
            option, text,
            "algorithms that were compiled for this version of liblogp; these were compiled "
            "for another version of liblogp: compile the plug-in again");
    if (rc == -EEXIST)
        return option_problem(option, text, "algorithms with new names: %s %s exists already",
                              a->collective, a->name);
    if (rc == -ENOSPC)
        return option_problem(option, text, "fewer algorithms");
    if (rc != 0)
        return option_problem(option, text,
                              "algorithms of existing collectives, with names and steps");
    return NULL;
}

static struct problem *load(struct loaded *l, const char *option, const char *text)
{
    const size_t length = length_of_name(text);
    const struct logp_plugin *symbol;
    int rc;

    TRY(find_symbol(option, text, &symbol));
    rc = logp_struct_take(&l->plugin, sizeof(l->plugin), LOGP_UP_TO(struct logp_plugin, algorithms),
                          symbol);
    if (rc != 0)
        return option_problem(option, text, "%s",
                              rc == -E2BIG ? "a plug-in that uses no more fields than this version "
                                             "of logp has"
                                           : "a plug-in whose size field is set");
    if (l->plugin.version != LOGP_PLUGIN_VERSION)
        return option_problem(option, text, "a plug-in of version %d; this is one of version %d",
                              LOGP_PLUGIN_VERSION, l->plugin.version);
    if (l->plugin.create_delay == NULL && l->plugin.algorithms == NULL)
        return option_problem(option, text, "a plug-in with a delay model or algorithms");
    l->arguments = text[length] == ':' ? text + length + 1 : "";
    if (l->plugin.create_delay == NULL && *l->arguments != '\0')
        return option_problem(option, text, "plug-in %s takes no arguments; remove them",
                              l->plugin.name);
    for (int i = 0; l->plugin.algorithms != NULL && l->plugin.algorithms[i] != NULL; i++)
        TRY(add_algorithm(option, text, l->plugin.algorithms[i]));
    return NULL;
}

struct problem *apply_plugin(struct question *q, const char *option, const char *text)
{
    struct loaded *l = loaded(q);
    char topology[32];

    if (strcmp(text, "none") == 0)
        return NULL;
    if (l->plugin.size == 0)
        TRY(load(l, option, text));
    if (l->plugin.create_delay == NULL)
        return NULL;
    if (q->model.network.topology != NULL)
        return option_problem(option, text,
                              "a delay model of a plug-in does not support %s; remove it",
                              option_shown(q, "topology", topology));
    if (q->model.network.links != NULL)
        return option_problem(option, text,
                              "a delay model of a plug-in does not support %s; remove it",
                              links_option(q));
    if (l->shown == NULL)
        l->shown = kept_by(q, shown_text(text), free);
    q->model.plugin = l->shown;
    return NULL;
}

/* Ask the plug-in for its model. @return 0; or it refuses, with the reason in one line */
static int ask(const struct question *q, struct logp_delay *out, char why[LOGP_PLUGIN_WHY])
{
    struct logp_params params = q->model.network.params;
    const struct logp_plugin_call call = {.size = sizeof(call),
                                          .arguments = loaded(q)->arguments,
                                          .P = q->model.P,
                                          .seed = q->how.seed,
                                          .params = &params};
    int rc;

    params.seed = q->how.seed;
    why[0] = '\0';
    *out = (struct logp_delay){0};
    rc = loaded(q)->plugin.create_delay(&call, out, why);
    why[LOGP_PLUGIN_WHY - 1] = '\0';
    for (char *s = why; *s != '\0'; s++)
        if (iscntrl((unsigned char)*s))
            *s = ' ';
    return rc;
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

/* Check the model, and take its own parameters, if it has any. */
static struct problem *check_delay(const struct question *q, const struct logp_delay *delay,
                                   struct logp_params *out)
{
    const struct logp_params *params = NULL;
    struct logp_delay_ops ops;

    if (logp_delay_functions(delay, &ops) != 0)
        return option_problem("--plugin", q->model.plugin,
                              "a delay model with all its functions, and their size");
    if (ops.params != NULL)
        params = ops.params(delay->model);
    if (params != NULL && !sound(params))
        return option_problem("--plugin", q->model.plugin,
                              "a delay model whose parameters are 0 .. 11 days");
    if (params != NULL)
        *out = *params;
    return NULL;
}

struct problem *make_plugin_delay(const struct question *q, struct logp_delay *delay)
{
    struct logp_params params;
    char why[LOGP_PLUGIN_WHY];
    const int rc = ask(q, delay, why);
    struct problem *problem;

    if (rc != 0)
        return option_problem("--plugin", q->model.plugin, "%s refuses: %s", loaded(q)->plugin.name,
                              why[0] != '\0' ? why : strerror(rc < 0 ? -rc : rc));
    problem = check_delay(q, delay, &params);
    if (problem != NULL)
        logp_delay_destroy(delay);
    return problem;
}

/* The parameters of the model itself, if it has any. Where it refuses, making a machine reports the
 * reason. */
static struct problem *plugin_params(const struct question *q, struct logp_params *out)
{
    struct logp_delay delay;
    char why[LOGP_PLUGIN_WHY];
    struct problem *problem;

    if (q->model.P > LOGP_MAX_PROCESSORS || ask(q, &delay, why) != 0)
        return NULL;
    problem = check_delay(q, &delay, out);
    logp_delay_destroy(&delay);
    return problem;
}

struct problem *check_plugin(const struct question *q)
{
    struct logp_params params;

    return q->model.plugin != NULL ? plugin_params(q, &params) : NULL;
}

struct logp_params model_params(const struct question *q)
{
    struct logp_params params;

    logp_delay_params(q->model.delay->name, &q->model.network.params, &params);
    if (q->model.plugin != NULL)
        free(plugin_params(q, &params));                /* check_plugin() has reported it */
    params.gamma_ps = q->model.network.params.gamma_ps; /* which is the host's, not the network's */
    return params;
}

struct logp_network network_of(const struct question *q)
{
    struct logp_network network = q->model.network;

    network.params = model_params(q);
    network.params.seed = q->how.seed;
    network.unit_ns = q->model.unit_ns;
    if (network.arrivals == NULL)
        network.arrivals = drawn_arrivals(q);
    network.undelayed = !q->model.emulated && q->model.plugin == NULL &&
                        q->how.clock == LOGP_CLOCK_WALL && !over_processes(q);
    return network;
}

/* SPDX-License-Identifier: MIT */
/* --plugin FILE.so:ARGUMENTS: see logp/algorithm.h. */
#include "question/rows.h"
#include "file/file.h"

#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PLUGINS = 16 };

/* The plug-ins of a question. Their files stay loaded, and their algorithms added, until the process
 * ends. */
struct plugins {
    bool are_loaded;
    int n;
    const struct logp_algorithm *const *algorithms[MOST_PLUGINS]; /* of each; NULL: it has none */
    struct logp_plugin delay; /* the one with a delay model; size 0: none has one */
    const char *arguments;    /* its own */
    char *shown;              /* its part of the option's text */
};

static struct plugins *plugins(const struct question *q)
{
    return part_of(q, PART_PLUGIN, sizeof(struct plugins));
}

/* The length of the file's name; the arguments follow after a colon. */
static size_t length_of_name(const char *text)
{
    const char *so = strstr(text, ".so");
    const size_t before = so != NULL ? (size_t)(so - text) : 0;

    return before + strcspn(text + before, ":");
}

/* The file of the text: one that lies in the current folder needs no "./"; dlopen() searches for other names without '/'. */
static char *file_of(const char *text)
{
    const size_t length = length_of_name(text);
    char *file = need(malloc(length + 3));

    memcpy(file, "./", 2);
    memcpy(file + 2, text, length);
    file[length + 2] = '\0';
    if (memchr(text, '/', length) != NULL || access(file, F_OK) != 0)
        memmove(file, file + 2, length + 1);
    return file;
}

/* Whether it may be a shared object with all that is to be loaded: the start of one that is cut would end this process.
 * What cannot be opened is left to dlopen(). */
static bool is_object(const char *file)
{
    ElfW(Ehdr) header = {0};
    ElfW(Phdr) part = {0};
    struct stat about;
    FILE *f = fopen(file, "re");
    bool is =
        f == NULL || (fread(&header, sizeof(header), 1, f) == 1 && fstat(fileno(f), &about) == 0 &&
                      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);

    for (int i = 0; f != NULL && is && i < header.e_phnum; i++)
        is = fseek(f, (long)(header.e_phoff + (size_t)i * sizeof(part)), SEEK_SET) == 0 &&
             fread(&part, sizeof(part), 1, f) == 1 &&
             (part.p_type != PT_LOAD || part.p_offset + part.p_filesz <= (size_t)about.st_size);
    if (f != NULL)
        fclose(f);
    return is;
}

static struct problem *find_symbol(const char *option, const char *text,
                                   const struct logp_plugin **found)
{
    char *file = file_of(text);
    const bool trusted = is_trusted(file); /* before its constructors run */
    const bool suitable = is_object(file);
    void *handle = trusted && suitable ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;

    free(file);
    if (!trusted)
        return option_problem(
            option, text,
            "a replay loads plug-ins from its folder or the current one only; if you trust "
            "this one, type logp replay FILE -- COMMAND");
    if (!suitable)
        return must_be(option, text,
                       "a shared object, as cc -shared -fPIC zigzag.c -o zigzag.so $(pkg-config "
                       "--cflags logp) makes; then type --plugin ./zigzag.so");
    if (handle == NULL)
        return option_problem(option, text, "%s", dlerror());
    *found = dlsym(handle, "logp_plugin");
    if (*found == NULL)
        return must_be(
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
        return must_be(option, text,
                       "algorithms whose names, summaries and sources can be printed");
    if (rc == -EPROTONOSUPPORT)
        return must_be(
            option, text,
            "algorithms that were compiled for this version of liblogp; these were compiled "
            "for another version of liblogp: compile the plug-in again");
    if (rc == -EEXIST)
        return must_be(option, text, "algorithms with new names: %s %s exists already",
                       a->collective, a->name);
    if (rc == -ENOSPC)
        return must_be(option, text, "fewer algorithms");
    if (rc != 0)
        return must_be(option, text, "algorithms of existing collectives, with names and steps");
    return NULL;
}

/* Load one, and keep it if it has a delay model. */
static struct problem *load(const struct question *q, const char *option, const char *text)
{
    const size_t length = length_of_name(text);
    const struct logp_plugin *symbol;
    struct plugins *all = plugins(q);
    struct logp_plugin plugin;
    int rc;

    TRY(find_symbol(option, text, &symbol));
    rc = logp_struct_take(&plugin, sizeof(plugin), LOGP_UP_TO(struct logp_plugin, algorithms),
                          symbol);
    if (rc != 0)
        return option_problem(option, text, "%s",
                              rc == -E2BIG ? "must be a plug-in that uses no more fields than this "
                                             "version of logp has"
                                           : "must be a plug-in whose size field is set");
    if (plugin.version != LOGP_PLUGIN_VERSION)
        return option_problem(option, text,
                              "must be a plug-in of version %d; this is one of version %d",
                              LOGP_PLUGIN_VERSION, plugin.version);
    if (plugin.create_delay == NULL && plugin.algorithms == NULL)
        return must_be(option, text, "a plug-in with a delay model or algorithms");
    if (plugin.create_delay == NULL && text[length] == ':' && text[length + 1] != '\0')
        return option_problem(option, text, "plug-in %s takes no arguments; remove them",
                              plugin.name);
    if (plugin.create_delay != NULL && all->delay.size != 0)
        return option_problem(option, text, "%s has a delay model already; remove one of the two",
                              all->shown);
    if (all->n == MOST_PLUGINS)
        return must_be(option, text, "one of at most %d plug-ins", MOST_PLUGINS);
    all->algorithms[all->n++] = plugin.algorithms;
    for (int i = 0; plugin.algorithms != NULL && plugin.algorithms[i] != NULL; i++)
        TRY(add_algorithm(option, text, plugin.algorithms[i]));
    if (plugin.create_delay != NULL) {
        all->delay = plugin;
        all->arguments = text[length] == ':' ? text + length + 1 : "";
        all->shown = kept_by(q, shown_text(text), free);
    }
    return NULL;
}

/* The option's text has each --plugin, with ; between them; arguments may have one, too. @return the next one, which it ends */
static char *next_plugin(char **rest)
{
    char *const text = *rest, *end = text;

    while (end != NULL && (end = strchr(end, ';')) != NULL && strstr(end, ".so") == NULL)
        end++;
    *rest = end != NULL ? end + 1 : NULL;
    if (end != NULL)
        *end = '\0';
    return text;
}

bool is_of_plugin(const struct question *q, const struct logp_algorithm *a)
{
    const struct plugins *all = plugins(q);

    for (int k = 0; k < all->n; k++)
        for (int i = 0; all->algorithms[k] != NULL && all->algorithms[k][i] != NULL; i++)
            if (all->algorithms[k][i] == a)
                return true;
    return false;
}

struct problem *apply_plugin(struct question *q, const char *option, const char *text)
{
    struct plugins *all = plugins(q);
    char topology[32], *rest, *one;

    if (strcmp(text, "none") == 0)
        return NULL;
    if (!all->are_loaded) {
        rest = kept_by(q, strdup(text), free);
        while ((one = next_plugin(&rest)) != NULL)
            TRY(load(q, option, one));
        all->are_loaded = true;
    }
    if (all->delay.size == 0)
        return NULL;
    if (q->model.network.topology != NULL)
        return option_problem(option, text,
                              "a delay model of a plug-in does not support %s; remove it",
                              option_shown(q, "topology", topology));
    if (q->model.network.links != NULL)
        return option_problem(option, text,
                              "a delay model of a plug-in does not support %s; remove it",
                              links_option(q));
    q->model.plugin = all->shown;
    return NULL;
}

/* Ask the plug-in for its model. @return 0; or it refuses, with the reason in one line */
static int ask(const struct question *q, struct logp_delay *out, char why[LOGP_PLUGIN_WHY])
{
    struct logp_params params = q->model.network.params;
    const struct logp_plugin_call call = {.size = sizeof(call),
                                          .arguments = plugins(q)->arguments,
                                          .P = q->model.P,
                                          .seed = q->how.seed,
                                          .params = &params};
    int rc;

    params.seed = q->how.seed;
    why[0] = '\0';
    *out = (struct logp_delay){0};
    rc = plugins(q)->delay.create_delay(&call, out, why);
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
        return must_be("--plugin", q->model.plugin,
                       "a delay model with all its functions, and their size");
    if (ops.params != NULL)
        params = ops.params(delay->model);
    if (params != NULL && !sound(params))
        return must_be("--plugin", q->model.plugin,
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
        return option_problem("--plugin", q->model.plugin, "%s refuses: %s", plugins(q)->delay.name,
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

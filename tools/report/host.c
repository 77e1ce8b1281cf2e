/* SPDX-License-Identifier: MIT */
/* Where it was run, and by what: what somebody needs to know who gets other figures. */
#include "report/report.h"

#include <gnu/libc-version.h>
#include <string.h>
#include <sys/utsname.h>

enum { LINE = 256 };

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void add(json_t *facts, const char *name, const char *value)
{
    json_array_append_new(facts, json_pack("[ss]", name, value));
}

/* "model name : ..." of /proc/cpuinfo, which not all processors have there. @return line */
static const char *processor(char line[LINE], const char *machine)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char *value = NULL;

    while (f != NULL && value == NULL && fgets(line, LINE, f) != NULL)
        if (strncmp(line, "model name", 10) == 0)
            value = strchr(line, ':');
    if (f != NULL)
        fclose(f);
    if (value == NULL)
        return machine;
    value[strcspn(value, "\n")] = '\0';
    return value + strspn(value, ": \t");
}

json_t *host_facts(const struct output *out)
{
    const struct options *o = out->o;
    json_t *facts = json_array();
    struct logp_host host = {0};
    struct utsname system;
    char text[LINE];

    uname(&system);
    logp_host_info(&host);
    add(facts, "Processor", processor(text, system.machine));
    snprintf(text, sizeof(text), "%d used of %d", out->n_cores, host.n_cores);
    add(facts, "Cores", text);
    if (host.quota > 0) {
        snprintf(text, sizeof(text), "%.2f processors' worth of time", host.quota);
        add(facts, "CPU quota", text);
    }
    snprintf(text, sizeof(text), "%.1f ns a reading", host.clock_read_ns);
    add(facts, "Clock", text);
    snprintf(text, sizeof(text), "%s %s, %s", system.sysname, system.release, system.machine);
    add(facts, "Kernel", text);
    snprintf(text, sizeof(text), "liblogp %s, glibc %s, %s", logp_version(), gnu_get_libc_version(),
             COMPILER);
    add(facts, "Versions", text);
    snprintf(text, sizeof(text), "%s executor, %s clock", o->executor,
             o->clock == LOGP_CLOCK_WALL ? "wall" : "virtual");
    add(facts, "Run by", text);
    return facts;
}

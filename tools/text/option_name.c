/* SPDX-License-Identifier: MIT */
/* The names of an option on the command line and in the environment; and the environment. */
#define _GNU_SOURCE
#include "text/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *bare(const char *name)
{
    return name + strspn(name, "-");
}

bool option_is_short(const char *name)
{
    name = bare(name);
    return name[0] != '\0' && name[1] == '\0' && strchr("PLogGO", name[0]) != NULL;
}

const char *option_dashed(const char *name, char buf[32])
{
    snprintf(buf, 32, "%s%s", option_is_short(name) ? "-" : "--", bare(name));
    return buf;
}

/* LOGP_P, LOGP_o, LOGP_UNIT, LOGP_O_SEND: short names as they are, others in capitals. */
const char *option_variable(const char *name, char buf[32])
{
    const bool as_it_is = option_is_short(name);
    size_t n = (size_t)snprintf(buf, 32, "LOGP_");

    for (const char *s = bare(name); *s != '\0' && n + 1 < 32; s++) {
        if (*s == '-')
            buf[n++] = '_';
        else
            buf[n++] = (char)(!as_it_is && *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
    }
    buf[n] = '\0';
    return buf;
}

char **environment(void)
{
    char ***const variable = dlsym(RTLD_DEFAULT, "environ");

    return variable != NULL ? *variable : NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Folders whose files a replay may start or load unnamed. They are in the environment, because
 * `logp mpirun`, which a replay starts, starts a program itself and can load a plug-in.
 */
#define _GNU_SOURCE
#include "file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "LOGP_REPLAY_FOLDERS"; /* one per line */

/* A folder as a line of the variable. None is "": also where a name with a line end would be
 * several. */
static const char *line_of(const char *folder)
{
    return folder == NULL || strchr(folder, '\n') != NULL ? "" : folder;
}

int trust_only(const char *path)
{
    char *file = realpath(path, NULL), *here = realpath(".", NULL), *text = NULL;
    char *const slash = file != NULL ? strrchr(file, '/') : NULL;
    int error = ENOMEM;

    if (slash != NULL)
        *slash = '\0';
    if (asprintf(&text, "%s\n%s\n", line_of(file), line_of(here)) >= 0)
        error = setenv(variable, text, 1) == 0 ? 0 : errno;
    free(text);
    free(file);
    free(here);
    return error;
}

void trust_all(void)
{
    unsetenv(variable);
}

/* "/" is none of the folders, because all is below it. */
static bool is_below(const char *file, const char *folders)
{
    while (*folders != '\0') {
        const size_t n = strcspn(folders, "\n");

        if (n > 1 && strncmp(file, folders, n) == 0 && file[n] == '/')
            return true;
        folders += n + (folders[n] == '\n');
    }
    return false;
}

bool is_trusted(const char *path)
{
    const char *folders = getenv(variable);
    char *file = folders != NULL ? realpath(path, NULL) : NULL;
    const bool is = folders == NULL || (file != NULL && is_below(file, folders));

    free(file);
    return is;
}

bool trusts_all(void)
{
    return getenv(variable) == NULL;
}

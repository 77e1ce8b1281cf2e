/* SPDX-License-Identifier: MIT */
/* The processor time that the cgroups of this process allow: cpu.max (version 2), and
 * cpu.cfs_quota_us and cpu.cfs_period_us (version 1). A limit of any level above holds, too. */
#include "host/cores.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PATH = 1024 };

static bool read_number(const char *path, double *out)
{
    FILE *f = fopen(path, "re");
    const bool good = f != NULL && fscanf(f, "%lf", out) == 1;

    if (f != NULL)
        fclose(f);
    return good;
}

/* The quota of one level; 0: none. */
static double of_version_2(const char *folder)
{
    char path[MOST_PATH + 64];
    double quota, period;
    bool good;
    FILE *f;

    snprintf(path, sizeof(path), "%s/cpu.max", folder);
    f = fopen(path, "re");
    good = f != NULL && fscanf(f, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0;
    if (f != NULL)
        fclose(f);
    return good ? quota / period : 0;
}

static double of_version_1(const char *folder)
{
    char path[MOST_PATH + 64];
    double quota, period;

    snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
    if (!read_number(path, &quota) || quota <= 0)
        return 0;
    snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
    return read_number(path, &period) && period > 0 ? quota / period : 0;
}

static double least(double a, double b)
{
    return a <= 0 || (b > 0 && b < a) ? b : a;
}

/* The least quota of a group and all above it, where this hierarchy is mounted. */
static double least_of(const char *root, const char *mount, const char *group,
                       double (*of)(const char *folder))
{
    char path[MOST_PATH];
    const int n = snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s%s", root, mount, group);
    char *const top = path + strlen(root) + strlen("/sys/fs/cgroup") + strlen(mount);
    double quota = 0;

    if (n >= (int)sizeof(path))
        return 0;
    for (char *end = path + n; end != NULL && end >= top; end = strrchr(top, '/')) {
        *end = '\0';
        quota = least(quota, of(path));
    }
    return quota;
}

/* Whether a list such as "cpu,cpuacct" has the controller cpu. */
static bool has_cpu(const char *list)
{
    for (const char *at = list; (at = strstr(at, "cpu")) != NULL; at += 3)
        if ((at == list || at[-1] == ',') && (at[3] == '\0' || at[3] == ','))
            return true;
    return false;
}

double lpi_quota(const char *root)
{
    char line[MOST_PATH], path[MOST_PATH];
    double quota = 0;
    FILE *f;

    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    f = fopen(path, "re");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) { /* "7:cpu,cpuacct:/a/b" */
        char *list = strchr(line, ':'), *group = list != NULL ? strchr(list + 1, ':') : NULL;

        if (group == NULL)
            continue;
        *list++ = *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (list[0] == '\0') {
            quota = least(quota, least_of(root, "", group, of_version_2));
            quota = least(quota, least_of(root, "/unified", group, of_version_2));
        } else if (has_cpu(list)) {
            quota = least(quota, least_of(root, "/cpu", group, of_version_1));
            quota = least(quota, least_of(root, "/cpu,cpuacct", group, of_version_1));
        }
    }
    if (f != NULL)
        fclose(f);
    return quota;
}

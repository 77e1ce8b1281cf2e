/* SPDX-License-Identifier: MIT */
/* The cores that a machine takes, on hosts that hwloc makes up, and the quotas of cgroups. */
#define _GNU_SOURCE
#include "support.h"

#include "host/cores.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 200 };

/* Four little cores, 0-3, and four big ones. */
static const char hybrid[] =
    "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" cpuset=\"0xff\" "
    "complete_cpuset=\"0xff\" allowed_cpuset=\"0xff\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
    "allowed_nodeset=\"0x1\" gp_index=\"1\"><object type=\"NUMANode\" os_index=\"0\" "
    "cpuset=\"0xff\" complete_cpuset=\"0xff\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
    "gp_index=\"2\" local_memory=\"8000000000\"/>%s</object>"
    "<cpukind cpuset=\"0x0f\" forced_efficiency=\"0\"/>"
    "<cpukind cpuset=\"0xf0\" forced_efficiency=\"1\"/></topology>";

struct host {
    struct lpi_cpu all[MOST];
    int n;
};

static struct host read_host(void)
{
    struct host h = {.n = 0};
    struct lpi_cpu *all;

    cr_assert_eq(lpi_topology_read(&all, &h.n), 0);
    cr_assert_leq(h.n, MOST);
    memcpy(h.all, all, (size_t)h.n * sizeof(*all));
    free(all);
    return h;
}

static struct host synthetic_host(const char *topology)
{
    struct host h;

    setenv("HWLOC_SYNTHETIC", topology, 1);
    h = read_host();
    unsetenv("HWLOC_SYNTHETIC");
    return h;
}

static struct host hybrid_host(void)
{
    char cores[8 * 400] = "", path[64];
    struct host h;
    FILE *f;

    for (int i = 0; i < 8; i++)
        for (int pu = 0; pu < 2; pu++)
            sprintf(cores + strlen(cores),
                    "<object type=\"%s\" os_index=\"%d\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" "
                    "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"%d\"%s>%s",
                    pu ? "PU" : "Core", i, 1 << i, 1 << i, 3 + 2 * i + pu, pu ? "/" : "",
                    pu ? "</object>" : "");
    snprintf(path, sizeof(path), "/tmp/logp-test-hybrid-%d.xml", (int)getpid());
    f = fopen(path, "w");
    cr_assert(f != NULL && fprintf(f, hybrid, cores) > 0 && fclose(f) == 0);
    setenv("HWLOC_XMLFILE", path, 1);
    setenv("HWLOC_THISSYSTEM", "0", 1);
    h = read_host();
    unsetenv("HWLOC_XMLFILE");
    unlink(path);
    return h;
}

/* The numbers of a list such as "0-3,8". */
static int numbers_of(const char *list, int *out)
{
    int n = 0;

    for (char *end = NULL; *list != '\0'; list = *end == ',' ? end + 1 : end) {
        const int first = (int)strtol(list, &end, 10);
        const int last = *end == '-' ? (int)strtol(end + 1, &end, 10) : first;

        for (int i = first; i <= last; i++)
            out[n++] = i;
    }
    return n;
}

struct row {
    const char *topology; /* NULL: the hybrid host */
    const char *allowed, *held, *held_twice;
    double quota;
    int most;
    const char *cores;
    int n_threads;
    bool is_mixed, is_shared;
};

#define SMT "core:4 pu:2"
#define ALTERNATING "pack:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)"
#define TWO_NODES "pack:2 [numa] core:4 pu:1"
#define CACHES "pack:1 l3:2 core:4 pu:1"

static const struct row rows[] = {
    /* one hardware thread of a core, cores in the order of the host */
    {"core:4 pu:1", "0-3", "", "", 0, 8, "0-3", 4, false, false},
    {"core:4 pu:1", "0-3", "", "", 0, 2, "0-1", 2, false, false},
    {SMT, "0-7", "", "", 0, 6, "0,2,4,6", 8, false, false},
    {SMT, "0-7", "", "", 0, 2, "0,2", 4, false, false},
    {SMT, "1-3", "", "", 0, 6, "1,2", 3, false, false},
    {SMT, "6-7", "", "", 0, 2, "6", 2, false, false},
    {ALTERNATING, "0-7", "", "", 0, 8, "0,2,1,3", 8, false, false},
    {ALTERNATING, "0-7", "", "", 0, 2, "0,2", 4, false, false},
    {ALTERNATING, "0,1,6,7", "", "", 0, 4, "0,6,1,7", 4, false, false},
    /* what the topology does not name comes last, as cores */
    {"core:2 pu:1", "0,1,4,5,9", "", "", 0, 9, "0-1,4-5,9", 5, false, false},
    /* one is left to the system from 8 cores on */
    {"core:7 pu:1", "0-6", "", "", 0, 64, "0-6", 7, false, false},
    {"core:8 pu:1", "0-7", "", "", 0, 64, "0-6", 7, false, false},
    {"core:8 pu:2", "0-15", "", "", 0, 64, "0,2,4,6,8,10,12", 14, false, false},
    /* the quota, rounded down */
    {"core:8 pu:1", "0-7", "", "", 2, 8, "0-1", 2, false, false},
    {"core:8 pu:1", "0-7", "", "", 2.9, 8, "0-1", 2, false, false},
    {"core:8 pu:1", "0-7", "", "", .5, 8, "0", 1, false, false},
    {"core:8 pu:1", "0-7", "", "", 100, 8, "0-6", 7, false, false},
    {SMT, "0-7", "", "", 3, 8, "0,2,4", 6, false, false},
    /* the faster kind first; mixed only if no kind is large enough */
    {NULL, "0-7", "", "", 0, 2, "4-5", 2, false, false},
    {NULL, "0-7", "", "", 0, 4, "4-7", 4, false, false},
    {NULL, "0-7", "", "", 0, 6, "4-7,0-1", 6, true, false},
    {NULL, "0-5", "", "", 0, 4, "0-3", 4, false, false},
    {NULL, "0-7", "4-5", "", 0, 3, "0-2", 3, false, false},
    {NULL, "0-7", "4-5", "", 0, 2, "6-7", 2, false, false},
    /* one node, package or cache, if it has enough */
    {TWO_NODES, "0-7", "", "", 0, 4, "0-3", 4, false, false},
    {TWO_NODES, "0-7", "0", "", 0, 4, "4-7", 4, false, false},
    {TWO_NODES, "0-7", "0", "", 0, 3, "1-3", 3, false, false},
    {TWO_NODES, "0-7", "0,4", "", 0, 4, "1-3,5", 4, false, false},
    {TWO_NODES, "1-6", "", "", 0, 4, "1-4", 4, false, false},
    {CACHES, "0-7", "0-1", "", 0, 3, "4-6", 3, false, false},
    {CACHES, "0-7", "0-1", "", 0, 2, "2-3", 2, false, false},
    /* free cores only; a core is not free if one of its threads is held */
    {"core:4 pu:1", "0-3", "1", "", 0, 4, "0,2-3", 3, false, false},
    {SMT, "0-7", "1", "", 0, 4, "2,4,6", 6, false, false},
    /* none is free: those with the fewest holders */
    {"core:4 pu:1", "0-3", "0-3", "", 0, 2, "0-1", 2, false, true},
    {"core:4 pu:1", "0-3", "0-3", "0,2", 0, 2, "1,3", 2, false, true},
    {"core:4 pu:1", "0-3", "0-3", "0-2", 0, 4, "3,0-2", 4, false, true},
};

static void check(const struct row *r, int line)
{
    const struct host h = r->topology != NULL ? synthetic_host(r->topology) : hybrid_host();
    int allowed[MOST], held[MOST], twice[MOST], wanted[MOST], out[MOST], holders[MOST] = {0};
    const int n = numbers_of(r->allowed, allowed), n_held = numbers_of(r->held, held),
              n_twice = numbers_of(r->held_twice, twice), n_wanted = numbers_of(r->cores, wanted);
    struct lpi_cpu cpus[MOST];
    struct lpi_taken t;

    cr_assert_eq(lpi_topology_pick(h.all, h.n, allowed, n, cpus), 0);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n_held; k++)
            holders[i] += held[k] == cpus[i].number;
        for (int k = 0; k < n_twice; k++)
            holders[i] += twice[k] == cpus[i].number;
    }
    t = lpi_cores_choose(cpus, n, holders, r->quota, r->most, out);
    cr_assert_eq(t.n, n_wanted, "row %d: %d cores", line, t.n);
    for (int i = 0; i < t.n; i++)
        cr_assert_eq(out[i], wanted[i], "row %d, core %d: %d", line, i, out[i]);
    cr_assert_eq(t.n_threads, r->n_threads, "row %d: %d threads", line, t.n_threads);
    cr_assert_eq(t.is_mixed, r->is_mixed, "row %d", line);
    cr_assert_eq(t.is_shared, r->is_shared, "row %d", line);
}

Test(cores, a_machine_takes_these)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(&rows[i], (int)i);
}

/* Processes of one machine divide them. */
Test(cores, second_threads_come_after_all_cores)
{
    const struct host h = synthetic_host(ALTERNATING);
    const int wanted[] = {0, 2, 1, 3, 4, 6, 5, 7};
    int out[8];

    cr_assert_eq(lpi_cores_order(h.all, h.n, out), 4);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(out[i], wanted[i]);
}

/* What the threads of a program may use. */
Test(cores, threads_of_a_program_get_near_cores)
{
    static const struct {
        const char *topology, *allowed, *own;
        int most;
        const char *shares;
    } divisions[] = {
        {"core:4 pu:1", "0-3", "0-1", 2, "0,2,1,3"}, {"core:4 pu:1", "0-3", "0", 4, "0-3"},
        {"core:4 pu:1", "0-3", "2", 2, "2,0"},       {"core:4 pu:1", "0-3", "0-3", 1, "0-3"},
        {"core:5 pu:1", "0-4", "0-1", 2, "0,2,1,3"}, {SMT, "0-7", "0,2", 4, "0,1,4,5,2,3,6,7"},
        {SMT, "0-7", "0,2", 3, "0,1,4,2,3,5"},       {SMT, "0-7", "0,2,4,6", 2, "0-7"},
        {SMT, "1-4", "1,2", 2, "1,4,2,3"},           {ALTERNATING, "0-7", "0,2", 2, "0,4,2,6"},
    };

    for (size_t i = 0; i < sizeof(divisions) / sizeof(divisions[0]); i++) {
        const struct host h = synthetic_host(divisions[i].topology);
        int allowed[MOST], own[MOST], wanted[MOST], out[MOST];
        const int n = numbers_of(divisions[i].allowed, allowed),
                  n_own = numbers_of(divisions[i].own, own);
        struct lpi_cpu cpus[MOST];

        cr_assert_eq(numbers_of(divisions[i].shares, wanted), n_own * divisions[i].most, "row %d",
                     (int)i);
        cr_assert_eq(lpi_topology_pick(h.all, h.n, allowed, n, cpus), 0);
        lpi_cores_divide(cpus, n, own, n_own, divisions[i].most, out);
        for (int k = 0; k < n_own * divisions[i].most; k++)
            cr_assert_eq(out[k], wanted[k], "row %d, thread %d: %d", (int)i, k, out[k]);
    }
}

/* ---- quotas ---- */

static void write_file(const char *root, const char *path, const char *text)
{
    char whole[256];
    FILE *f;

    snprintf(whole, sizeof(whole), "%s/%s", root, path);
    for (char *at = strchr(whole + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(whole, 0700);
        *at = '/';
    }
    f = fopen(whole, "w");
    cr_assert(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0, "%s", whole);
}

struct quota_row {
    const char *groups;
    const char *files[4][2];
    double quota;
};

static const struct quota_row quotas[] = {
    {"0::/\n", {{"cpu.max", "max 100000\n"}}, 0},
    {"0::/\n", {{"cpu.max", "200000 100000\n"}}, 2},
    {"0::/a/b\n", {{"a/cpu.max", "150000 100000\n"}, {"a/b/cpu.max", "max 100000\n"}}, 1.5},
    {"0::/a/b\n", {{"a/cpu.max", "400000 100000\n"}, {"a/b/cpu.max", "300000 100000\n"}}, 3},
    {"0::/not/mounted/here\n", {{"cpu.max", "50000 100000\n"}}, .5},
    {"1:name=systemd:/a\n4:cpu,cpuacct:/a\n",
     {{"cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n"},
      {"cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}},
     2.5},
    {"4:cpu:/docker/x\n",
     {{"cpu/cpu.cfs_quota_us", "100000\n"}, {"cpu/cpu.cfs_period_us", "50000\n"}},
     2},
    {"4:cpu:/\n", {{"cpu/cpu.cfs_quota_us", "-1\n"}, {"cpu/cpu.cfs_period_us", "100000\n"}}, 0},
    {"5:cpuset:/\n", {{"cpuset/cpu.cfs_quota_us", "100\n"}}, 0},
    {"4:cpu:/\n0::/\n",
     {{"cpu/cpu.cfs_quota_us", "300000\n"},
      {"cpu/cpu.cfs_period_us", "100000\n"},
      {"unified/cpu.max", "200000 100000\n"}},
     2},
    {"nonsense\n::\n0:", {{"cpu.max", "1 x\n"}}, 0},
};

Test(cores, the_least_quota_of_all_levels_counts)
{
    for (size_t i = 0; i < sizeof(quotas) / sizeof(quotas[0]); i++) {
        char root[] = "/tmp/logp-quota-XXXXXX", command[64], path[256];

        cr_assert(mkdtemp(root) != NULL);
        write_file(root, "proc/self/cgroup", quotas[i].groups);
        for (int k = 0; k < 4 && quotas[i].files[k][0] != NULL; k++) {
            snprintf(path, sizeof(path), "sys/fs/cgroup/%s", quotas[i].files[k][0]);
            write_file(root, path, quotas[i].files[k][1]);
        }
        cr_assert_eq(lpi_quota(root), quotas[i].quota, "row %d: %g", (int)i, lpi_quota(root));
        snprintf(command, sizeof(command), "rm -r %s", root);
        cr_assert_eq(system(command), 0);
    }
}

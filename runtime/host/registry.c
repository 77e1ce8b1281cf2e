/* SPDX-License-Identifier: MIT */
/*
 * The cores that the machines of one user hold, in all processes: /dev/shm/logp-cores-UID.
 *
 * The file stays empty. A machine that holds a core locks one byte of it: the byte of the core at
 * the first level at which no other machine has locked it. The kernel drops the locks when the last
 * file descriptor of the open file is closed, so also at the death of the process. They are locks
 * of the open file (OFD), not of the process: machines of one process see each other.
 *
 * Nothing waits for a lock. A machine that wanted a core for itself and lost a race has locked
 * nothing in the end, and chooses again.
 *
 * Without the file (no /dev/shm, no rights, or a file that is not this user's own) there is no
 * registry. Tests set LOGP_TEST_REGISTRY to another file, or to nothing: then no registry is used.
 */
#define _GNU_SOURCE
#include "host/cores.h"
#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEVELS = 16 }; /* more holders of a core are not counted */

static struct flock bytes(int level, int number, int n)
{
    return (struct flock){.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)level * LPI_MOST_CPUS + number,
                          .l_len = n};
}

/* Whether another machine has locked one of these bytes. */
static bool is_locked(int file, int level, int number, int n)
{
    struct flock l = bytes(level, number, n);

    return fcntl(file, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

static bool lock(int file, int level, int number)
{
    struct flock l = bytes(level, number, 1);

    return fcntl(file, F_OFD_SETLK, &l) == 0;
}

static void unlock_all(int file)
{
    struct flock l = bytes(0, 0, LEVELS * LPI_MOST_CPUS);

    l.l_type = F_UNLCK;
    fcntl(file, F_OFD_SETLK, &l);
}

static bool is_own(int file)
{
    struct stat s;

    return fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & 07777) == 0600;
}

int lpi_registry_open(void)
{
    const char *path = getenv("LOGP_TEST_REGISTRY");
    char usual[64];
    int file;

    snprintf(usual, sizeof(usual), "/dev/shm/logp-cores-%lu", (unsigned long)geteuid());
    file = lpi_process_open(path != NULL ? path : usual, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (file < 0 || is_own(file))
        return file;
    lpi_process_close(file);
    return -1;
}

void lpi_registry_count(int file, const struct lpi_cpu *cpus, int n, int *holders)
{
    for (int i = 0; i < n; i++)
        holders[i] = 0;
    for (int level = 0; file >= 0 && level < LEVELS; level++) {
        if (!is_locked(file, level, 0, LPI_MOST_CPUS))
            continue;
        for (int i = 0; i < n; i++)
            holders[i] +=
                cpus[i].number < LPI_MOST_CPUS && is_locked(file, level, cpus[i].number, 1);
    }
}

/* Whether no other machine holds it. One that came at the same time may be at a higher level. */
static bool is_alone(int file, int number)
{
    for (int level = 0; level < LEVELS; level++)
        if (is_locked(file, level, number, 1))
            return false;
    return true;
}

bool lpi_registry_hold(int file, const int *numbers, int n, bool alone)
{
    for (int i = 0; file >= 0 && i < n; i++) {
        int level = 0;

        if (numbers[i] >= LPI_MOST_CPUS)
            continue;
        while (!lock(file, level, numbers[i]) && !alone && ++level < LEVELS)
            ;
        if (alone && !is_alone(file, numbers[i])) {
            unlock_all(file);
            return false;
        }
    }
    return true;
}

void lpi_registry_close(int file)
{
    if (file >= 0)
        lpi_process_close(file);
}

/* SPDX-License-Identifier: MIT */
/*
 * --storage: what file operations take on the emulated clock. A file lies on the servers in stripes, one after the
 * other, from a server on that its name determines. An operation takes, on each server that it uses, the latency and
 * the time of its bytes there; a server performs one operation after the other, in the order in which they begin. The data
 * themselves are moved at once.
 */
#include "file.h"
#include "mpi/standard/info.h"
#include "mpi/standard/world.h"

#include <stdlib.h>
#include <string.h>

/* When each server is free; all ranks of the run share them. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static bool is_virtual(const struct comm *c)
{
    return logp_machine_clock(logp_vp_machine(c->vp)) == LOGP_CLOCK_VIRTUAL;
}

int mpi_begin_storage(struct file *f)
{
    bool found;

    /* a use of the network: these happen in the order of time */
    return is_virtual(f->comm)
               ? mpi_class_of(logp_peek(f->comm->vp, f->comm->rank, 0, &found, NULL))
               : MPI_SUCCESS;
}

/* A hint that is a number, 1 or more. */
static int64_t number_of(MPI_Info info, const char *key, int64_t otherwise)
{
    char text[32], *end;
    long long n;
    int flag = 0;

    if (info == MPI_INFO_NULL ||
        MPI_Info_get(info, key, sizeof(text) - 1, text, &flag) != MPI_SUCCESS || !flag)
        return otherwise;
    n = strtoll(text, &end, 10);
    return end != text && *end == '\0' && n > 0 ? n : otherwise;
}

int mpi_server_of(const char *name)
{
    const int n = the_run.storage.n_servers;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return n > 0 ? (int)((hash >> 32) % (uint64_t)n) : 0;
}

void mpi_place_file(struct opened *o, const char *name, MPI_Info info)
{
    const int most = the_run.storage.n_servers > 0 ? the_run.storage.n_servers : 1;
    const int64_t n = number_of(info, "striping_factor", most);

    o->stripe_bytes = number_of(info, "striping_unit", INT64_C(1) << 20);
    o->n_servers = n < most ? (int)n : most;
    o->first_server = mpi_server_of(name);
}

int mpi_begin_load(struct load *load)
{
    const struct mpi_storage *s = &the_run.storage;

    *load = (struct load){0};
    if (s->n_servers == 0)
        return MPI_SUCCESS;
    load->bytes = calloc((size_t)s->n_servers, sizeof(*load->bytes));
    return load->bytes != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void mpi_add_load(const struct file *f, struct load *load, struct extent p)
{
    const struct opened *o = f->opened;
    const int most = the_run.storage.n_servers;
    const MPI_Offset round = o->stripe_bytes * o->n_servers;

    if (load->bytes == NULL)
        return;
    load->moved = true;
    for (int i = 0; i < o->n_servers && p.n >= round; i++) /* whole rounds over the servers */
        load->bytes[(o->first_server + i) % most] += p.n / round * o->stripe_bytes;
    p.at += p.n / round * round;
    p.n %= round;
    while (p.n > 0) {
        const MPI_Offset stripe = p.at / o->stripe_bytes,
                         left = (stripe + 1) * o->stripe_bytes - p.at, n = left < p.n ? left : p.n;

        load->bytes[(o->first_server + stripe % o->n_servers) % most] += n;
        p.at += n;
        p.n -= n;
    }
}

/* Let this server do an operation. @return when it is done */
static int64_t use(int server, int64_t now, int64_t bytes)
{
    const struct mpi_storage *s = &the_run.storage;
    int64_t *free_ns = &s->free_ns[server];

    *free_ns = (*free_ns > now ? *free_ns : now) + s->latency_ns +
               (int64_t)((double)bytes * s->ns_per_byte + 0.5);
    return *free_ns;
}

int64_t mpi_end_load(const struct file *f, struct load *load)
{
    const struct mpi_storage *s = &the_run.storage;
    int64_t now, until = 0;

    if (load->bytes == NULL)
        return 0;
    if (!load->moved) /* an operation at the end of the file, or of nothing */
        load->bytes[f->opened->first_server] = 0;
    now = logp_now(f->comm->vp);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < s->n_servers; i++)
        if (load->bytes[i] > 0 || (!load->moved && i == f->opened->first_server)) {
            const int64_t done = use(i, now, load->bytes[i]);

            until = done > until ? done : until;
        }
    pthread_mutex_unlock(&mutex);
    free(load->bytes);
    load->bytes = NULL;
    return until;
}

int mpi_await_storage(const struct comm *c, int64_t until_ns)
{
    return until_ns > 0 ? mpi_class_of(logp_sleep_until(c->vp, until_ns)) : MPI_SUCCESS;
}

int mpi_charge_storage(const struct comm *c, int server)
{
    int64_t until;
    bool found;
    int rc = MPI_SUCCESS;

    if (the_run.storage.n_servers == 0)
        return MPI_SUCCESS;
    if (is_virtual(c))
        rc = mpi_class_of(logp_peek(c->vp, c->rank, 0, &found, NULL));
    if (rc != MPI_SUCCESS)
        return rc;
    pthread_mutex_lock(&mutex);
    until = use(server, logp_now(c->vp), 0);
    pthread_mutex_unlock(&mutex);
    return mpi_await_storage(c, until);
}

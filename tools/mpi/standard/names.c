/* SPDX-License-Identifier: MIT */
/*
 * Names of services and ports, which the ranks of a process have in common. Nothing connects by them: MPI_Comm_accept() and
 * MPI_Comm_connect() are not there.
 */
#include "names.h"
#include "rank.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* service NULL: the port is open */
struct name {
    struct name *next;
    char *service, *port;
};

static struct name *names;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Find the link to a service or an open port. port NULL: a service with any port. The link holds NULL if there is no such name. */
static struct name **link_of(const char *service, const char *port)
{
    struct name **link = &names;

    while (*link != NULL &&
           !(is_same((*link)->service, service) && (port == NULL || is_same((*link)->port, port))))
        link = &(*link)->next;
    return link;
}

static void drop(struct name *n)
{
    if (n == NULL)
        return;
    free(n->service);
    free(n->port);
    free(n);
}

static struct name *new_name(const char *service, const char *port)
{
    struct name *n = calloc(1, sizeof(*n));

    if (n == NULL)
        return NULL;
    n->port = strdup(port);
    if (service != NULL)
        n->service = strdup(service);
    if (n->port != NULL && (service == NULL || n->service != NULL))
        return n;
    drop(n);
    return NULL;
}

/* n is in the list then, or dropped. @return false: a service has this name */
static bool add(struct name *n)
{
    bool is_new;

    pthread_mutex_lock(&lock);
    is_new = n->service == NULL || *link_of(n->service, NULL) == NULL;
    if (is_new) {
        n->next = names;
        names = n;
    }
    pthread_mutex_unlock(&lock);
    if (!is_new)
        drop(n);
    return is_new;
}

static bool take_out(const char *service, const char *port)
{
    struct name **link, *n;

    pthread_mutex_lock(&lock);
    link = link_of(service, port);
    n = *link;
    if (n != NULL)
        *link = n->next;
    pthread_mutex_unlock(&lock);
    drop(n);
    return n != NULL;
}

void mpi_forget_names(void)
{
    for (struct name *next; names != NULL; names = next) {
        next = names->next;
        drop(names);
    }
}

int MPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    struct name *n;

    (void)info;
    mpi_enter(__func__);
    CHECK(NULL, strlen(port_name) < MPI_MAX_PORT_NAME, MPI_ERR_PORT,
          "the port has %zu characters, but at most %d are possible", strlen(port_name),
          MPI_MAX_PORT_NAME - 1);
    n = new_name(service_name, port_name);
    CHECK_MEMORY(NULL, n);
    CHECK(NULL, add(n), MPI_ERR_SERVICE, "the service %s has been published", service_name);
    return MPI_SUCCESS;
}

int MPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name)
{
    (void)info;
    mpi_enter(__func__);
    CHECK(NULL, take_out(service_name, port_name), MPI_ERR_SERVICE,
          "the service %s has not been published for the port %s", service_name, port_name);
    return MPI_SUCCESS;
}

int MPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
    const struct name *n;

    (void)info;
    mpi_enter(__func__);
    pthread_mutex_lock(&lock);
    n = *link_of(service_name, NULL);
    if (n != NULL)
        snprintf(port_name, MPI_MAX_PORT_NAME, "%s", n->port);
    pthread_mutex_unlock(&lock);
    CHECK(NULL, n != NULL, MPI_ERR_NAME, "the service %s has not been published", service_name);
    return MPI_SUCCESS;
}

int MPI_Open_port(MPI_Info info, char *port_name)
{
    struct rank *r = mpi_enter(__func__);
    struct name *n;

    (void)info;
    snprintf(port_name, MPI_MAX_PORT_NAME, "logp:%d.%d", logp_vp_rank(r->vp), ++r->n_ports);
    n = new_name(NULL, port_name);
    CHECK_MEMORY(NULL, n);
    add(n);
    return MPI_SUCCESS;
}

int MPI_Close_port(const char *port_name)
{
    mpi_enter(__func__);
    CHECK(NULL, take_out(NULL, port_name), MPI_ERR_PORT, "the port %s is not open", port_name);
    return MPI_SUCCESS;
}

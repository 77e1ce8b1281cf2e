/* SPDX-License-Identifier: MIT */
/* Infos: pairs of strings, which nothing here reads. */
#include "state.h"

#include <string.h>

struct pair {
    struct pair *next;
    char *key, *value;
};

struct info {
    struct pair *first;
};

#define INFO(i, handle)                                                                            \
    struct info *i = (uintptr_t)(handle) >= 0x400 ? (struct info *)(handle) : NULL;                \
    CHECK(NULL, i != NULL, MPI_ERR_INFO, "the info is null or has been freed")

int MPI_Info_create(MPI_Info *info)
{
    enter("MPI_Info_create");
    *info = calloc(1, sizeof(struct info));
    CHECK(NULL, *info != NULL, MPI_ERR_NO_MEM, "no memory");
    return MPI_SUCCESS;
}

static struct pair **link_of(struct info *i, const char *key)
{
    struct pair **link = &i->first;

    while (*link != NULL && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

static void drop(struct pair **link)
{
    struct pair *p = *link;

    *link = p->next;
    free(p->key);
    free(p->value);
    free(p);
}

int MPI_Info_free(MPI_Info *info)
{
    enter("MPI_Info_free");
    INFO(i, *info);
    while (i->first != NULL)
        drop(&i->first);
    free(i);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    struct pair *p = calloc(1, sizeof(*p));

    enter("MPI_Info_set");
    INFO(i, info);
    CHECK(NULL, p != NULL && (p->key = strdup(key)) != NULL && (p->value = strdup(value)) != NULL,
          MPI_ERR_NO_MEM, "no memory");
    if (*link_of(i, key) != NULL)
        drop(link_of(i, key));
    *link_of(i, key) = p;
    return MPI_SUCCESS;
}

int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag)
{
    enter("MPI_Info_get");
    INFO(i, info);
    *flag = *link_of(i, key) != NULL;
    if (*flag)
        snprintf(value, (size_t)length + 1, "%s", (*link_of(i, key))->value);
    return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int *n)
{
    enter("MPI_Info_get_nkeys");
    INFO(i, info);
    *n = 0;
    for (const struct pair *p = i->first; p != NULL; p = p->next)
        ++*n;
    return MPI_SUCCESS;
}

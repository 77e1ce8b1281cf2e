/* SPDX-License-Identifier: MIT */
/* Attributes of communicators, datatypes and windows. */
#ifndef LOGP_MPI_ATTRIBUTES_H
#define LOGP_MPI_ATTRIBUTES_H

#include "object.h"

struct rank;

enum object_kind { OBJECT_COMM, OBJECT_TYPE, OBJECT_WIN };

/* Objects are handles. The functions of a key value have lost their types. @return a class, or what
 * a function of the program returns */
int mpi_create_keyval(enum object_kind kind, void (*copy)(void), void (*drop)(void), int *keyval,
                      void *state);
int mpi_free_keyval(enum object_kind kind, int *keyval);
/* As mpi_note_object(), of a key value. */
void mpi_note_keyval(int keyval, const char *call, void *caller);
int mpi_set_attribute(enum object_kind kind, void *object, int keyval, void *value);
/* What MPI itself gives an object. */
struct own_attribute {
    int keyval;
    void *value;
};
/* Set *flag, and the pointer at value, to the attribute of this key: one of n own ones, or of the
 * program. @return MPI_SUCCESS */
int mpi_get_attribute(const void *object, int keyval, const struct own_attribute *own, size_t n,
                      void *value, int *flag);
int mpi_delete_attribute(void *object, int keyval);
/* All of an object, up to the first whose function fails. */
int mpi_delete_attributes(void *object);
/* What MPI has for each kind of object; entered: ENTER(), or that of the kind. */
#define ATTRIBUTES(name, type, kind, entered)                                                      \
    int MPI_##name##_create_keyval(MPI_##name##_copy_attr_function *copy,                          \
                                   MPI_##name##_delete_attr_function *deleted, int *keyval,        \
                                   void *state)                                                    \
    {                                                                                              \
        mpi_enter(__func__);                                                                       \
        return mpi_create_keyval(kind, (void (*)(void))copy, (void (*)(void))deleted, keyval,      \
                                 state);                                                           \
    }                                                                                              \
    int MPI_##name##_free_keyval(int *keyval)                                                      \
    {                                                                                              \
        mpi_enter(__func__);                                                                       \
        return mpi_free_keyval(kind, keyval);                                                      \
    }                                                                                              \
    int MPI_##name##_set_attr(type handle, int keyval, void *value)                                \
    {                                                                                              \
        entered(object, handle);                                                                   \
        (void)object;                                                                              \
        return mpi_set_attribute(kind, handle, keyval, value);                                     \
    }                                                                                              \
    int MPI_##name##_delete_attr(type handle, int keyval)                                          \
    {                                                                                              \
        entered(object, handle);                                                                   \
        (void)object;                                                                              \
        return mpi_delete_attribute(handle, keyval);                                               \
    }
int mpi_copy_attributes(void *from, void *to);
void mpi_free_attributes(struct rank *r);

#endif

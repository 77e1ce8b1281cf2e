/* SPDX-License-Identifier: MIT */
/*
 * A program with libraries of its own and plug-ins, each in this file: INNER, LIBRARY, PLUGIN and SECOND are defined for them. Each
 * rank has its own globals of all of them.
 * usage: private           all of it
 *        private shared    the globals of the library are those of all ranks
 *        private crash     the library writes to an address that there is not
 *        private open NAME dlopen() of this plug-in
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int inner_add(int n);
int library_add(int n);
int library_crash(int *at);
char *library_variable(void);
int program_rank(void);

int library_add_local(int n);
extern __thread int library_local;
extern int library_counter, library_numbers[3];
extern int *const library_pointers[];
extern int (*library_function)(int n);
extern int library_constructed;

#if defined(INNER)
static int sum;

__attribute__((constructor)) static void begin(void)
{
    sum = 1;
}

int inner_add(int n)
{
    return sum += n;
}
#elif defined(LIBRARY)
int library_counter = 7, library_numbers[3] = {1, 2, 3};
int *const library_pointers[] = {&library_numbers[2], &library_counter};
int (*library_function)(int n) = library_add;
int library_constructed;
__thread int library_local = 4;
static __thread int *library_local_pointer = &library_numbers[0];

int library_add_local(int n)
{
    return library_local += n, *library_local_pointer += n;
}

__attribute__((constructor)) static void begin(void)
{
    library_constructed += inner_add(0); /* 1: the inner one is ready */
    printf("library begins with %d\n", library_constructed);
}

__attribute__((destructor)) static void end(void)
{
    printf("library ends with %d\n", library_counter);
}

int library_add(int n)
{
    *library_pointers[1] += n;
    return inner_add(n);
}

int library_crash(int *at)
{
    return *at = 1; /* crash */
}

char *library_variable(void)
{
    extern char **environ;

    return environ != NULL ? getenv("PRIVATE_RANK") : NULL;
}
#elif defined(PLUGIN)
int plugin_add(int n);

static int sum;
static __thread int local = 50;
static int *const to_sum = &sum;

__attribute__((constructor)) static void begin(void)
{
    sum = 100;
}

int plugin_add(int n)
{
    *to_sum += n + program_rank();
    local += n + program_rank();
    return local == sum - 50 ? sum + library_add(0) : -1;
}
#elif defined(SECOND)
int second(void);
int plugin_add(int n);

int second(void)
{
    return plugin_add(0); /* of a plug-in that is global */
}
#else
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>

static __thread int own_local = 6;

int program_rank(void)
{
    return me;
}

static void check_library(void)
{
    CHECK(library_constructed == 1 && library_counter == 7);
    for (int i = 0; i < 5; i++) {
        library_function(me + 1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(library_counter == 7 + 5 * (me + 1) && library_add(0) == 1 + 5 * (me + 1));
    CHECK(library_pointers[0] == &library_numbers[2] && library_pointers[1] == &library_counter);
    CHECK(library_function == library_add && inner_add(0) == 1 + 5 * (me + 1));
}

/* A thread of the rank begins with the first values. */
static void *look(void *arg)
{
    const int begins = library_local == 4 && own_local == 6;

    *(int *)arg = begins ? library_add_local(1) : -1;
    return NULL;
}

static void check_locals(void)
{
    pthread_t thread;
    int found;

    for (int i = 0; i < 5; i++) {
        library_add_local(me);
        own_local += me;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(library_local == 4 + 5 * me && own_local == 6 + 5 * me);
    CHECK(library_numbers[0] == 1 + 5 * me);
    CHECK(pthread_create(&thread, NULL, look, &found) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(found == 2 + 5 * me && library_numbers[0] == found && own_local == 6 + 5 * me);
}

static void check_environment(void)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", me);
    CHECK(setenv("PRIVATE_RANK", text, 1) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(library_variable() != NULL && atoi(library_variable()) == me);
}

/* A handle, and a function of it. */
static int (*function_of(void *handle, const char *name))(int)
{
    void *address = dlsym(handle, name);
    int (*function)(int);

    memcpy(&function, &address, sizeof(function));
    return function;
}

static void check_plugins(void)
{
    void *plugin = dlopen("libplugin.so", RTLD_NOW | RTLD_GLOBAL), *more;
    int (*add)(int), (*all)(int);
    Dl_info info;

    if (plugin == NULL)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(plugin != NULL && (add = function_of(plugin, "plugin_add")) != NULL);
    add(1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(add(0) == 100 + 1 + 2 * me + library_add(0));
    CHECK(dlopen("libplugin.so", RTLD_NOW) == plugin && function_of(plugin, "plugin_add") == add);
    CHECK((all = function_of(RTLD_DEFAULT, "plugin_add")) == add);
    more = dlopen("./libsecond.so", RTLD_NOW);
    CHECK(more != NULL && function_of(more, "second")(0) == add(-me));
    CHECK(dladdr((void *)(size_t)add, &info) != 0 && strcmp(info.dli_sname, "plugin_add") == 0 &&
          info.dli_saddr == (void *)(size_t)add);
    CHECK(dlclose(more) == 0 && dlclose(plugin) == 0);
}

static void check_symbols(void)
{
    CHECK(dlsym(RTLD_DEFAULT, "library_counter") == &library_counter);
    CHECK(function_of(dlopen(NULL, RTLD_NOW), "program_rank")(0) == me);
    CHECK(function_of(RTLD_NEXT, "inner_add")(0) == inner_add(0));
    CHECK(dlsym(RTLD_DEFAULT, "MPI_Barrier") != NULL && dlsym(RTLD_DEFAULT, "not there") == NULL);
    CHECK(dlopen("./libmissing.so", RTLD_NOW) == NULL && strstr(dlerror(), "libmissing") != NULL);
    CHECK(dlopen("libm.so.6", RTLD_NOW) != NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    start(&argc, &argv);
    if (strcmp(mode, "shared") == 0) {
        library_add(1);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(library_counter == 7 + P);
        return all_hold("private");
    }
    if (strcmp(mode, "crash") == 0)
        library_crash(me == 1 ? (int *)8 : &me);
    check_library();
    check_locals();
    check_environment();
    check_symbols();
    check_plugins();
    return all_hold("private");
}
#endif

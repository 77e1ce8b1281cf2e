/* SPDX-License-Identifier: MIT */
/*
 * Where in the program a rank is: the innermost frame of its stack that belongs to its executable,
 * as file:line (by addr2line, where it is installed and the executable has debug information),
 * function+offset (names of C++ by c++filt) or executable+offset; where main() has returned, in these words. A report of a crash needs this inside a signal handler. So
 * nothing here allocates memory or takes a lock that a rank can hold.
 */
#include "picture.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

struct search {
    const struct host_rank *host;
    uintptr_t place;
    void *called; /* the function of the last frame before the place */
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *frame, void *arg)
{
    struct search *s = arg;
    int exact = 0; /* the instruction; otherwise the one behind a call */
    const uintptr_t at = _Unwind_GetIPInfo(frame, &exact) - (exact == 0);

    s->place = host_address_in_file(s->host, at);
    if (s->place == 0)
        s->called = _Unwind_FindEnclosingFunction((void *)at);
    return s->place == 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

uintptr_t host_place_here(void)
{
    struct search s = {.host = host_here()};

    if (s.host == NULL)
        s.host = host_maker();
    if (s.host != NULL)
        _Unwind_Backtrace(look_at, &s);
    return s.place;
}

const char *host_called_here(void)
{
    struct search s = {.host = host_maker()};
    Dl_info function;

    if (s.host != NULL)
        _Unwind_Backtrace(look_at, &s);
    return s.place != 0 && s.called != NULL && dladdr(s.called, &function) != 0 &&
                   function.dli_saddr == s.called
               ? function.dli_sname
               : NULL;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35: _dl_find_object() is for signal handlers, too */
/* Libraries whose faults are those of their callers */
static bool is_of_system(const char *name)
{
    static const char *const all[] = {"libc.so",     "libm.so",  "libpthread.so", "libstdc++.so",
                                      "libgcc_s.so", "ld-linux", "linux-vdso",    "liblogp"};
    const char *slash = strrchr(name, '/');

    name = slash != NULL ? slash + 1 : name;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strncmp(name, all[i], strlen(all[i])) == 0)
            return true;
    return *name == '\0' ||
           strncmp(name, the_guest.own_libraries, strlen(the_guest.own_libraries)) == 0;
}

struct library_search {
    const struct host_rank *host;
    const char *name;
};

static _Unwind_Reason_Code look_for_library(struct _Unwind_Context *frame, void *arg)
{
    struct library_search *s = arg;
    const uintptr_t at = _Unwind_GetIP(frame);
    struct dl_find_object object;

    if (host_in_picture(at) != at) /* each rank has its own */
        return _URC_END_OF_STACK;
    if (_dl_find_object((void *)at, &object) == 0 && !is_of_system(object.dlfo_link_map->l_name))
        s->name = object.dlfo_link_map->l_name;
    return s->name == NULL ? _URC_NO_REASON : _URC_END_OF_STACK;
}

const char *host_library_here(void)
{
    struct library_search s = {.host = host_here()};

    if (s.host != NULL)
        _Unwind_Backtrace(look_for_library, &s);
    return s.name;
}
#else
const char *host_library_here(void)
{
    return NULL;
}
#endif

uintptr_t host_place_of(const struct host_rank *h, void *caller)
{
    /* the call itself: its return address is that of the next instruction */
    return caller != NULL ? host_address_in_file(h, (uintptr_t)caller - 1) : 0;
}

/* ---- addr2line and c++filt ---- */

/* The child of vfork() shares this memory, and its exit must not be that of a rank. */
static pid_t start_program(const char *const *words, int out)
{
    char language[] = "LC_ALL=C", *const environment[] = {language, NULL};
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t child = vfork();

    if (child == 0) {
        syscall(SYS_dup3, none, STDIN_FILENO, 0);
        syscall(SYS_dup3, out, STDOUT_FILENO, 0);
        syscall(SYS_dup3, none, STDERR_FILENO, 0);
        host_execvpe(words[0], (char *const *)words, environment);
        syscall(SYS_exit_group, 127);
    }
    host_close(none);
    host_close(out);
    return child;
}

/* What a program prints; nothing if it is not installed. */
static void ask(const char *const *words, char *answer, size_t size)
{
    size_t length = 0;
    int ends[2];
    pid_t child;

    answer[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    child = start_program(words, ends[1]);
    while (child > 0 && length + 1 < size) {
        const ssize_t k = host_read(ends[0], answer + length, size - 1 - length);

        if (k > 0)
            length += (size_t)k;
        else if (k == 0 || errno != EINTR)
            break;
    }
    answer[length] = '\0';
    host_close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The answer of addr2line: a line for each place, in order. */
static void ask_lines(const char *path, const uintptr_t *places, int n, char *answer, size_t size)
{
    char numbers[MOST_PLACES][20];
    const char *words[MOST_PLACES + 5] = {"addr2line", "-s", "-e", path};

    for (int i = 0; i < n; i++) {
        snprintf(numbers[i], sizeof(numbers[i]), "%#lx", (unsigned long)places[i]);
        words[4 + i] = numbers[i];
    }
    ask(words, answer, size);
}

const char *host_demangled(const char *name, char *text, size_t size)
{
    const char *const words[] = {"c++filt", name, NULL};

    if (strncmp(name, "_Z", 2) != 0)
        return name;
    ask(words, text, size);
    text[strcspn(text, "\n")] = '\0';
    return *text != '\0' ? text : name;
}

/* ---- the text ---- */

struct own_search {
    const struct host_rank *host;
    const struct object *library;
    uintptr_t at; /* in its file */
};

static _Unwind_Reason_Code look_for_own(struct _Unwind_Context *frame, void *arg)
{
    struct own_search *s = arg;
    int exact = 0;
    const uintptr_t at = _Unwind_GetIPInfo(frame, &exact) - (exact == 0);
    uintptr_t offset;
    const struct picture *p;

    if (host_address_in_file(s->host, at) != 0)
        return _URC_END_OF_STACK;
    p = host_picture_of(host_in_picture(at), &offset);
    if (p == NULL)
        return _URC_NO_REASON;
    s->library = host_object_at(p, offset);
    s->at = offset - s->library->offset;
    return _URC_END_OF_STACK;
}

const char *host_name_own_library(char *text)
{
    struct own_search s = {.host = host_here()};
    char answer[PLACE_TEXT];
    const char *name, *number;

    *text = '\0';
    if (s.host == NULL)
        s.host = host_maker();
    if (s.host != NULL)
        _Unwind_Backtrace(look_for_own, &s);
    if (s.library == NULL)
        return text;
    name = strrchr(s.library->path, '/');
    name = name != NULL ? name + 1 : s.library->path;
    ask_lines(s.library->path, &s.at, 1, answer, sizeof(answer));
    answer[strcspn(answer, " \n")] = '\0';
    number = strrchr(answer, ':');
    if (number != NULL && number[1] >= '1' && number[1] <= '9')
        snprintf(text, PLACE_TEXT, ", in %.40s (%.70s)", name, answer);
    else
        snprintf(text, PLACE_TEXT, ", in %.80s+%#lx", name, (unsigned long)s.at);
    return text;
}

/* The first function of an executable is smaller, and calls nothing but main(), by the C library. */
enum { START_BYTES = 64 };

bool host_is_after_main(const struct job *job, uintptr_t place)
{
    while (job != NULL && job->index != (int)(place >> PROGRAM_SHIFT))
        job = job->next;
    return job != NULL && job->file != NULL && place != 0 &&
           place - ((uintptr_t)job->index << PROGRAM_SHIFT) -
                   ((const Elf64_Ehdr *)job->file)->e_entry <
               START_BYTES;
}

static void name_without_line(const struct job *job, uintptr_t place, char *text)
{
    const char *slash = strrchr(job->path, '/');
    uintptr_t offset = place;
    const char *name = host_function_at(job, place, &offset);
    char demangled[1024];

    if (name == NULL)
        name = slash != NULL ? slash + 1 : job->path;
    name = host_demangled(name, demangled, sizeof(demangled));
    snprintf(text, PLACE_TEXT, " (%.*s+%#lx)", PLACE_TEXT - 24, name, (unsigned long)offset);
}

/* Those of one program. */
static void name_places_of(const struct job *job, const uintptr_t *places, int n,
                           char (*texts)[PLACE_TEXT])
{
    char answer[MOST_PLACES * PLACE_TEXT];
    uintptr_t own[MOST_PLACES] = {0};
    const char *line = answer;
    bool any = false;

    for (int i = 0; i < n; i++)
        if (places[i] != 0 && (int)(places[i] >> PROGRAM_SHIFT) == job->index) {
            own[i] = places[i] - ((uintptr_t)job->index << PROGRAM_SHIFT);
            any = any || own[i] != 0;
        }
    answer[0] = '\0';
    if (any)
        ask_lines(job->path, own, n, answer, sizeof(answer));
    for (int i = 0; i < n; i++) {
        const size_t length = strcspn(line, " \n"); /* a blank: (discriminator 2) */
        const char *number = memrchr(line, ':', length);

        if (own[i] == 0)
            ;
        else if (host_is_after_main(job, places[i]))
            snprintf(texts[i], PLACE_TEXT, " (main returned)");
        else if (number != NULL && number[1] >= '1' && number[1] <= '9')
            snprintf(texts[i], PLACE_TEXT, " (%.*s)", (int)length, line);
        else
            name_without_line(job, own[i], texts[i]);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

void host_name_places(const struct job *job, const uintptr_t *places, int n,
                      char (*texts)[PLACE_TEXT])
{
    for (int i = 0; i < n; i++)
        texts[i][0] = '\0';
    for (; job != NULL; job = job->next)
        name_places_of(job, places, n, texts);
}

const char *host_name_here(char *text)
{
    const uintptr_t place =
        the_job->kept == NULL ? host_place_here() : 0; /* mpi_explore() names it once */

    host_name_places(the_job, &place, 1, (char(*)[PLACE_TEXT])text);
    return text;
}

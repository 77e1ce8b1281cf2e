/* SPDX-License-Identifier: MIT */
/*
 * std::cin, cout, cerr and clog of each rank: ranks would otherwise share widths, flags and the end
 * of the input. They are made by the constructors of GNU's C++ library, whose names and sizes its
 * ABI fixes. Each has the buffer that the library itself gives these streams, which only passes on to
 * a FILE. Where the executable has a copy of a stream, that is the rank's. With another C++ library the ranks share the streams.
 * Source: libstdc++, include/ext/stdio_sync_filebuf.h
 */
#include "host.h"

#include <dlfcn.h>
#include <string.h>

/* Of the ABI: an istream has 280 bytes, an ostream 272. */
enum { STREAM_BYTES = 288 };

struct buffer {
    const void *functions;
    void *pointers[6];
    void *locale; /* up to here a std::streambuf */
    FILE *file;
    int unread; /* EOF: nothing */
};

struct stream {
    _Alignas(16) char object[STREAM_BYTES];
    struct buffer buffer;
};

static const char *const names[N_STREAMS] = {"_ZSt3cin", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"};

typedef void stream_constructor(void *stream, void *buffer);

static stream_constructor *make_input, *make_output;
static void (*make_buffer)(void *buffer);
static const void *const *buffer_table;

static void *find(void *library, const char *name)
{
    return library != NULL ? dlsym(library, name) : NULL;
}

/* The parts of the standard locale have numbers, which copies of them (copies.c) must have, too. */
static void find_locale(void *library)
{
    void *address = find(library, "_ZNSt6locale7classicEv");
    void (*classic)(void);

    memcpy(&classic, &address, sizeof(classic));
    if (classic != NULL)
        classic();
}

void host_find_streams(struct job *job)
{
    void *library = NULL, *input, *output, *buffer;

    for (int i = 0; i < N_STREAMS; i++) {
        const Elf64_Sym *symbol = host_symbol_of(job, names[i]);

        job->streams[i] = symbol;
        if (job->streams[i] != NULL && library == NULL) /* it stays, also for its constructors */
            library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    }
    find_locale(library);
    input = find(library, "_ZNSiC1EPSt15basic_streambufIcSt11char_traitsIcEE");
    output = find(library, "_ZNSoC1EPSt15basic_streambufIcSt11char_traitsIcEE");
    buffer = find(library, "_ZNSt15basic_streambufIcSt11char_traitsIcEEC2Ev");
    buffer_table = find(library, "_ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE");
    if (input == NULL || output == NULL || buffer == NULL || buffer_table == NULL)
        memset(job->streams, 0, sizeof(job->streams));
    memcpy(&make_input, &input, sizeof(input));
    memcpy(&make_output, &output, sizeof(output));
    memcpy(&make_buffer, &buffer, sizeof(buffer));
}

static bool is_copy(const Elf64_Sym *symbol)
{
    return symbol->st_shndx != SHN_UNDEF;
}

static void make_stream(int i, void *object, struct buffer *buffer)
{
    (i == 0 ? make_input : make_output)(object, buffer);
}

void host_give_streams(const struct job *job, struct host_rank *host)
{
    FILE *const files[N_STREAMS] = {host_input_of(job, host), stdout, stderr, stderr};
    struct stream *all = NULL;

    for (int i = 0; i < N_STREAMS; i++) {
        if (job->streams[i] == NULL)
            continue;
        if (all == NULL)
            all = host->streams = aligned_alloc(16, N_STREAMS * sizeof(*all));
        if (all == NULL)
            return;
        make_buffer(&all[i].buffer);
        all[i].buffer.functions = buffer_table + 2; /* after the offset and the type */
        all[i].buffer.file = files[i];
        all[i].buffer.unread = EOF;
        if (is_copy(job->streams[i]))
            continue;
        make_stream(i, all[i].object, &all[i].buffer);
        if (job->picture == NULL)
            host_write_address(host, job->streams[i], all[i].object);
    }
}

static int number_of(const char *name)
{
    for (int i = 0; i < N_STREAMS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

bool host_is_stream(const char *name)
{
    return number_of(name) >= 0;
}

void *host_stream_of(const struct host_rank *host, const char *name)
{
    const int i = number_of(name);
    struct stream *all = host->streams;

    return i >= 0 && all != NULL && host->job->streams[i] != NULL && !is_copy(host->job->streams[i])
               ? all[i].object
               : NULL;
}

void host_begin_streams(const struct job *job, const struct host_rank *host)
{
    struct stream *all = host->streams;

    for (int i = 0; all != NULL && i < N_STREAMS; i++)
        if (job->streams[i] != NULL && is_copy(job->streams[i]))
            make_stream(i, (void *)(host->base + job->streams[i]->st_value), &all[i].buffer);
}

void host_set_stream_input(const struct host_rank *host, FILE *input)
{
    struct stream *all = host->streams;

    if (all != NULL && host->job->streams[0] != NULL)
        all[0].buffer.file = input;
}

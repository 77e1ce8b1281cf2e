/* SPDX-License-Identifier: MIT */
/* The embedded page, and data in it. */
#include "view/report/report.h"

#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* LOGP_PAGE_LACKS, LOGP_PAGE_FOLD, page_head, page_tail, page_fold, page_plain_styles, page_plain_scripts: made by page.cmake */
#include <page.inc>

const char *page_lacks(void)
{
    return LOGP_PAGE_LACKS;
}

bool page_has_sliders(void)
{
    return LOGP_PAGE_FOLD;
}

void write_fold(FILE *f)
{
    if (LOGP_PAGE_FOLD)
        write_bytes(f, "fold", page_fold, sizeof(page_fold));
}

void write_plain_styles(FILE *f)
{
    fwrite(page_plain_styles, 1, sizeof(page_plain_styles), f);
}

void write_plain_scripts(FILE *f)
{
    fwrite(page_plain_scripts, 1, sizeof(page_plain_scripts), f);
}

void begin_page(FILE *f)
{
    fwrite(page_head, 1, sizeof(page_head), f);
}

void end_page(FILE *f)
{
    fwrite(page_tail, 1, sizeof(page_tail), f);
}

/* Escape <, so that no text in the data begins a tag. */
void write_data(FILE *f, json_t *data)
{
    char *text =
        need(json_dumps(data, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)));

    fputs("<script type=\"application/json\" id=\"data\">", f);
    for (const char *s = text; *s != '\0'; s++)
        if (*s == '<')
            fputs("\\u003c", f);
        else
            putc(*s, f);
    fputs("</script>\n", f);
    free(text);
    json_decref(data);
}

/* n <= 3 bytes as four digits. */
static void encode(const unsigned char *b, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned x =
        (unsigned)b[0] << 16 | (unsigned)(n > 1 ? b[1] : 0) << 8 | (unsigned)(n > 2 ? b[2] : 0);

    for (size_t i = 0; i < 4; i++)
        out[i] = i <= n ? digits[x >> (18 - 6 * i) & 63] : '=';
}

void write_bytes(FILE *f, const char *id, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    char text[4096];

    fprintf(f, "<script type=\"text/plain\" id=\"%s\">", id);
    for (size_t i = 0; i < n;) {
        size_t length = 0;

        for (; i < n && length < sizeof(text); i += 3, length += 4)
            encode(b + i, n - i < 3 ? n - i : 3, text + length);
        fwrite(text, 1, length, f);
    }
    fputs("</script>\n", f);
}

/* ---- facts about the host and the program, which make figures of other hosts comparable ---- */

enum { LINE = 256 };

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void add(json_t *facts, const char *name, const char *value)
{
    json_array_append_new(facts, json_pack("[ss]", name, value));
}

json_t *host_facts(const struct output *out)
{
    const struct question *q = out->q;
    json_t *facts = json_array();
    struct logp_host host = {0};
    struct utsname system;
    char text[LINE];

    uname(&system);
    logp_host_info(&host);
    add(facts, "Processor", host_processor(text));
    snprintf(text, sizeof(text), "%d used of %d", out->cores.n_cores, host.n_cores);
    add(facts, "Cores", text);
    if (host.quota > 0) {
        snprintf(text, sizeof(text), "%.2f processors' worth of time", host.quota);
        add(facts, "CPU quota", text);
    }
    snprintf(text, sizeof(text), "%.1f ns a reading", host.clock_read_ns);
    add(facts, "Clock", text);
    snprintf(text, sizeof(text), "%s %s, %s", system.sysname, system.release, system.machine);
    add(facts, "Kernel", text);
    snprintf(text, sizeof(text), "liblogp %s, glibc %s, %s", logp_version(), gnu_get_libc_version(),
             COMPILER);
    add(facts, "Versions", text);
    snprintf(text, sizeof(text), "%s executor, %s clock", q->how.executor,
             q->how.clock == LOGP_CLOCK_WALL ? "wall" : "virtual");
    add(facts, "Run by", text);
    return facts;
}

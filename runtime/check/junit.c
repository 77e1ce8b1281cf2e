/* SPDX-License-Identifier: MIT */
/*
 * The results of the checks of this process as JUnit XML, in the file that LOGP_CHECK_JUNIT names. The file
 * is written anew after each check, so it is whole when the process ends at any time. A run that ends the
 * process is the last check of the file, which its signal handler writes.
 */
#define _GNU_SOURCE
#include "kit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the rest */
static struct lpi_text cases;
static uint64_t n_cases, n_failures;

/* ---- text, also in a signal handler ---- */

/* The number of bytes of the character at s, of which n bytes are there. 0: they are not UTF-8, or XML
 * forbids the character. */
static size_t length_of(const char *s, size_t n)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by the number of bytes */
    const unsigned char *at = (const unsigned char *)s;
    const size_t length = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    uint32_t code = length == 1 ? *at : *at & (0xffU >> (length + 1));

    if (length == 0 || length > n || *at > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fU);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
        code == 0xfffe || code == 0xffff || (code < ' ' && code != '\n' && code != '\t'))
        return 0;
    return length;
}

/* "\xff" */
static void put_byte(struct lpi_line *l, char byte)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned value = (unsigned char)byte;
    const char text[] = {'\\', 'x', digits[value >> 4], digits[value & 15]};

    lpi_put_bytes(l, text, sizeof(text));
}

/* n bytes of text, in which XML's own characters are replaced, as are bytes that cannot be in XML. */
static void put_escaped(struct lpi_line *l, const char *text, size_t n)
{
    for (size_t i = 0, length; i<n; i += length> 0 ? length : 1) {
        length = length_of(&text[i], n - i);
        if (length == 0)
            put_byte(l, text[i]);
        else if (text[i] == '<')
            lpi_put(l, "&lt;");
        else if (text[i] == '>')
            lpi_put(l, "&gt;");
        else if (text[i] == '&')
            lpi_put(l, "&amp;");
        else if (text[i] == '"')
            lpi_put(l, "&quot;");
        else
            lpi_put_bytes(l, &text[i], length);
    }
}

/* Seconds, with a decimal point in every locale. */
static void put_seconds(struct lpi_line *l, int64_t ns)
{
    char part[] = ".000000000";
    int64_t rest = ns % 1000000000;

    lpi_put_number(l, "", (uint64_t)(ns / 1000000000));
    for (size_t i = sizeof(part) - 2; i > 0; i--, rest /= 10)
        part[i] = (char)('0' + rest % 10);
    lpi_put(l, part);
}

static void put_case(struct lpi_line *l, const struct lpi_result *r)
{
    lpi_put(l, "  <testcase classname=\"logp_check\" name=\"");
    put_escaped(l, r->name, strlen(r->name));
    lpi_put(l, "\" time=\"");
    put_seconds(l, r->ns);
    lpi_put(l, r->failed ? "\">\n    <failure message=\"" : "\">\n    <system-out>");
    if (r->failed) {
        put_escaped(l, r->text, strcspn(r->text, "\n"));
        lpi_put(l, "\">");
    }
    put_escaped(l, r->text, strlen(r->text));
    put_escaped(l, r->more, strlen(r->more));
    lpi_put(l, r->failed ? "</failure>\n  </testcase>\n" : "</system-out>\n  </testcase>\n");
}

/* last: another check, which ends the process; NULL: none */
static void write_all(const char *path, const struct lpi_result *last)
{
    struct lpi_line l = {.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    bool is_written = l.fd >= 0 && !cases.failed;

    if (is_written) {
        lpi_put(&l, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        lpi_put_number(&l, "<testsuite name=\"logp_check\" tests=\"", n_cases + (last != NULL));
        lpi_put_number(&l, "\" failures=\"", n_failures + (last != NULL));
        lpi_put(&l, "\">\n");
        lpi_put_bytes(&l, cases.s, cases.n);
        if (last != NULL)
            put_case(&l, last);
        lpi_put(&l, "</testsuite>\n");
        is_written = lpi_put_end(&l) == 0;
    }
    if (l.fd >= 0 && close(l.fd) != 0)
        is_written = false; /* as on a full disk */
    if (is_written)
        return;
    l = (struct lpi_line){.fd = STDERR_FILENO};
    lpi_put(&l, "LOGP_CHECK_JUNIT=");
    lpi_put(&l, path);
    lpi_put(&l, ": the file cannot be written\n");
    lpi_put_end(&l);
}

/* ---- results ---- */

void lpi_junit_add(const char *path, const struct lpi_result *r)
{
    struct lpi_line l = {.fd = -1, .to = &cases};

    if (path == NULL)
        return;
    pthread_mutex_lock(&lock);
    put_case(&l, r);
    lpi_put_end(&l);
    n_cases++;
    n_failures += r->failed;
    write_all(path, NULL);
    pthread_mutex_unlock(&lock);
}

void lpi_junit_crash(const char *path, const struct lpi_result *r)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    if (path == NULL)
        return;
    /* another thread may add a result, which takes a moment; or this one, which the crash has interrupted */
    for (int i = 0; i < 100; i++) {
        if (pthread_mutex_trylock(&lock) == 0) {
            write_all(path, r);
            pthread_mutex_unlock(&lock);
            return;
        }
        nanosleep(&moment, NULL);
    }
}

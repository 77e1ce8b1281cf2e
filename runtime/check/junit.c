/* SPDX-License-Identifier: MIT */
/* The results of the checks of this process as JUnit XML, in the file that LOGP_CHECK_JUNIT names. The file
 * is written anew after each check, so it is whole when the process ends at any time. */
#include "kit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the rest */
static struct lpi_text cases;
static int n_cases, n_failures;

/* Append n bytes of text, in which XML's own characters are replaced, as are those that XML forbids. */
static void add_escaped(struct lpi_text *t, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (text[i]) {
        case '<':
            lpi_text_add(t, "&lt;");
            break;
        case '>':
            lpi_text_add(t, "&gt;");
            break;
        case '&':
            lpi_text_add(t, "&amp;");
            break;
        case '"':
            lpi_text_add(t, "&quot;");
            break;
        default:
            lpi_text_add(
                t, "%c",
                (unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t' ? '?' : text[i]);
        }
}

static void add_case(const char *name, int rc, const char *text, int64_t ns)
{
    n_cases++;
    n_failures += rc != 0;
    lpi_text_add(&cases, "  <testcase classname=\"logp_check\" name=\"");
    add_escaped(&cases, name, strlen(name));
    lpi_text_add(&cases, "\" time=\"");
    lpi_text_add_fraction(&cases, (double)ns * 1e-9);
    lpi_text_add(&cases, rc != 0 ? "\">\n    <failure message=\"" : "\">\n    <system-out>");
    if (rc != 0) {
        add_escaped(&cases, text, strcspn(text, "\n"));
        lpi_text_add(&cases, "\">");
    }
    add_escaped(&cases, text, strlen(text));
    lpi_text_add(&cases,
                 rc != 0 ? "</failure>\n  </testcase>\n" : "</system-out>\n  </testcase>\n");
}

static void write_all(const char *path)
{
    FILE *f = cases.failed ? NULL : fopen(path, "we");
    bool is_written = f != NULL;

    if (f != NULL)
        is_written = fprintf(f,
                             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<testsuite name=\"logp_check\" tests=\"%d\" failures=\"%d\">\n"
                             "%s</testsuite>\n",
                             n_cases, n_failures, cases.s) > 0;
    if (f != NULL && fclose(f) != 0)
        is_written = false; /* as on a full disk */
    if (!is_written)
        dprintf(STDERR_FILENO, "LOGP_CHECK_JUNIT=%s: the file cannot be written\n", path);
}

void lpi_junit_add(const char *name, int rc, const char *text, int64_t ns)
{
    const char *path = lpi_variable("LOGP_CHECK_JUNIT");

    if (path == NULL)
        return;
    pthread_mutex_lock(&lock);
    add_case(name, rc, text, ns);
    write_all(path);
    pthread_mutex_unlock(&lock);
}

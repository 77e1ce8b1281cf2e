/* SPDX-License-Identifier: MIT */
/* Text as a signal handler may write it: no memory is allocated, and no lock is taken. */
#include "kit.h"

#include <errno.h>
#include <unistd.h>

/* Write the bytes of s; without a file they stay there. */
static void flush(struct lpi_line *l)
{
    if (l->to != NULL)
        lpi_text_add(l->to, "%.*s", (int)l->n, l->s);
    else if (l->fd < 0 || write(l->fd, l->s, l->n) != (ssize_t)l->n)
        l->failed = true;
    if (l->to != NULL || l->fd >= 0)
        l->n = 0;
}

void lpi_put_bytes(struct lpi_line *l, const char *s, size_t n)
{
    while (n > 0) {
        const size_t room = sizeof(l->s) - l->n, k = n < room ? n : room;

        memcpy(l->s + l->n, s, k);
        l->n += k;
        s += k;
        n -= k;
        if (n == 0)
            return;
        flush(l);
        if (l->n > 0)
            return;
    }
}

void lpi_put(struct lpi_line *l, const char *s)
{
    lpi_put_bytes(l, s, strlen(s));
}

void lpi_put_number(struct lpi_line *l, const char *name, uint64_t n)
{
    char digits[24], *at = digits + sizeof(digits);

    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    lpi_put(l, name);
    lpi_put_bytes(l, at, (size_t)(digits + sizeof(digits) - at));
}

int lpi_put_end(struct lpi_line *l)
{
    flush(l);
    return l->failed ? EIO : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Text from outside (names of files, algorithms and machines, cells of a file) where it is
 * shown: a control byte could move a terminal's cursor or end a line, and a byte that is not
 * UTF-8 could spoil a document. Both are shown as \n, \t or \x1b.
 */
#include "text/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the first character, if it can be printed; 0: it is a control character, or no
 * UTF-8 (RFC 3629: neither too long, nor half of a pair, nor beyond U+10FFFF). */
static size_t printable_bytes(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    const unsigned char low = s[0] == 0xe0   ? 0xa0
                              : s[0] == 0xf0 ? 0x90
                              : s[0] == 0xc2 ? 0xa0 /* U+0080 to U+009f control, too */
                                             : 0x80;
    const unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;

    if (n == 0 || s[0] > 0xf4 || (n == 1 && (s[0] < ' ' || s[0] == 0x7f)))
        return 0;
    if (n > 1 && (s[1] < low || s[1] > high))
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

bool is_printable(const char *text)
{
    while (*text != '\0') {
        const size_t n = printable_bytes(text);

        if (n == 0)
            return false;
        text += n;
    }
    return true;
}

static void write_byte(FILE *f, unsigned char byte)
{
    if (byte == '\n' || byte == '\t' || byte == '\r')
        fputs(byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : "\\r", f);
    else
        fprintf(f, "\\x%02x", byte);
}

static void write_but(FILE *f, const char *text, const char *stays)
{
    while (*text != '\0') {
        const size_t n = strchr(stays, *text) != NULL ? 1 : printable_bytes(text);

        if (n > 0)
            fwrite(text, 1, n, f);
        else
            write_byte(f, (unsigned char)*text);
        text += n > 0 ? n : 1;
    }
}

void write_shown(FILE *f, const char *text)
{
    write_but(f, text, "");
}

void write_shown_lines(FILE *f, const char *text)
{
    write_but(f, text, "\n\t");
}

char *shown_text(const char *text)
{
    char *out = NULL;
    size_t size;
    FILE *f = need(open_memstream(&out, &size));

    write_shown(f, text);
    return close_text(f, &out);
}

void write_xml(FILE *f, const char *text)
{
    char *shown = shown_text(text);

    for (const char *s = shown; *s != '\0'; s++)
        if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
            fputs(*s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&quot;", f);
        else
            putc(*s, f);
    free(shown);
}

void write_dot_text(FILE *f, const char *text)
{
    char *shown = shown_text(text);

    putc('"', f);
    for (const char *s = shown; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            putc('\\', f);
        putc(*s, f);
    }
    putc('"', f);
    free(shown);
}

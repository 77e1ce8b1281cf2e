/* SPDX-License-Identifier: MIT */
/* The version, and structs that may grow: see logp/defs.h. */
#include <logp/defs.h>

#include <errno.h>
#include <string.h>

const char *logp_version(void)
{
    return LOGP_VERSION_TEXT;
}

enum { MOST = 4096 }; /* bytes: no struct is larger, so a larger size is refused unread */

int logp_struct_take(void *out, size_t n_bytes, size_t least, const void *given)
{
    const unsigned char *bytes = given;
    size_t size;

    if (given == NULL)
        return -EINVAL;
    memcpy(&size, given, sizeof(size));
    if (size < least)
        return -EINVAL;
    if (size > MOST)
        return -E2BIG;
    for (size_t i = n_bytes; i < size; i++)
        if (bytes[i] != 0)
            return -E2BIG;
    memset(out, 0, n_bytes);
    memcpy(out, given, size < n_bytes ? size : n_bytes);
    memcpy(out, &n_bytes, sizeof(n_bytes));
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* A command's answer: stdout, or a new file. See file.h. */
#include "file/file.h"
#include "text/problem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct problem *answer_open(struct answer_file *a, const char *option, const char *path)
{
    const bool existed = access(path, F_OK) == 0;
    struct new_file file = {0};
    const int error = new_file_begin(&file, path);

    if (error != 0)
        return must_be(option, path, "a file that can be written: %s", strerror(error));
    *a = (struct answer_file){.f = file.f,
                              .before = a->f,
                              .file = file,
                              .path = path,
                              .existed = existed,
                              .is_whole = a->is_whole};
    return NULL;
}

/* Find the error of an earlier write again, by writing more to a file that will be dropped: some
 * of the output is lost, and its errno, too. @return an errno; -1: not known */
static int error_of_before(const struct answer_file *a)
{
    static const char more[4096];

    for (int i = 0; i < 2; i++)
        if (a->file.target != NULL && write(fileno(a->f), more, sizeof(more)) < 0)
            return errno;
    return -1;
}

/* @return an errno or -1; 0: all has been written */
static int flush(const struct answer_file *a)
{
    if (fflush(a->f) != 0)
        return errno;
    return ferror(a->f) ? error_of_before(a) : 0;
}

/* Print why it could not be written. @return the exit code */
static int say_unwritten(const char *what, int error)
{
    say("%s could not be written: %s", what, error > 0 ? strerror(error) : "a write failed");
    return EXIT_WRONG;
}

int answer_close(struct answer_file *a, int code, bool interrupted)
{
    const char *const path = a->path;
    int error = flush(a);

    if (path == NULL)
        return error != 0 ? say_unwritten("the output", error) : code;
    if (error != 0 || interrupted || (code != EXIT_OK && !a->is_whole))
        new_file_drop(&a->file);
    else
        error = new_file_keep(&a->file);
    a->f = a->before;
    a->path = NULL;
    if (error != 0)
        return say_unwritten(path, error);
    if (!interrupted && (code == EXIT_OK || a->is_whole))
        return code;
    if (a->is_refused && !interrupted)
        return code;
    say("%s %s: %s", path, a->existed ? "is as it was" : "was not written",
        interrupted ? "interrupted" : "the command failed");
    return code == EXIT_OK ? EXIT_WRONG : code;
}

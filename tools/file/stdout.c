/* SPDX-License-Identifier: MIT */
/* stdout as a new file: commands print to it in any case. See file.h. */
#include "file/file.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct new_file file;
    const char *path; /* NULL: stdout is not replaced */
    bool is_whole, existed;
    int before; /* the former stdout; -1: it was closed */
} answer;

void begin_answer(const char *option, const char *path)
{
    int error;

    answer.existed = access(path, F_OK) == 0;
    error = new_file_begin(&answer.file, path);
    if (error != 0)
        bad_option(option, path, "a file that can be written: %s", strerror(error));
    fflush(stdout);
    answer.before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (dup2(fileno(answer.file.f), STDOUT_FILENO) < 0)
        bad_option(option, path, "a file that can be written: %s", strerror(errno));
    answer.path = path;
}

void answer_is_whole(void)
{
    answer.is_whole = true;
}

/* Find the error of an earlier write again, by writing more to a file that will be dropped: some
 * of the output is lost, and its errno, too. @return an errno; -1: not known */
static int error_of_before(void)
{
    static const char more[4096];

    for (int i = 0; i < 2; i++)
        if (answer.file.target != NULL && write(STDOUT_FILENO, more, sizeof(more)) < 0)
            return errno;
    return -1;
}

/* @return an errno or -1; 0: all that was printed has been written */
static int flush_stdout(void)
{
    if (fflush(stdout) != 0)
        return errno;
    return ferror(stdout) ? error_of_before() : 0;
}

static const char *reason(int error)
{
    return error > 0 ? strerror(error) : "a write failed";
}

static void restore_stdout(void)
{
    clearerr(stdout);
    if (answer.before < 0) {
        close(STDOUT_FILENO);
    } else {
        dup2(answer.before, STDOUT_FILENO);
        close(answer.before);
    }
}

int end_answer(int code, bool interrupted)
{
    const char *path = answer.path, *state = answer.existed ? "is as it was" : "was not written";
    int error = flush_stdout();

    if (path == NULL) {
        if (error != 0)
            say("the output could not be written: %s", reason(error));
        return error != 0 ? EXIT_WRONG : code;
    }
    answer.path = NULL;
    restore_stdout();
    if (error == 0 && (interrupted || (code != EXIT_OK && !answer.is_whole))) {
        new_file_drop(&answer.file);
        say("%s %s: %s", path, state, interrupted ? "interrupted" : "the command failed");
        return code == EXIT_OK ? EXIT_WRONG : code;
    }
    if (error == 0)
        error = new_file_keep(&answer.file);
    else
        new_file_drop(&answer.file);
    if (error == 0)
        return code;
    say("%s could not be written: %s", path, reason(error));
    return EXIT_WRONG;
}

/* Replace stdout, which the GNU C library allows. */
char *printed_by(void (*print)(const void *what), const void *what)
{
    FILE *const usual = stdout;
    char *text = NULL;
    size_t size;
    FILE *const f = or_end(open_memstream(&text, &size));

    stdout = f;
    print(what);
    stdout = usual;
    return close_text(f, &text);
}

double svg_number(const char *svg, const char *attribute)
{
    const char *at = strstr(svg, attribute);

    return at != NULL ? strtod(at + strlen(attribute), NULL) : 0;
}

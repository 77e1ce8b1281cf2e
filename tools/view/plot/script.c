/* SPDX-License-Identifier: MIT */
/*
 * Running gnuplot: its picture is read from a pipe, because gnuplot itself does not notice a full
 * disk. No file's name is in the script.
 */
#define _GNU_SOURCE
#include "file/file.h"
#include "view/plot/plot.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the script ---- */

void script_begin(struct script *s)
{
    *s = (struct script){0};
    s->f = or_end(open_memstream(&s->commands, &s->commands_size));
    s->texts = or_end(open_memstream(&s->lines, &s->lines_size));
}

/* The blank keeps a line apart from the mark at the end of the block. */
void put_text(struct script *s, const char *text, const char *twice)
{
    char *shown = shown_text(text);

    putc(' ', s->texts);
    for (const char *c = shown; *c != '\0'; c++) {
        if (strchr(twice, *c) != NULL)
            putc(*c, s->texts);
        putc(*c, s->texts);
    }
    putc('\n', s->texts);
    free(shown);
    fprintf(s->f, "text%d ", ++s->n_texts);
}

void script_end(struct script *s)
{
    if (s->f != NULL)
        fclose(s->f);
    if (s->texts != NULL)
        fclose(s->texts);
    free(s->commands);
    free(s->lines);
}

/* All of it as text, to be freed. */
static char *finish_script(struct script *s)
{
    char *all = NULL;
    size_t size;
    FILE *f = or_end(open_memstream(&all, &size));
    const bool is_whole = fclose(s->f) == 0 && fclose(s->texts) == 0;

    s->f = s->texts = NULL;
    if (is_whole)
        fprintf(f, "set encoding utf8\n$texts << END\n%sEND\n", s->lines);
    for (int i = 1; i <= s->n_texts; i++)
        fprintf(f, "text%d = substr($texts[%d], 2, strlen($texts[%d]))\n", i, i, i);
    if (is_whole)
        fputs(s->commands, f);
    if (fclose(f) != 0 || !is_whole)
        bad_usage("no memory for a picture");
    return all;
}

/* ---- running it ---- */

const char *plot_kind(const char *to)
{
    const char *end = strrchr(to, '.');

    end = end != NULL ? end + 1 : to;
    return strcasecmp(end, "png") == 0 ? "png" : strcasecmp(end, "pdf") == 0 ? "pdf" : "svg";
}

bool plot_has_format(const char *to)
{
    const char *end = strrchr(to, '.');

    return strcasecmp(end != NULL ? end + 1 : to, plot_kind(to)) == 0;
}

char *find_gnuplot(void)
{
    char *path = or_end(strdup(getenv("PATH") != NULL ? getenv("PATH") : "")), *save = NULL,
         file[4096];
    bool there = false;

    for (char *s = strtok_r(path, ":", &save); s != NULL && !there;
         s = strtok_r(NULL, ":", &save)) {
        snprintf(file, sizeof(file), "%s/gnuplot", s);
        there = access(file, X_OK) == 0;
    }
    free(path);
    return there ? or_end(strdup(file)) : NULL;
}

void need_gnuplot(const char *option, const char *value)
{
    char *const file = find_gnuplot();

    if (file == NULL)
        bad_option(option, value,
                   "pictures are drawn by gnuplot, which is not installed (Debian: "
                   "gnuplot-nox)");
    free(file);
}

struct gnuplot {
    pid_t child, feeder; /* -1: none */
    int picture;         /* the pipe from its stdout */
};

/* gnuplot may draw before it has read all: another process writes its script. */
static pid_t feed(const char *script, int to, int other)
{
    const pid_t feeder = fork();

    if (feeder != 0)
        return feeder;
    close(other);
    for (size_t left = strlen(script); left > 0;) {
        const ssize_t n = write(to, script, left);

        if (n < 0 && errno != EINTR)
            break;
        script += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    _exit(0);
}

/* @return an errno; 0: it runs */
static int start(const char *script, struct gnuplot *g)
{
    char *const words[] = {"gnuplot", NULL};
    posix_spawn_file_actions_t actions;
    int in[2], out[2], rc;

    *g = (struct gnuplot){-1, -1, -1};
    if (pipe2(in, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(out, O_CLOEXEC) != 0) {
        rc = errno;
        close(in[0]);
        close(in[1]);
        return rc;
    }
    posix_spawn_file_actions_init(&actions);
    rc = posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawnp(&g->child, words[0], &actions, NULL, words, environment());
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    g->picture = out[0];
    if (rc == 0)
        g->feeder = feed(script, in[1], out[0]);
    if (rc == 0 && g->feeder < 0)
        rc = errno;
    close(in[1]);
    return rc;
}

/* @return the exit status of gnuplot */
static int await(const struct gnuplot *g)
{
    int status = -1;

    close(g->picture);
    while (g->feeder > 0 && waitpid(g->feeder, &status, 0) < 0 && errno == EINTR)
        ;
    status = -1;
    while (g->child > 0 && waitpid(g->child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Copy to f. *n: the number of bytes read. @return 0; an errno of reading or writing */
static int copy(int from, FILE *f, size_t *n)
{
    char part[1 << 14];
    ssize_t got;

    for (*n = 0; (got = read(from, part, sizeof(part))) != 0; *n += (size_t)got) {
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got < 0 || fwrite(part, 1, (size_t)got, f) != (size_t)got)
            return errno;
    }
    return fflush(f) != 0 ? errno : 0;
}

/* @return 0; an errno of writing; -1: it drew nothing; -2: it did not start, which is printed */
static int run_gnuplot(const char *script, FILE *f)
{
    struct gnuplot g;
    size_t n = 0;
    int error = start(script, &g), status;
    const bool runs = error == 0;

    if (runs)
        error = copy(g.picture, f, &n);
    else
        say("gnuplot: %s", strerror(error));
    status = await(&g);
    if (!runs)
        return -2;
    return error != 0 ? error : n == 0 || status != 0 ? -1 : 0;
}

int script_run(struct script *s, const char *to)
{
    const bool to_stdout = strchr(to, '.') == NULL;
    char *script = finish_script(s);
    struct new_file file = {0};
    int error = to_stdout ? 0 : new_file_begin(&file, to);

    if (error == 0)
        error = run_gnuplot(script, to_stdout ? stdout : file.f);
    free(script);
    if (error == 0 && !to_stdout)
        error = new_file_keep(&file);
    else if (file.f != NULL)
        new_file_drop(&file);
    if (error == -1)
        say("gnuplot could not draw %s", to_stdout ? "the picture" : to);
    else if (error > 0 && !to_stdout)
        say("%s could not be written: %s", to, strerror(error));
    return error == 0 ? EXIT_OK : EXIT_WRONG;
}

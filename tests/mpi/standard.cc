/* SPDX-License-Identifier: MIT */
/* What a rank does to its standard streams, the others do not see: standard WAY, which rank 1 goes. */
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

static int new_file(const char *name)
{
    return open(name, O_CREAT | O_WRONLY | O_TRUNC, 0666);
}

static bool puts_raw(int fd)
{
    return write(fd, "raw\n", 4) == 4;
}

static bool redirects(const std::string &way)
{
    static std::ofstream buffer;
    int file, saved;

    if (way == "fclose")
        return fclose(stdout) == 0 && printf("lost\n") && fclose(stdout) != 0 && !puts_raw(1);
    if (way == "close")
        return close(1) == 0 && close(1) != 0 && !puts_raw(1);
    if (way == "fclose-error")
        return fclose(stderr) == 0 && fprintf(stderr, "lost\n");
    if (way == "freopen")
        return freopen("file", "w", stdout) == stdout && puts_raw(fileno(stdout));
    if (way == "nowhere")
        return freopen("no/file", "w", stdout) == nullptr && errno == ENOENT && !puts_raw(1);
    if (way == "dup2") {
        saved = dup(1);
        file = new_file("file");
        if (dup2(file, fileno(stdout)) != 1 || close(file) != 0 || !puts_raw(1))
            return false;
        printf("between\n");
        fflush(stdout);
        return dup2(saved, 1) == 1 && close(saved) == 0;
    }
    if (way == "merge") {
        fprintf(stderr, "not yet\n");
        return dup2(1, 2) == 2 && fprintf(stderr, "merged\n");
    }
    if (way == "rdbuf") {
        buffer.open("file");
        std::cout.rdbuf(buffer.rdbuf());
    }
    if (way == "other") { /* streams that only look alike */
        FILE *f = fopen("file", "w");
        return freopen("file", "w", f) == f && fprintf(f, "other\n") && fclose(f) == 0;
    }
    return true;
}

/* Every rank has a file to read from, and rank 0 has what the process has got. */
static bool reads(const std::string &way, int me)
{
    char name[32], text[8];
    int x = 0, y = 0;
    FILE *f;

    snprintf(name, sizeof(name), "input%d", me);
    f = fopen(name, "w");
    fprintf(f, "%d %d raw", 10 + me, 20 + me);
    fclose(f);
    if (way == "input") {
        if (freopen(name, "r", stdin) == nullptr || scanf("%d", &x) != 1)
            return false;
        std::cin >> y;
        return x == 10 + me && y == 20 + me;
    }
    if (way == "input-dup2") {
        const int file = open(name, O_RDONLY);

        return dup2(file, 0) == 0 && read(0, text, 2) == 2 && atoi(std::string(text, 2).c_str()) == 10 + me;
    }
    /* only of ranks other than 0, which then still reads what there is */
    if (me != 0)
        return fclose(stdin) == 0 && read(0, text, 1) <= 0;
    MPI_Barrier(MPI_COMM_SELF);
    return scanf("%d", &x) == 1 && x == 3;
}

int main(int argc, char **argv)
{
    const std::string way = argc > 1 ? argv[1] : "";
    bool holds = true;
    int me;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (way.rfind("input", 0) == 0)
        holds = reads(way, me);
    else if (me == 1 || way == "all")
        holds = redirects(way == "all" ? "fclose" : way);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("printf %d\n", me);
    std::cout << "cout "; /* all have begun a line before one ends its own */
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << me << std::endl;
    fprintf(stderr, "stderr %d\n", me);
    MPI_Finalize();
    return holds ? 0 : 1;
}

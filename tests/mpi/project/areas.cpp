/* SPDX-License-Identifier: MIT */
/*
 * A project in C++: the areas of the ranks, of a library's class and of one of its own. Streams, exceptions and
 * types cross between the program and the libraries, of which an executable may have copies.
 */
#include "shapes.hpp"

#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <mpi.h>
#include <stdexcept>
#include <string>

struct hole : square {
    using square::square;
    double area() const override { return -square::area(); }
};

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::map<std::string, double> areas;
    const square whole(rank + 1);
    const hole none(rank + 1);
    const shape *all[] = {&whole, &none};
    for (const shape *s : all)
        try {
            const char *name = dynamic_cast<const hole *>(s) != nullptr ? "hole" : "square";
            areas[name] = checked_area(*s);
        } catch (const std::exception &e) {
            areas[e.what()] = 0;
        }
    double mine = areas["square"], sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank % 2 == 1) /* the flags of a stream are a rank's own */
        std::cout << std::fixed << std::setprecision(2);
    MPI_Barrier(MPI_COMM_WORLD);
    const bool upper = std::use_facet<std::ctype<char>>(std::locale()).toupper('x') == 'X';
    std::cout << "rank " << rank << " of " << size << ": " << sum << ", " << areas.size() << ' '
              << areas.count("a negative area") << ' ' << upper << std::endl;
    MPI_Finalize();
    return 0;
}

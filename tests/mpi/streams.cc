// SPDX-License-Identifier: MIT
// The streams of C++: flags, widths and the end of the input are each rank's own, and lines are whole.
// usage: streams synchronized|apart
#include <mpi.h>

#include <iomanip>
#include <iostream>
#include <string>

int main(int argc, char **argv)
{
    int me, P, first = -1, second = -1;

    if (argc > 1 && std::string(argv[1]) == "apart")
        std::ios_base::sync_with_stdio(false);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    for (int turn = 0; turn < P; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == 1 && me == 0)
            std::cin >> first; // others have read the end before, and do after
        else if (turn == P - 1 && me == 0)
            std::cin >> second;
        else if (me > 0 && std::cin >> first)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (P > 1 && me > 0 && !std::cin.eof())
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (me == 1)
        std::cerr << std::hex << std::scientific << std::setprecision(3);
    for (int i = 0; i < 20; i++) {
        std::cout << "rank " << me << " says ";
        if (me == 1) // undone before the line ends; another rank would see it
            std::cout << std::dec << std::setw(3) << 255;
        else
            std::cout << 255;
        std::cout << std::setw(6);
        MPI_Barrier(MPI_COMM_WORLD);
        std::cout << 7 << " " << 1.5 << "\n";
        if (me == 1)
            std::cout << std::hex;
    }
    if (me == 0)
        std::cout << "rank 0 read " << first << ", then " << second << std::endl;
    MPI_Finalize();
    return 0;
}

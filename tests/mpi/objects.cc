// SPDX-License-Identifier: MIT
// C++: constructors and destructors of each rank's own, exceptions, statics of templates.
#include <mpi.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <vector>

struct counted {
    int value = 41;
    counted() { value++; }
    ~counted() { std::cout << "destroyed " << value << std::endl; }
};

static counted object;

template <class T> struct held {
    static T value;
};
template <class T> T held<T>::value = 5;

inline int &shared()
{
    static int n = 0;
    return n;
}

int main(int argc, char **argv)
{
    int me;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    object.value += me;
    held<int>::value += me;
    shared() += me;
    try {
        std::vector<int> three(3);

        MPI_Barrier(MPI_COMM_WORLD);
        three.at(5) = me;
    } catch (const std::out_of_range &) {
        std::cout << "caught " << object.value << ' ' << held<int>::value << ' ' << shared()
                  << std::endl;
    }
    MPI_Finalize();
    return 0;
}

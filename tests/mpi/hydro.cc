// SPDX-License-Identifier: MIT
// Hydrodynamics in C++: the Euler equations on a plane, a blast in a closed box. First-order finite
// volumes with Rusanov's flux; ranks have blocks of a grid, with a halo of one cell. Gases are
// registered by static constructors, and a step that is too long throws on the rank that sees it:
// all ranks then take half of it. All numbers are the same whatever the number of ranks: fluxes do
// not depend on it, and minima of doubles and sums of integers are exact.
// usage: hydro [SIZE [STEPS [GAS]]]
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

// ---- gases, by name ----

struct gas {
    virtual ~gas() = default;
    virtual double pressure(double density, double energy) const = 0; // energy: of a unit of volume
    virtual double sound(double density, double pressure) const = 0;
};

using gas_maker = std::function<std::unique_ptr<gas>()>;

std::map<std::string, gas_maker> &gases()
{
    static std::map<std::string, gas_maker> all;
    return all;
}

template <class T> struct registered {
    explicit registered(const char *name)
    {
        gases()[name] = [] { return std::unique_ptr<gas>(new T); };
    }
};

struct ideal : gas {
    double pressure(double, double energy) const override
    {
        return .4 * energy;
    }
    double sound(double density, double p) const override
    {
        return std::sqrt(1.4 * p / density);
    }
};

struct stiffened : gas {
    double pressure(double, double energy) const override
    {
        return 1.4 * energy - 2.4 * .01;
    }
    double sound(double density, double p) const override
    {
        return std::sqrt(2.4 * (p + .01) / density);
    }
};

const registered<ideal> ideal_gas("ideal");
const registered<stiffened> stiffened_gas("stiffened");

// ---- states ----

using state =
    std::array<double, 4>; // density, momentum in x and y, energy; all of a unit of volume

struct too_long : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct flow {
    double u, v, p, c;
};

flow flow_of(const gas &g, const state &s)
{
    flow f{s[1] / s[0], s[2] / s[0], 0, 0};

    f.p = g.pressure(s[0], s[3] - .5 * (s[1] * f.u + s[2] * f.v));
    if (!(s[0] > 0) || !(f.p > 0))
        throw too_long("a density or a pressure is not positive");
    f.c = g.sound(s[0], f.p);
    return f;
}

// Between two neighbours; axis 0: x, 1: y.
template <int axis> state flux(const gas &g, const state &a, const state &b)
{
    const flow fa = flow_of(g, a), fb = flow_of(g, b);
    const double ua = axis == 0 ? fa.u : fa.v, ub = axis == 0 ? fb.u : fb.v;
    const double fastest = std::max(std::fabs(ua) + fa.c, std::fabs(ub) + fb.c);
    state out;

    for (int i = 0; i < 4; i++)
        out[i] = .5 * (a[i] * ua + b[i] * ub) - .5 * fastest * (b[i] - a[i]);
    out[1 + axis] += .5 * (fa.p + fb.p);
    out[3] += .5 * (fa.p * ua + fb.p * ub);
    return out;
}

// ---- a rank's block of the box ----

class block
{
  public:
    block(MPI_Comm comm, int size, const gas &g);
    ~block();
    block(const block &) = delete;
    block &operator=(const block &) = delete;

    void exchange();
    double longest_step() const;
    // @return how often it was halved
    int step(double dt);
    std::uint64_t checksum() const;
    double mass() const;

  private:
    state &at(int x, int y)
    {
        return cells[(y + 1) * (nx + 2) + x + 1];
    }
    const state &at(int x, int y) const
    {
        return cells[(y + 1) * (nx + 2) + x + 1];
    }
    void mirror(int direction);
    void advance(double dt, std::vector<state> &next) const;

    MPI_Comm grid;
    const gas &matter;
    int size, x0, y0, nx, ny;
    std::array<int, 4> neighbours; // left, right, below, above
    std::vector<state> cells;
    MPI_Datatype cell, column, row;
};

void range(int n, int parts, int part, int &first, int &count)
{
    first = n * part / parts;
    count = n * (part + 1) / parts - first;
}

block::block(MPI_Comm comm, int n, const gas &g) : matter(g), size(n)
{
    int dims[2] = {0, 0}, periods[2] = {0, 0}, here[2], me, P;

    MPI_Comm_size(comm, &P);
    MPI_Dims_create(P, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &me);
    MPI_Cart_coords(grid, me, 2, here);
    range(n, dims[0], here[0], x0, nx);
    range(n, dims[1], here[1], y0, ny);
    if (nx < 1 || ny < 1)
        throw std::invalid_argument("more ranks than cells");
    MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
    MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);
    MPI_Type_contiguous(4, MPI_DOUBLE, &cell);
    MPI_Type_vector(ny, 1, nx + 2, cell, &column);
    MPI_Type_contiguous(nx, cell, &row);
    for (MPI_Datatype *t : {&column, &row})
        MPI_Type_commit(t);
    cells.resize((nx + 2) * (ny + 2));
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const double dx = x0 + x + .5 - .3 * n, dy = y0 + y + .5 - .4 * n;

            at(x, y) = {1, 0, 0, dx * dx + dy * dy < .01 * n * n ? 10. : .1};
        }
}

block::~block()
{
    for (MPI_Datatype *t : {&cell, &column, &row})
        MPI_Type_free(t);
    MPI_Comm_free(&grid);
}

// A wall: what flows to it comes back.
void block::mirror(int direction)
{
    const int along = direction < 2 ? ny : nx;

    for (int i = 0; i < along; i++) {
        const int x = direction == 0 ? -1 : direction == 1 ? nx : i;
        const int y = direction == 2 ? -1 : direction == 3 ? ny : i;
        state s = at(std::min(std::max(x, 0), nx - 1), std::min(std::max(y, 0), ny - 1));

        s[direction < 2 ? 1 : 2] *= -1;
        at(x, y) = s;
    }
}

void block::exchange()
{
    const struct {
        int to, from, send_x, send_y, recv_x, recv_y;
        MPI_Datatype type;
    } all[4] = {{0, 1, 0, 0, nx, 0, column},
                {1, 0, nx - 1, 0, -1, 0, column},
                {2, 3, 0, 0, 0, ny, row},
                {3, 2, 0, ny - 1, 0, -1, row}};

    for (const auto &e : all)
        MPI_Sendrecv(&at(e.send_x, e.send_y), 1, e.type, neighbours[e.to], e.to,
                     &at(e.recv_x, e.recv_y), 1, e.type, neighbours[e.from], e.to, grid,
                     MPI_STATUS_IGNORE);
    for (int d = 0; d < 4; d++)
        if (neighbours[d] == MPI_PROC_NULL)
            mirror(d);
}

double block::longest_step() const
{
    double own = 1e9, all;

    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const flow f = flow_of(matter, at(x, y));

            own = std::min(own, 1 / (std::max(std::fabs(f.u), std::fabs(f.v)) + f.c));
        }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MIN, grid);
    return all;
}

void block::advance(double dt, std::vector<state> &next) const
{
    next = cells;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const state left = flux<0>(matter, at(x - 1, y), at(x, y)),
                        right = flux<0>(matter, at(x, y), at(x + 1, y)),
                        below = flux<1>(matter, at(x, y - 1), at(x, y)),
                        above = flux<1>(matter, at(x, y), at(x, y + 1));
            state &s = next[(y + 1) * (nx + 2) + x + 1];

            for (int i = 0; i < 4; i++)
                s[i] += dt * (left[i] - right[i] + below[i] - above[i]);
            flow_of(matter, s);
        }
}

int block::step(double dt)
{
    std::vector<state> next;

    for (int halvings = 0; halvings < 30; halvings++, dt /= 2) {
        int failed = 0, any;

        try {
            advance(dt, next);
        } catch (const too_long &) {
            failed = 1;
        }
        MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_LOR, grid);
        if (!any) {
            cells.swap(next);
            return halvings;
        }
    }
    throw std::runtime_error("no step is short enough");
}

// Of the bits and the places of all cells.
std::uint64_t block::checksum() const
{
    std::uint64_t own = 0, all = 0;

    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            for (int i = 0; i < 4; i++) {
                std::uint64_t bits;

                std::memcpy(&bits, &at(x, y)[i], sizeof(bits));
                own += (bits ^ (bits >> 29)) *
                       (UINT64_C(2654435761) * ((y0 + y) * size + x0 + x) + 2 * i + 1);
            }
    MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, 0, grid);
    return all;
}

double block::mass() const
{
    double own = 0, all = 0;

    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            own += at(x, y)[0];
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    return all;
}

std::string run(int size, int steps, const std::string &name)
{
    const auto found = gases().find(name);

    if (found == gases().end())
        throw std::invalid_argument("no gas " + name);
    const auto matter = found->second();
    block box(MPI_COMM_WORLD, size, *matter);
    double time = 0;
    int halvings = 0;

    for (int i = 0; i < steps; i++) {
        box.exchange();
        const double dt = (i % 10 == 9 ? 8 : .4) * box.longest_step(); // sometimes too much
        const int n = box.step(dt);

        time += std::ldexp(dt, -n);
        halvings += n;
    }
    std::ostringstream out;
    out << "hydro: " << name << ", time " << std::fixed << std::setprecision(9) << time << ", "
        << halvings << " halvings, mass " << std::setprecision(6) << box.mass() << ", checksum "
        << std::hex << std::setw(16) << std::setfill('0') << box.checksum();
    return out.str();
}

} // namespace

int main(int argc, char **argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 40, steps = argc > 2 ? std::atoi(argv[2]) : 40;
    int me, code = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    try {
        std::vector<std::string> names;

        if (argc > 3)
            names.push_back(argv[3]);
        for (const auto &one : gases())
            if (argc <= 3)
                names.push_back(one.first);
        for (const std::string &name : names) {
            const std::string line = run(size, steps, name);

            if (me == 0)
                std::cout << line << std::endl;
        }
    } catch (const std::exception &e) {
        std::cerr << "hydro: " << e.what() << std::endl;
        code = 1;
    }
    MPI_Finalize();
    return code;
}

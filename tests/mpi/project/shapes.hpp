/* SPDX-License-Identifier: MIT */
/* A library in C++, whose classes the program of the project extends. */
#ifndef SHAPES_H
#define SHAPES_H

struct shape {
    virtual ~shape();
    virtual double area() const = 0;
};

struct square : shape {
    explicit square(double side) : side(side) {}
    double area() const override;
    double side;
};

/* Throws std::out_of_range below 0. */
double checked_area(const shape &s);

#endif

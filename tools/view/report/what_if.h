/* SPDX-License-Identifier: MIT */
/*
 * The prediction of an algorithm from a row of numbers, for the page's sliders. what_if.c is in the
 * command's tests and, as WebAssembly, in the page: it includes the public headers only.
 */
#ifndef LOGP_WHAT_IF_H
#define LOGP_WHAT_IF_H

/* Times are in ns, G and gamma in ps. op: its number in the table of operations, -1: none */
#define WHAT_IF(X)                                                                                 \
    X(P)                                                                                           \
    X(root)                                                                                        \
    X(bytes)                                                                                       \
    X(count)                                                                                       \
    X(op)                                                                                          \
    X(rows)                                                                                        \
    X(cols)                                                                                        \
    X(packing)                                                                                     \
    X(k)                                                                                           \
    X(window)                                                                                      \
    X(block)                                                                                       \
    X(pack)                                                                                        \
    X(work)                                                                                        \
    X(no_overlap)                                                                                  \
    X(L)                                                                                           \
    X(o_send)                                                                                      \
    X(o_recv)                                                                                      \
    X(g)                                                                                           \
    X(G)                                                                                           \
    X(gamma)                                                                                       \
    X(gap_shared)                                                                                  \
    X(capacity)                                                                                    \
    X(store_forward)                                                                               \
    X(recv_streams)                                                                                \
    X(rendezvous)

#define WHAT_IF_VALUE(name) WHAT_IF_##name,
enum { WHAT_IF(WHAT_IF_VALUE) WHAT_IF_VALUES, WHAT_IF_NAME = 64 };

/* Filled before each call; doubles and text have the same form in C and in JavaScript. */
extern double what_if_values[WHAT_IF_VALUES];
extern char what_if_collective[WHAT_IF_NAME], what_if_algorithm[WHAT_IF_NAME];

/* Predict the time in ns. by_fold: fold the steps; otherwise predict as `logp predict` does.
 * @return -1: there is no prediction */
double what_if(int by_fold);

#endif

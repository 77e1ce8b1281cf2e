#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Patterns as Schedgen, LogGOPSim's generator, writes them, as GOAL on stdout.

usage: tests/goal/schedgen.py PATTERN [RANKS [BYTES]]
"""
import sys


class Rank:
    """The operations of a rank, which are numbered, and what they require."""

    def __init__(self):
        self.lines = []
        self.n = 0

    def add(self, text):
        self.n += 1
        self.lines.append("l%d: %s" % (self.n, text))
        return self.n

    def send(self, n_bytes, peer):
        return self.add("send %db to %d tag 0" % (n_bytes, peer))

    def recv(self, n_bytes, peer):
        return self.add("recv %db from %d tag 0" % (n_bytes, peer))

    def calc(self, ns):
        return self.add("calc %d" % ns)

    def requires(self, after, *before):
        for b in before:
            if b is not None:
                self.lines.append("l%d requires l%d" % (after, b))


def binomialtreebcast(g, me, p, n):
    got = None
    r = 1
    while r < p:
        if me < r and me + r < p:
            g.requires(g.send(n, me + r), got)
        if r <= me < 2 * r:
            got = g.recv(n, me - r)
        r *= 2


def binomialtreereduce(g, me, p, n):
    """The send stands before the receives that it requires."""
    rounds = [1 << i for i in range((p - 1).bit_length())]
    up = [r for r in rounds if r <= me < 2 * r]
    mine = [r for r in rounds if me < r and me + r < p]
    sent = g.send(n, me - up[0]) if up else None
    for r in mine:
        got = g.recv(n, me + r)
        if sent:
            g.requires(sent, got)


def binarytreebcast(g, me, p, n):
    sends = []
    got = None
    if me > 0:
        got = g.recv(n, (me - 1) // 2)
    for child in (2 * me + 1, 2 * me + 2):
        if child < p:
            sends.append(g.send(n, child))
    for s in sends:
        g.requires(s, got)


def dissemination(g, me, p, n):
    got = None
    d = 1
    while d < p:
        g.requires(g.send(n, (me + d) % p), got)
        got = g.recv(n, (me - d) % p)
        d *= 2


def nwaydissemination(g, me, p, n, ways=1):
    got = []
    d = 1
    while d < p:
        sends = [g.send(n, (me + w * d) % p) for w in range(1, ways + 1)]
        if got:
            last = got[0]
            for w in range(1, ways):
                c = g.calc(n)
                g.requires(c, got[w], last)
                last = c
            c = g.calc(n)
            g.requires(c, got[0])
            g.requires(sends[-1], last)
            for s in sends:
                g.requires(s, c)
        got = [g.recv(n, (me - w * d) % p) for w in range(1, ways + 1)]
        d *= ways + 1


def pipelinedring(g, me, p, n, segment=256):
    for at in range(0, n, segment):
        size = min(segment, n - at)
        got = g.recv(size, me - 1) if me > 0 else None
        if me + 1 < p:
            g.requires(g.send(size, me + 1), got)


def pipelinedringdep(g, me, p, n, segment=256):
    sent = None
    for at in range(0, n, segment):
        size = min(segment, n - at)
        got = g.recv(size, me - 1) if me > 0 else None
        now = g.send(size, me + 1) if me + 1 < p else None
        if now and got:
            g.requires(now, got)
        if got and sent:
            g.requires(got, sent)
        sent = now


def doublering(g, me, p, n):
    for step in (1, -1):
        s = g.send(n, (me + step) % p)
        r = g.recv(n, (me - step) % p)
        if me > 0:
            g.requires(s, r)


def gather(g, me, p, n):
    if me > 0:
        g.send(n, 0)
    for i in range(1, p if me == 0 else 1):
        g.recv(n, i)


def scatter(g, me, p, n):
    if me > 0:
        g.recv(n, 0)
    for i in range(1, p if me == 0 else 1):
        g.send(n, i)


def linbarrier(g, me, p, n):
    del n
    if me > 0:
        g.send(1, 0)
        g.recv(1, 0)
        return
    all_here = g.calc(0)
    for i in range(1, p):
        r = g.recv(1, i)
        s = g.send(1, i)
        g.requires(all_here, r)
        g.requires(s, all_here)


def random_bisect(g, me, p, n):
    if me < p // 2:
        g.send(n, me + p // 2)
    else:
        g.recv(n, me - p // 2)


def random_bisect_fd_sym(g, me, p, n):
    if me < p // 2:
        g.send(n, me + p // 2)
        g.recv(n, me + p // 2)
    else:
        g.recv(n, me - p // 2)
        g.send(n, me - p // 2)


def linear_alltoall(g, me, p, n):
    for step in range(1, p):
        g.send(n, (me + step) % p)
        g.recv(n, (me - step) % p)


def allreduce_recdoub(g, me, p, n):
    got = None
    sizes = [(n >> (i + 1), 1 << i) for i in range(p.bit_length() - 1)]
    for size, mask in sizes + sizes[::-1]:
        g.requires(g.send(size, me ^ mask), got)
        got = g.recv(size, me ^ mask)


def allreduce_ring(g, me, p, n):
    got = None
    for _ in range(2 * (p - 1)):
        g.requires(g.send(n // p, (me + 1) % p), got)
        got = g.recv(n // p, (me - 1) % p)


PATTERNS = [binomialtreebcast, binomialtreereduce, binarytreebcast, dissemination,
            nwaydissemination, pipelinedring, pipelinedringdep, doublering, gather, scatter,
            linbarrier, random_bisect, random_bisect_fd_sym, linear_alltoall, allreduce_recdoub,
            allreduce_ring]


def text_of(name, p, n):
    pattern = {f.__name__: f for f in PATTERNS}[name]
    text = "num_ranks %d\n" % p
    for me in range(p):
        g = Rank()
        pattern(g, me, p, n)
        text += "\nrank %d {\n%s}\n" % (me, "".join(line + "\n" for line in g.lines))
    return text


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(*[f.__name__ for f in PATTERNS])
    else:
        numbers = [int(word) for word in sys.argv[2:]] + [8, 1024][len(sys.argv) - 2:]
        sys.stdout.write(text_of(sys.argv[1], *numbers))

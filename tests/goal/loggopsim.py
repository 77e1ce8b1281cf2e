#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What LogGOPSim says of a GOAL file, by its rules (docs/goal.md), with O = 0 and no rendezvous: an
independent reading of them, slow and short, for the tests. It prints the time in ns; and "tie" where
events of different ranks at one time could have decided, which LogGOPSim takes in the order in which
it made them, and liblogp by rank: two messages to a rank are sent at one time, or one is sent at the
time at which an operation of its receiver is freed.

usage: tests/goal/loggopsim.py FILE L o g G        all in ns
"""
import heapq
import re
import sys

SEND, RECV, CALC, MESSAGE = range(4)


def read(text):
    """By rank the operations, each [kind, size, peer, tag], and for each what waits for it."""
    ranks = [None] * int(re.search(r"num_ranks\s+(\d+)", text).group(1))
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    for number, body in re.findall(r"rank\s+(\d+)\s*{([^}]*)}", text):
        ops, labels, edges = [], {}, []
        for line in body.split("\n"):
            order = re.match(r"\s*(\w+)\s+(i?)requires\s+(\w+)", line)
            op = re.match(r"\s*(?:(\w+)\s*:)?\s*(send|recv|calc)\s+(\d+)(.*)", line)
            if order:
                edges.append(order.groups())
            elif op:
                label, kind, size, rest = op.groups()
                peer = re.search(r"(?:to|from)\s+(-?\d+)", rest)
                tag = re.search(r"tag\s+(-?\d+)", rest)
                labels[label] = len(ops)
                ops.append([("send", "recv", "calc").index(kind), int(size),
                            int(peer.group(1)) if peer else 0, int(tag.group(1)) if tag else 0])
        after = {i: ([], []) for i in range(len(ops))}  # its end, its beginning
        waits = [0] * len(ops)
        for later, starts, earlier in edges:
            after[labels[earlier]][starts == "i"].append(labels[later])
            waits[labels[later]] += 1
        ranks[int(number)] = (ops, after, waits)
    return [r or ([], {}, []) for r in ranks]


class Simulation:
    def __init__(self, ranks, L, o, g, G):
        self.ranks, self.L, self.o, self.g, self.G = ranks, L, o, g, G
        P = len(ranks)
        self.cpu, self.sends, self.recvs = [0] * P, [0] * P, [0] * P
        self.posted, self.unexpected = [[] for _ in range(P)], [[] for _ in range(P)]
        self.queue, self.stamp = [], 0
        self.now, self.sent, self.freed, self.tie = 0, set(), set(), False
        for rank, (ops, _, waits) in enumerate(ranks):
            self.put(rank, sorted((i for i in range(len(ops)) if waits[i] == 0),
                                  key=lambda i: ops[i][0]), first=True)

    def push(self, time, stamp, event):
        heapq.heappush(self.queue, (time, stamp, event))

    def put(self, rank, free, first=False):
        for i in free:
            kind = self.ranks[rank][0][i][0]
            time = max(self.cpu[rank], self.sends[rank]) if kind == SEND else self.cpu[rank]
            self.push(0 if first else time, self.stamp, (kind, rank, i))
            self.stamp += 1

    def free(self, rank, i, *which):
        """What waits for the end (0) or the beginning (1) of an operation."""
        ops, after, waits = self.ranks[rank]
        free = []
        for w in which:
            for later in after[i][w]:
                waits[later] -= 1
                if waits[later] == 0:
                    free.append(later)
        if free:
            self.freed.add((rank, self.now))
        self.put(rank, sorted(free, key=lambda k: ops[k][0]))

    @staticmethod
    def take(queue, src, tag):
        for k, (s, t, what) in enumerate(queue):
            if (s == src or -1 in (s, src)) and (t == tag or -1 in (t, tag)):
                del queue[k]
                return what
        return None

    def run(self):
        while self.queue:
            time, stamp, event = heapq.heappop(self.queue)
            kind, rank = event[:2]
            if kind == MESSAGE:
                later = max(self.cpu[rank], self.recvs[rank])
            elif kind == SEND:
                later = max(self.cpu[rank], self.sends[rank])
            else:
                later = self.cpu[rank] if kind == CALC else 0
            if later > time:
                self.push(later, stamp, event)
                continue
            self.act(time, event)
        assert not any(self.posted) and not any(self.unexpected)
        self.tie |= not self.sent.isdisjoint(self.freed)
        return max(self.cpu)

    def act(self, time, event):
        kind, rank = event[:2]
        self.now = time
        if kind == MESSAGE:
            _, _, src, tag, size = event
            streams = (size - 1) * self.G
            self.cpu[rank] = time + self.o + streams
            self.recvs[rank] = time + self.g + streams
            i = self.take(self.posted[rank], src, tag)
            if i is None:
                self.unexpected[rank].append((src, tag, True))
            else:
                self.free(rank, i, 0)
            return
        i = event[2]
        _, size, peer, tag = self.ranks[rank][0][i]
        if kind == CALC:
            self.cpu[rank] = time + size
            self.free(rank, i, 1, 0)
        elif kind == SEND:
            self.cpu[rank] = time + self.o
            self.sends[rank] = time + self.g + (size - 1) * self.G
            self.tie |= (peer, time) in self.sent
            self.sent.add((peer, time))
            self.push(time + self.o + self.L, self.stamp, (MESSAGE, peer, rank, tag, size))
            self.stamp += 1
            self.free(rank, i, 1, 0)
        elif self.take(self.unexpected[rank], peer, tag):
            self.free(rank, i, 1, 0)
        else:
            self.posted[rank].append((peer, tag, i))
            self.free(rank, i, 1)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        simulation = Simulation(read(file.read()), *map(int, sys.argv[2:6]))
    print(simulation.run(), "tie" if simulation.tie else "")

# SPDX-License-Identifier: MIT
"""For gdb: the ranks of `logp mpirun --gdb`. Each rank is a thread, with a copy of the executable, so a
name such as `counter` stands for as many globals as there are ranks; gdb takes any of them.

rank 3                    choose rank 3
ranks counter             the global of each rank
print $global("counter")  the global of the rank that is chosen; $global("counter", 3): of rank 3
"""
import os
import re

import gdb


def copies():
    """The copy of the executable of each rank. A copy is a file in memory: /memfd:rank3 (deleted)"""
    found = {}
    for objfile in gdb.objfiles():
        try:
            name = re.match(r"/memfd:rank(\d+) ", os.readlink(objfile.filename))
        except OSError:
            continue
        if name:
            found[int(name.group(1))] = objfile
    if not found:
        raise gdb.GdbError("no rank has been started: type run")
    return found


def rank_of(thread):
    name = re.fullmatch(r"rank (\d+)", (thread.name if thread else None) or "")
    return int(name.group(1)) if name else None


def value(name, rank):
    copy = copies().get(rank)
    if copy is None:
        raise gdb.GdbError("there is no rank %s" % rank)
    static = copy.lookup_static_symbol(name)
    symbol = static or copy.lookup_global_symbol(name)
    if symbol is None:
        raise gdb.GdbError("no global %s in the program (compile it with -g)" % name)
    # gdb takes the address of a global from any copy: this copy's own list of symbols has its own
    symbols = gdb.execute("maint print msymbols -objfile %s" % copy.filename, to_string=True)
    address = re.search(r" (0x[0-9a-f]+) %s(?:@| |$)" % re.escape(symbol.linkage_name), symbols, re.M)
    if static or address is None:
        return symbol.value()
    return gdb.Value(int(address.group(1), 16)).cast(symbol.type.pointer()).dereference()


class Rank(gdb.Command):
    """Choose a rank: rank NUMBER"""

    def __init__(self):
        super().__init__("rank", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("usage: rank NUMBER")
        rank = int(gdb.parse_and_eval(argument))
        for thread in gdb.selected_inferior().threads():
            if rank_of(thread) == rank:
                gdb.execute("thread %d" % thread.num)
                return
        raise gdb.GdbError("there is no thread of rank %d" % rank)


class Ranks(gdb.Command):
    """The global NAME of each rank: ranks NAME"""

    def __init__(self):
        super().__init__("ranks", gdb.COMMAND_DATA, gdb.COMPLETE_SYMBOL)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("usage: ranks NAME")
        for rank in sorted(copies()):
            print("rank %d: %s" % (rank, value(argument, rank)))


class Global(gdb.Function):
    """The global of a rank: $global("NAME"), of the rank that is chosen; $global("NAME", RANK)"""

    def __init__(self):
        super().__init__("global")

    def invoke(self, name, rank=None):
        chosen = rank_of(gdb.selected_thread()) if rank is None else int(rank)
        if chosen is None:
            raise gdb.GdbError("no rank is chosen: type rank NUMBER")
        return value(name.string(), chosen)


Rank()
Ranks()
Global()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A trace for Perfetto, read back by protoc, says what the same trace says as JSON: all slices, on
their tracks, with both ends; flows from sends to receives; marks; the (k-1)G of long messages, by LogGP.
Without the JSON: all but what.

usage: tests/trace/pftrace.py FILE.pftrace [FILE.json]
"""
import json
import os
import subprocess
import sys
import zlib
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))


def decode(data):
    """The packets as protoc prints them: a list of dicts of lists."""
    text = subprocess.run(["protoc", "--decode=Trace", "-I", HERE, "perfetto.proto"], input=data,
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    stack = [defaultdict(list)]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            inner = defaultdict(list)
            stack[-1][line[:-2]].append(inner)
            stack.append(inner)
        elif line == "}":
            stack.pop()
        else:
            key, value = line.split(": ", 1)
            if key.isdigit():
                sys.exit("a field without a name: " + line)
            stack[-1][key].append(value)
    return stack[0]["packet"]


def unquote(text):
    """A string of protobuf's text format as bytes."""
    return (text[1:-1].encode("latin-1").decode("unicode_escape")).encode("latin-1")


def packets_of(data):
    for packet in decode(data):
        if "compressed_packets" in packet:
            yield from decode(zlib.decompress(unquote(packet["compressed_packets"][0])))
        else:
            yield packet


def number(message, key, preset=None):
    return int(message[key][0]) if key in message else preset


class Sequence:
    """What packets of one sequence refer to."""

    def __init__(self, packet):
        assert number(packet, "sequence_flags") == 1
        defaults = packet["trace_packet_defaults"][0]
        clocks = {number(c, "clock_id"): c for c in packet["clock_snapshot"][0]["clocks"]}
        self.clock = number(defaults, "timestamp_clock_id")
        assert clocks[self.clock]["is_incremental"] == ["true"] and 6 in clocks
        self.track = number(defaults["track_event_defaults"][0], "track_uuid")
        self.now = number(clocks[self.clock], "timestamp")
        self.tables = {"event_names": {}, "event_categories": {}, "debug_annotation_names": {}}
        self.open = None
        self.learn(packet)

    def learn(self, packet):
        for data in packet.get("interned_data", []):
            for table, entries in self.tables.items():
                for entry in data.get(table, []):
                    iid = number(entry, "iid")
                    assert iid not in entries, "a number stands for two names"
                    entries[iid] = unquote(entry["name"][0]).decode()


def read(path):
    """Tracks by uuid, and slices (track, name, category, start, end, flows, ended flows, notes)."""
    tracks, slices, sequences = {}, [], {}
    with open(path, "rb") as file:
        data = file.read()
    for packet in packets_of(data):
        sid = number(packet, "trusted_packet_sequence_id")
        if "track_descriptor" in packet:
            t = packet["track_descriptor"][0]
            assert number(t, "uuid") not in tracks, "two tracks with one uuid"
            tracks[number(t, "uuid")] = (unquote(t["name"][0]).decode(), number(t, "parent_uuid"),
                                         number(t, "sibling_order_rank", 0))
            continue
        if "clock_snapshot" in packet:
            assert sid not in sequences
            sequences[sid] = Sequence(packet)
            continue
        s = sequences[sid]
        assert number(packet, "sequence_flags") == 2
        s.learn(packet)
        s.now += number(packet, "timestamp")
        event = packet["track_event"][0]
        kind = event["type"][0]
        if kind == "TYPE_SLICE_END":
            assert s.open is not None, "an end without a beginning"
            s.open["end"] = s.now
            s.open = None
            continue
        assert s.open is None, "slices overlap"
        found = {
            "track": s.track, "start": s.now, "end": s.now if kind == "TYPE_INSTANT" else None,
            "name": s.tables["event_names"][number(event, "name_iid")],
            "category": "".join(s.tables["event_categories"][int(i)]
                                for i in event.get("category_iids", [])),
            "flows": [int(i, 0) for i in event.get("flow_ids", [])],
            "ended": [int(i, 0) for i in event.get("terminating_flow_ids", [])],
            "notes": {s.tables["debug_annotation_names"][number(n, "name_iid")]:
                      number(n, "uint_value") for n in event.get("debug_annotations", [])},
            "instant": kind == "TYPE_INSTANT"}
        slices.append(found)
        if kind == "TYPE_SLICE_BEGIN":
            s.open = found
    assert all(s["end"] is not None for s in slices), "a slice without an end"
    assert len({s.track for s in sequences.values()}) == len(sequences)
    return tracks, slices


def name_of(e):
    if e["fate"] == "endless":
        return "waits for ever"
    words = {"send": "send to %s", "receive": "receive from %s", "mark": e["label"] or "mark"}
    if e["kind"] in words and (e["peer"] is not None or e["kind"] == "mark"):
        return words[e["kind"]].replace("%s", str(e["peer"]))
    return e["kind"]


def expected(trace):
    """The same slices, from the JSON."""
    n_messages = sum(e["kind"] == "send" for e in trace["events"])
    G = (trace["parameters"] or {"G_ps_per_byte": 0})["G_ps_per_byte"]
    free = defaultdict(int)  # by rank: the end of the message that its port has streamed last
    got = defaultdict(int)
    out = []
    for e in trace["events"]:
        if e["kind"] == "idle" and e["fate"] != "endless":
            continue
        port = e["kind"] in ("gap", "stall")
        lost = "dropped" in (e["fate"] or "")
        flies = e["kind"] == "send" and (e["arrival_ns"] or 0) > e["end_ns"]
        begun, ended = [], []
        if e["kind"] == "send":
            begun = [e["message"] + 1 + n_messages * i for i in range(max(e["received"], flies))]
        elif e["kind"] == "receive" and e["message"] is not None:
            ended = [e["message"] + 1 + n_messages * got[e["message"]]]
            got[e["message"]] += 1
        notes = {k: e[k] for k in ("bytes", "tag", "late_ns") if e[k]}
        out.append(("P%d" % e["rank"], "port" if port else "processor", name_of(e),
                    e["label"] or "", e["start_ns"], e["end_ns"], begun, ended, notes))
        stream = -(-(e["bytes"] - 1) * G // 1000) if e["kind"] == "send" and e["arrival_ns"] is not None else 0
        if stream > 0:
            start, free[e["rank"]] = max(e["end_ns"], free[e["rank"]]), e["end_ns"] + stream
            out.append(("P%d" % e["rank"], "port streams (k-1)G", "stream to %d" % e["peer"], e["label"] or "",
                        start, e["end_ns"] + stream, [], [], {"bytes": e["bytes"]}))
        if flies:
            copies = 2 if "duplicated" in (e["fate"] or "") else 1
            word = "lost: to" if lost else "never received: to" if e["received"] < copies else "to"
            arrival = e["end_ns"] + (e["arrival_ns"] - e["end_ns"]) // 2 if lost else e["arrival_ns"]
            flow, over = (begun, []) if e["received"] > 0 else ([], begun)
            out.append(("P%d" % e["rank"], "in flight", "%s %d" % (word, e["peer"]), e["label"] or "",
                        e["end_ns"], arrival, flow, over, {}))
    return out


def compare(tracks, slices, trace):
    found = [(tracks[tracks[s["track"]][1]][0], tracks[s["track"]][0], s["name"], s["category"],
              s["start"], s["end"], s["flows"], s["ended"], s["notes"]) for s in slices]
    key = lambda s: s[:6] + (s[6], s[7])
    found.sort(key=key)
    wanted = sorted(expected(trace), key=key)
    if found != wanted:
        for a, b in zip(found, wanted):
            if a != b:
                sys.exit("found %r\ninstead of %r" % (a, b))
        sys.exit("%d slices instead of %d" % (len(found), len(wanted)))

def main():
    tracks, slices = read(sys.argv[1])
    roots = [uuid for uuid, t in tracks.items() if t[1] is None]
    assert len(roots) == 1
    ranks = sorted((t[2], t[0]) for t in tracks.values() if t[1] == roots[0])
    assert ranks == [(r, "P%d" % r) for r in range(len(ranks))]
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            trace = json.load(file)
        assert len(ranks) == trace["P"]
        compare(tracks, slices, trace)
    begun = defaultdict(int)
    ended = defaultdict(int)
    for s in slices:
        for i in s["flows"]:
            begun[i] += 1
        for i in s["ended"]:
            ended[i] += 1
    assert begun.keys() == ended.keys() and all(n == 1 for n in ended.values()), "a flow's end"
    print("%d slices, %d flows, %d tracks" % (len(slices), len(begun), len(tracks)))


main()

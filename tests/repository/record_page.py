#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/records.md describes each field that the commands print, and nothing else.

The tables of the page are compared with the union of what the commands below print: the fields, the unit
that is in a name, and that a field that is never empty has a value in each record.

usage: tests/repository/record_page.py LOGP
"""
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

PAGE = os.path.abspath(os.path.join(__file__, "../../../docs/records.md"))
UNITS = [(r"_ns_per_byte$", "ns per byte"), (r"_ps_per_byte$", "ps per byte"), (r"_ns(\.[a-z0-9]+)?$", "ns"), (r"_ps$", "ps")]
PARAMETERS = {"L", "o", "o_send", "o_recv", "g", "G", "gamma"}
NAMED = {"intervals_ns", "fit", "curves"}  # their keys are parameters
TEXTS = {"row"}                            # its keys are labels
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("LOGP_")}
RUN = "--clock virtual --cores 0"

COMPARED = "bench broadcast -P 2,4 %s --save x.json && bench broadcast -P 2,4 %s --against x.json" % (RUN, RUN)

# Table number i of a section: the commands that print its fields, and where in their JSON those lie.
CASES = [
    ("Runs, predictions and sweeps", 0, "json", None, [
        "run broadcast --algo all --bytes 64 --nodes 2x4 --inter L=9,o=3,g=5,G=1ns --link 0-1:L=9 " + RUN,
        "run transpose --algo all " + RUN, "run reduce --algo all " + RUN,
        "run alltoall --algo all -P 4 --topology ring --rendezvous 0 " + RUN,
        "run broadcast --fault drop:1@0-4 " + RUN, "run broadcast -P 2 --unit 1us --reps 8 --executor fiber",
        "predict barrier -P 8 --nodes 2x2x2 --inter L=9 --inter L=7,o=3,g=5,G=1ns",
        "run gather -P 2 --counts 8,16 " + RUN, "run barrier -P 2 --machine cm5 " + RUN,
        "predict broadcast --algo all --arrival late@1:5", "predict broadcast --arrival none,late@1:5", COMPARED,
        "predict --schedule {0}/concurrent.goal,{0}/concurrent.goal".format(os.path.join(os.path.dirname(PAGE), "../tests/goal"))]),
    ("Explanations", 0, "json", "explain", [
        "predict broadcast --explain", "run allreduce --algo all --explain --gamma 1 -G 1ns " + RUN]),
    ("Comparisons of two algorithms", 0, "json", "versus", [
        "explain broadcast optimal binomial", "explain broadcast flat chain -P 2",
        "explain transpose ring ring-window --pack 3"]),
    ("Crossovers", 0, "json", None, [
        "bench crossover allreduce -P 4 -G 0.01 --count 1..4k*8 --measure " + RUN, "bench crossover barrier -P 2,4"]),
    ("Crossovers", 0, "csv", None, ["bench crossover allreduce -P 4 -G 0.01 --count 1..4k*8"]),
    ("Lists", 0, "json", None, ["list"]),
    ("Lists", 0, "csv", None, ["list"]),
    ("Trees", 0, "json", None, [
        "tree broadcast", "tree summation", "tree reduce --algo binomial", "tree broadcast --o-recv 3"]),
    ("Trees", 1, "csv", None, ["tree broadcast", "tree summation"]),
    ("Schedules", 0, "json", None, ["schedule broadcast", "schedule reduce --gamma 1", "schedule transpose --pack 1",
        "schedule transpose --rows 16 --cols 16"]),
    ("Traces", 0, "json", None, [
        "trace broadcast " + RUN, "trace broadcast --fault drop:1@0-4 " + RUN, "trace broadcast --predicted",
        "trace reduce --gamma 1 " + RUN, "trace broadcast -P 2 --delay none",
        "trace broadcast --unit 10ns"]),  # no host is that fast: it parts from its prediction
    ("Measured machines", 0, "json", None, [
        "measure --bytes 1..1k --gamma 2 " + RUN, "measure --delay none --bytes 1..8 --reps 5"]),
    ("Measured machines", 1, "csv", None, ["measure --bytes 1..64 " + RUN]),
    ("Validations", 0, "json", None, ["validate allreduce --on dash -P 2,4 --bytes 8 --fit " + RUN]),
    ("Validations", 1, "csv", None, ["validate broadcast --on dash -P 2 --bytes 8 " + RUN]),
    ("Tables for an MPI", 0, "tune", None, ["tune broadcast allgather -P 4 --bytes 1..64k"]),
    ("Papers", 0, "json", None, ["paper sun --clock virtual", "paper shou-chen --clock virtual"]),
    ("Papers", 1, "csv", None, ["paper sun --clock virtual"]),
]


def wrong_units(page):
    """How many fields have another unit than the one in their name."""
    wrong = 0
    for name, unit in re.findall(r"^\| `([^`]+)` \| ([^|]*)\|", page, re.M):
        said = [u for pattern, u in UNITS if re.search(pattern, name)]
        if said and unit.strip() != said[0]:
            wrong += 1
            print("%s: the unit is '%s'" % (name, unit.strip()))
    return wrong


def described(page):
    """The tables of each section: a field, and whether it is never empty."""
    sections = {}
    for part in re.split(r"^## ", page, flags=re.M)[1:]:
        title, _, text = part.partition("\n")
        tables = re.split(r"^\|---.*$", text, flags=re.M)[1:]
        sections[title] = [dict((name, empty.strip() == "never") for name, empty in
                                re.findall(r"^\| `([^`]+)` \|.*\|([^|]*)\|$", t, re.M)) for t in tables]
    return sections


def fields(value, path=""):
    """Each field of a value of JSON: its path, and whether it has a value."""
    last = path.rsplit(".", 1)[-1]
    if isinstance(value, dict) and value and last not in TEXTS:
        for key, inner in value.items():
            named = last in NAMED and key in PARAMETERS
            yield from fields(inner, (path + "." if path else "") + ("NAME" if named else key))
    elif isinstance(value, list) and value and isinstance(value[0], (dict, list)) and last != "intervals_ns":
        for inner in value:
            yield from fields(inner, path + "[]")
    else:
        yield path, value is not None


def printed(logp, command, form, within):
    """Each field that a command prints, as often as it does."""
    option = {"json": "--format json", "csv": "--format csv", "tune": "--export csv"}[form]
    with tempfile.TemporaryDirectory() as folder:
        for part in command.split(" && "):  # what the last of them prints
            done = subprocess.run([logp] + shlex.split(part + " " + option), cwd=folder, text=True, timeout=240,
                                  check=False, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not done.stdout:
        raise SystemExit("logp %s: %s" % (command, done.stderr))
    if form == "json":
        records = json.loads(done.stdout)
        records = records if isinstance(records, list) else [records]
        for record in records:
            yield from fields(record if within is None else record[within])
    else:
        for record in csv.DictReader(io.StringIO(done.stdout)):
            yield from ((key, value != "") for key, value in record.items())


def in_csv(name):
    """The column of a field of an object: measured_ns.min is measured_min_ns."""
    if "." not in name:
        return name
    outer, inner = name.split(".")
    return outer[:-3] + "_" + inner + "_ns" if outer.endswith("_ns") else outer + "_" + inner


def compare(what, seen, table):
    """How often the two differ; an object that is null or empty says nothing of its fields."""
    parents = {n for n in seen if any(t.startswith((n + ".", n + "[]")) for t in table)}
    wrong = ["%s: %s is not described" % (what, n) for n in sorted(set(seen) - parents - set(table))]
    wrong += ["%s: nothing has %s" % (what, n) for n in table if n not in seen]
    wrong += ["%s: %s is empty" % (what, n) for n, never in table.items() if never and not seen.get(n, True)]
    print("".join(line + "\n" for line in wrong), end="")
    return len(wrong)


def main(logp):
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    sections, wrong = described(page), wrong_units(page)
    for title, number, form, within, commands in CASES:
        seen = {}
        for command in commands:
            for name, has_value in printed(logp, command, form, within):
                seen[name] = seen.get(name, True) and has_value
        wrong += compare("%s, %s" % (title, form), seen, sections[title][number])
    table = sections["Runs, predictions and sweeps"][0]
    columns = [name for name, _ in printed(logp, COMPARED, "csv", None)]
    wrong += compare("sweeps, csv", dict.fromkeys(columns, True), {in_csv(n): False for n in table})
    print("%d tables, %d fields differ from what is printed" % (len(CASES), wrong))
    return 1 if wrong else 0


sys.exit(main(os.path.abspath(sys.argv[1])))

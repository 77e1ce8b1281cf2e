# SPDX-License-Identifier: MIT
"""The module `logp`: what it gives is what the command gives."""
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pandas
import pytest

import logp
from logp.command import option_words

COMMAND = os.environ["LOGP_COMMAND"]


def said(*words):
    """What the command writes to stdout."""
    return subprocess.run([COMMAND, *words], stdout=subprocess.PIPE, check=True).stdout.decode()


def test_keyword_arguments_are_options():
    assert option_words({"P": 8, "o_send": "2us", "capacity": True, "root": None, "explain": False, "as_": "reduce"}) == [
        "-P", "8", "--o-send", "2us", "--capacity", "--as", "reduce"]
    assert option_words({"P": range(2, 5), "algo": ("flat", "chain")}) == ["-P", "2,3,4", "--algo", "flat,chain"]
    assert option_words({"link": ["0-1:L=3us", "1-2:L=5us"], "inter": "L=9us"}) == [
        "--link", "0-1:L=3us", "--link", "1-2:L=5us", "--inter", "L=9us"]


def test_records_are_those_of_the_command():
    words = ["predict", "broadcast", "-P", "16", "--algo", "all", "--format"]
    records = logp.predict("broadcast", P=16, algo="all")
    assert records.plain() == json.loads(said(*words, "json"))
    assert records[0].P == records[0]["P"] == 16 and records[0].count is None
    with pytest.raises(AttributeError, match="no field 'nothing'"):
        records[0].nothing


def test_a_frame_has_the_columns_and_values_of_csv():
    words = ["run", "broadcast", "-P", "8", "--algo", "flat,optimal", "--clock", "virtual", "--format", "csv"]
    frame = logp.run("broadcast", P=8, algo="flat,optimal", clock="virtual").frame()
    rows = list(csv.DictReader(io.StringIO(said(*words))))
    assert list(frame["emulated_median_ns"]) == [int(row["emulated_median_ns"]) for row in rows]
    empty = {"measured_ns", "lag_ns", "interval_ns", "inter", "inter_sockets", "change"}  # objects that are empty in all records: one column each
    assert set(frame.columns) - empty <= set(rows[0])
    assert isinstance(frame, pandas.DataFrame)


def test_the_best_record_has_the_least_time():
    records = logp.predict("broadcast", P=8, algo="flat,chain,optimal")
    assert records.best().algorithm == "optimal" and records.best().predicted_ns == 240000
    assert [record.algorithm for record in records.where(algorithm="chain")] == ["chain"]


def test_an_error_has_the_text_and_the_exit_code():
    with pytest.raises(logp.LogpError) as told:
        logp.predict("broadcast", P=0)
    assert told.value.code == 2 and str(told.value) == told.value.text and "-P 0" in told.value.text
    with pytest.raises(logp.LogpError, match="--foo: no such option"):
        logp.run("broadcast", foo=1)


def test_a_wrong_result_is_an_error_with_its_records():
    with pytest.raises(logp.LogpError) as told:
        logp.run("broadcast", P=4, clock="virtual", fault="drop:1")
    assert told.value.code == 1 and json.loads(told.value.output)[0]["failed"] == 1


def test_without_the_command_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setenv("LOGP_COMMAND", "/nowhere/logp")
    with pytest.raises(FileNotFoundError, match="LOGP_COMMAND"):
        logp.predict("broadcast")


def test_a_sweep_has_all_points_and_draws_its_curves():
    sweep = logp.sweep("broadcast", P=[2, 4, 8], algo=["flat", "optimal"], clock="virtual")
    assert [(record.P, record.algorithm) for record in sweep] == [(P, algo) for P in (2, 4, 8) for algo in ("flat", "optimal")]
    assert sweep.plot(title="Three machines").svg.count("Three machines") >= 1
    assert logp.plot(sweep).svg == sweep.plot().svg


@pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="there is no rsvg-convert")
def test_curves_of_a_sweep_are_saved_as_png(tmp_path):
    logp.sweep("broadcast", P=[2, 4], clock="virtual").plot().save(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_a_sweep_is_kept_in_its_file(tmp_path, suffix):
    name = tmp_path / ("sweep." + suffix)
    sweep = logp.sweep("broadcast", P=[2, 4], algo="optimal", clock="virtual", output=name)
    again = logp.load(name)
    assert again.plain() == sweep.plain() and [record.P for record in again] == [2, 4]


def test_a_file_with_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match="ends in .json, .jsonl or .csv"):
        (tmp_path / "x.txt").write_text("")
        logp.load(tmp_path / "x.txt")


@pytest.mark.parametrize("picture", [logp.trace("broadcast", P=4, clock="virtual"), logp.tree("broadcast", P=4),
                                     logp.explain("broadcast", "binomial", "optimal"),
                                     logp.plot("broadcast", P=[2, 4], clock="virtual")], ids=repr)
def test_pictures_show_themselves(picture, tmp_path):
    assert picture._repr_svg_().startswith("<svg ") and picture.svg is picture.svg
    picture.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text() == picture.svg


def test_views_have_their_data():
    assert [event.kind for event in logp.trace("broadcast", P=2, clock="virtual").events if event.rank == 1] == ["idle", "receive"]
    shown = repr(logp.trace("broadcast", P=2, clock="virtual").events).splitlines()
    assert shown[0].split()[:3] == ["rank", "kind", "start_ns"]
    assert logp.tree("broadcast").record.nodes[0].children == [1, 4, 6, 7]
    assert logp.explain("broadcast", "binomial", "optimal").records[0].versus.difference_ns == -60000


def test_a_schedule_that_was_found_can_be_predicted(tmp_path):
    found = logp.search("broadcast", P=4)
    assert "none is faster" in found.text and found.P == len(found.ranks) == 4
    found.save(tmp_path / "found.json")
    assert logp.predict(schedule=tmp_path / "found.json", as_="broadcast")[0].predicted_ns == 180000
    assert logp.schedule("broadcast", P=3).ranks[1][0].op == "recv"


def test_a_measured_machine_predicts_what_the_emulated_one_takes(tmp_path):
    machine = logp.machine(clock="virtual", L="3us", o="1us", g="2us")
    right = logp.predict("broadcast", L="3us", o="1us", g="2us").best().predicted_ns
    assert logp.predict("broadcast", **machine.options).best().predicted_ns == right
    machine.save(tmp_path / "host.machine")
    assert logp.predict("broadcast", machine=tmp_path / "host.machine").best().predicted_ns == right


@pytest.mark.parametrize("function", [logp.machine, lambda **more: logp.schedule("broadcast", **more),
                                      lambda **more: logp.search("broadcast", P=3, **more)])
@pytest.mark.parametrize("name", ["out", "output"])
def test_an_answer_for_python_is_not_written_elsewhere(function, name, tmp_path):
    with pytest.raises(ValueError, match="write the answer with its save"):
        function(**{name: tmp_path / "x"})


def test_several_plugins_are_several_options():
    with pytest.raises(logp.LogpError, match="--plugin /nowhere/a.so: "):
        logp.predict("broadcast", plugin=["/nowhere/a.so", "/nowhere/b.so"])


def test_tables_for_an_mpi():
    assert logp.tune("broadcast", P=[4])[0].collective == "broadcast"
    assert "coll_tuned_dynamic_rules_filename" in logp.tune("broadcast", P=[4], G=0.01, export="openmpi")


def test_lists():
    assert "broadcast" in [record.name for record in logp.collectives()]
    assert logp.algorithms("broadcast")[0].name == "flat" and "cm5" in [record.name for record in logp.machines()]
    assert logp.version() == said("--version").split()[1]


def test_an_mpi_program_and_its_report(tmp_path):
    compiler = os.path.join(os.path.dirname(COMMAND), "logp-cc")
    if not os.path.exists(compiler):
        pytest.skip("built without MPI")
    source = tmp_path / "ranks.c"
    source.write_text("#include <mpi.h>\n#include <stdio.h>\n"
                      "int main(int n, char **words) { int rank; MPI_Init(&n, &words); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                      "MPI_Barrier(MPI_COMM_WORLD); printf(\"%d %s\\n\", rank, words[1]); MPI_Finalize(); return n == 3 ? 5 : 0; }\n")
    program = str(tmp_path / "ranks")
    subprocess.run([compiler, str(source), "-o", program], check=True)
    done = logp.mpirun(program, "word", P=2, L="6us", o="2us", g="4us", clock="virtual", report=True)
    assert sorted(done.output.split("\n")) == ["", "0 word", "1 word"]
    assert {call.call for call in done.report.calls} >= {"MPI_Init", "MPI_Barrier"}
    with pytest.raises(logp.LogpError) as told:
        logp.mpirun(program, "word", "more", P=2)
    assert told.value.code == 5 and b"0 word" in told.value.output


def test_progress_is_shown_and_is_no_error_text(capsys):
    logp.sweep("broadcast", P=[2, 4], clock="virtual", progress=True)
    assert "of 2 points" in capsys.readouterr().err
    with pytest.raises(logp.LogpError) as told:
        logp.sweep("broadcast", P=[2, 4], clock="virtual", fault="drop:1", progress=True)
    assert "\r" not in told.value.text and "points, " not in told.value.text.split("\n", 1)[-1]


def test_an_interrupt_ends_the_command_and_keeps_the_sweep(tmp_path):
    name = tmp_path / "sweep.csv"
    code = ("import logp\ntry:\n    logp.sweep('broadcast', P=[2, 4], unit='2ms', reps=100000, precision='0.0001%%', output=%r)\n"
            "except KeyboardInterrupt:\n    print('interrupted')\n" % str(name))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
        while process.poll() is None and not open(children).read():
            time.sleep(0.01)
        child = int(open(children).read().split()[0])
        while not name.exists():  # the sweep has begun
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.communicate()[0] == b"interrupted\n"
    assert not os.path.exists("/proc/%d" % child)


def test_several_threads_may_call():
    found = {}

    def ask(P):
        found[P] = logp.predict("broadcast", P=P, algo="flat")[0].predicted_ns

    threads = [threading.Thread(target=ask, args=(P,)) for P in (2, 4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {2: 100000, 4: 180000, 8: 340000}

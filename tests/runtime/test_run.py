"""A stream from file to file: what is published, what is refused and counted, and when it stops."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import crypsis
from crypsis.data.windows import read_windows, window_line, window_object, window_text
from crypsis.errors import (
    AllMalformed,
    BadRow,
    CapacityReached,
    ConfigurationChanged,
    DamagedCheckpoint,
    JournalMismatch,
    OutputExists,
    SinkBehind,
    StateInUse,
    TooManyBadEvents,
    VerificationFailed,
    WriteFailed,
)
from crypsis.runtime import StreamConfiguration, StreamRun, stream
from crypsis.verifiers.lkc_privacy import verify_lkc_privacy
from tests.runtime.brokers import free_port
from tests.runtime.streams import crowd, event, lively_lines, prepared, published, tables, windows_of


@pytest.mark.parametrize("mode", ["itsa", "cumulative", "static"])
def test_the_windows_are_those_of_the_recorded_stream(mode: str, tmp_path: Path) -> None:
    lines = [line for line in lively_lines(seed=2) if "op" not in line and '"t": ' in line and '"x"' not in line]
    stream(prepared(tmp_path / "run", lines, privacy={"mode": mode}))
    events = [json.loads(line) for line in lines]
    recorded = crypsis.Events.from_lists(
        [(one["id"], one["loc"], one["t"]) for one in events],
        sensitive={"sa": [one.get("sa", "none") for one in events]},
    )
    method = crypsis.ITSA(
        L=2,
        K=3,
        C="1/2",
        N=4,
        lateness=2,
        t0=1,
        mode=mode,
        sensitive_values=crypsis.SensitiveValues({"sa": ["ill"]}),
    )
    expected = crypsis.anonymize(recorded, method).data
    got = windows_of(tmp_path / "run")
    assert [sorted([tuple(one) for one in record["doublets"]] for record in window["records"]) for window in got] == [
        sorted(expected.rows(window)) for window in expected
    ]


def test_every_window_is_private_and_certified(tmp_path: Path) -> None:
    configuration = prepared(tmp_path / "run", lively_lines())
    stream(configuration)
    windows, certificates = published(tmp_path / "run")
    assert verify_lkc_privacy(read_windows(windows.splitlines()), configuration.method.guarantee).holds
    said = [json.loads(line) for line in certificates.splitlines()]
    assert [one["digest"] for one in said] == [one["digest"] for one in windows_of(tmp_path / "run")]
    assert all(one["verified"] and one["scope"] == "each window separately" for one in said)
    assert sum(one["erasures"] for one in said) > 0


def test_all_windows_together_are_private_in_cumulative_mode(tmp_path: Path) -> None:
    privacy = {"mode": "cumulative", "pseudonyms": "stable"}
    configuration = prepared(tmp_path / "run", lively_lines(), privacy=privacy)
    stream(configuration)
    lines = published(tmp_path / "run")[0].splitlines()
    assert verify_lkc_privacy(read_windows(lines, linkable=True), configuration.method.guarantee).holds


def test_an_epoch_renews_stable_pseudonyms(tmp_path: Path) -> None:
    privacy = {"mode": "cumulative", "pseudonyms": "stable", "N": 1, "lateness": 0}
    stream(prepared(tmp_path / "run", crowd(range(1, 5)), privacy=privacy, run={"pseudonym_epoch": 2}))
    names = [{record["p"] for record in window["records"]} for window in windows_of(tmp_path / "run")]
    assert names[0] == names[1] != names[2] == names[3]


def test_an_empty_stream_has_no_window_and_a_certificate_of_none(tmp_path: Path) -> None:
    done = stream(prepared(tmp_path / "run", []))
    assert (done["windows"], done["finished"], done["events"]) == (0, True, {})
    assert published(tmp_path / "run") == (b"", b"")


def test_an_unfinished_window_is_published_only_where_asked(tmp_path: Path) -> None:
    for name, flush, ends in (("without", False, []), ("with", True, [[1, 3]])):
        stream(prepared(tmp_path / name, crowd(range(1, 4)), privacy={"flush_partial": flush}))
        assert [[window["x"], window["y"]] for window in windows_of(tmp_path / name)] == ends


def test_bad_events_are_counted_and_their_place_is_kept(tmp_path: Path) -> None:
    lines = [
        *crowd(range(1, 9)),
        "nonsense",
        "[1]",
        event("", "a", 8),
        event("1", "a", 8.5),
        event("1", "a", True),
        event("1", "b", 0),
        event("1", "b", 1000),
        event("1", "a", 8),
        event("1", "ill", 8),
        event("1", "b", 2),
        event("1", "b", 8, sa="other"),
        json.dumps({"op": "dance"}),
        json.dumps({"op": "watermark", "t": "late"}),
    ]
    done = stream(prepared(tmp_path / "run", lines, run={"max_bad_fraction": 1.0}))
    assert done["events"] == {
        "accepted": 40,
        "bad_timestamp": 2,
        "before_origin": 1,
        "duplicate": 1,
        "future": 1,
        "late": 1,
        "malformed": 5,
        "sa_conflict": 1,
        "unknown_location": 1,
    }
    kept = (tmp_path / "run" / "state" / "refused.ndjson").read_text().splitlines()
    assert len(kept) == 7
    assert (tmp_path / "run" / "state" / "refused.ndjson").stat().st_mode & 0o077 == 0


def test_strict_stops_at_the_first_bad_event(tmp_path: Path) -> None:
    with pytest.raises(BadRow, match="malformed"):
        stream(prepared(tmp_path / "run", ["nonsense", *crowd(range(1, 9))], run={"strict": True}))


def test_too_many_bad_events_stop_before_the_next_publication(tmp_path: Path) -> None:
    lines = [*crowd(range(1, 5)), *["nonsense"] * 1000, *crowd(range(5, 20))]
    with pytest.raises(TooManyBadEvents):
        stream(prepared(tmp_path / "run", lines))
    assert windows_of(tmp_path / "run") == []


@pytest.mark.parametrize("limit", ["max_people", "max_events_in_window", "max_known_people", "max_waiting_events"])
def test_a_reached_limit_stops_before_anything_is_published(limit: str, tmp_path: Path) -> None:
    lines = crowd(range(1, 30))
    with pytest.raises(CapacityReached, match=limit):
        stream(prepared(tmp_path / "run", lines, run={limit: 4}))
    assert windows_of(tmp_path / "run") == []
    enough = StreamConfiguration.from_tables(tables(run={limit: 1000}), tmp_path / "run")
    assert stream(enough)["windows"] == 26


@pytest.mark.long
def test_a_run_that_is_stopped_goes_on(tmp_path: Path) -> None:
    lines = lively_lines(seed=6)
    stream(prepared(tmp_path / "whole", lines))
    configuration = prepared(tmp_path / "run", lines)
    stops = 0
    while True:
        running = StreamRun(configuration)
        running.listener = lambda observed, running=running: running.stop() if observed.latest else None
        if running.execute()["finished"]:
            break
        stops += 1
    assert stops > 10
    assert published(tmp_path / "run") == published(tmp_path / "whole")
    assert stream(configuration)["finished"]  # once more changes nothing
    assert published(tmp_path / "run") == published(tmp_path / "whole")


def begun(folder: Path, **changes: dict[str, Any]) -> StreamConfiguration:
    """A stream that was stopped after some windows."""
    configuration = prepared(folder, lively_lines(seed=6), **changes)
    running = StreamRun(configuration)
    running.listener = lambda observed: running.stop() if observed.windows > 10 else None
    assert not running.execute()["finished"]
    return configuration


def test_other_settings_cannot_go_on(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    with pytest.raises(ConfigurationChanged):
        stream(StreamConfiguration.from_tables(tables(privacy={"K": 2}), tmp_path / "run"))


def test_a_damaged_checkpoint_is_named_with_the_one_before(tmp_path: Path) -> None:
    configuration = begun(tmp_path / "run")
    before, newest = sorted((tmp_path / "run" / "state").glob("checkpoint-*"))
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    with pytest.raises(DamagedCheckpoint, match=before.name) as refused:
        stream(configuration)
    assert refused.value.where == str(newest)
    newest.unlink()  # as the message says
    stream(prepared(tmp_path / "whole", lively_lines(seed=6)))
    stream(configuration)
    assert published(tmp_path / "run") == published(tmp_path / "whole")


def test_a_source_that_does_not_repeat_itself_publishes_nothing(tmp_path: Path) -> None:
    configuration = begun(tmp_path / "run")
    for checkpoint in (tmp_path / "run" / "state").glob("checkpoint-*"):
        checkpoint.unlink()
    (tmp_path / "run" / "events.ndjson").write_text("\n".join(lively_lines(seed=7)), encoding="utf-8")
    before = published(tmp_path / "run")
    with pytest.raises(JournalMismatch):
        stream(configuration)
    assert published(tmp_path / "run") == before


def test_a_changed_journal_is_refused(tmp_path: Path) -> None:
    configuration = begun(tmp_path / "run")
    journal = tmp_path / "run" / "state" / "decisions.ndjson"
    journal.write_text(journal.read_text().replace('"seq": 3', '"seq": 2'))
    with pytest.raises(DamagedCheckpoint, match="journal is damaged"):
        stream(configuration)


def test_a_sink_with_windows_of_another_stream_is_not_touched(tmp_path: Path) -> None:
    configuration = begun(tmp_path / "run")
    kept = published(tmp_path / "run")
    for file in (tmp_path / "run" / "state").iterdir():
        file.unlink()
    with pytest.raises(OutputExists):
        stream(configuration)
    assert published(tmp_path / "run") == kept


def test_without_its_key_a_stream_does_not_go_on(tmp_path: Path) -> None:
    configuration = begun(tmp_path / "run")
    (tmp_path / "run" / "state" / "pseudonym.key").unlink()
    with pytest.raises(DamagedCheckpoint, match="key"):
        stream(configuration)


def test_two_processes_cannot_run_one_stream(tmp_path: Path) -> None:
    configuration = prepared(tmp_path / "run", lively_lines())

    def again(observed: object) -> None:
        with pytest.raises(StateInUse):
            stream(configuration)

    assert stream(configuration, listener=again)["finished"]


def test_a_full_disk_stops_the_stream_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lively_lines(seed=6)
    stream(prepared(tmp_path / "whole", lines))
    configuration = prepared(tmp_path / "run", lines)
    calls = [0]
    fsync = os.fsync

    def full(handle: int) -> None:
        calls[0] += 1
        if calls[0] > 40:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(WriteFailed, match="No space left"):
            stream(configuration)
    assert 0 < len(windows_of(tmp_path / "run")) < 37
    stream(configuration)
    assert published(tmp_path / "run") == published(tmp_path / "whole")


def test_a_disk_that_is_full_for_a_moment_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lively_lines(seed=6)
    stream(prepared(tmp_path / "whole", lines))
    configuration = prepared(tmp_path / "run", lines, run={"retry_seconds": 60.0})
    calls = [0]
    fsync = os.fsync

    def full_for_a_moment(handle: int) -> None:
        calls[0] += 1
        if 40 < calls[0] < 44:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full_for_a_moment)
    stream(configuration)
    assert published(tmp_path / "run") == published(tmp_path / "whole")


def test_a_window_that_is_not_private_is_never_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crypsis.methods.stream.sliding_window import SlidingWindow

    nothing_found = SlidingWindow._violations
    monkeypatch.setattr(
        SlidingWindow,
        "_violations",
        lambda self, held, first, seed, ignored: nothing_found(self, held, len(held), seed, ignored),
    )
    with pytest.raises(VerificationFailed):
        stream(prepared(tmp_path / "run", lively_lines()))
    windows = published(tmp_path / "run")[0].splitlines()
    guarantee = StreamConfiguration.from_tables(tables()).method.guarantee
    assert verify_lkc_privacy(read_windows(windows), guarantee).holds


def test_a_share_of_the_windows_can_be_verified(tmp_path: Path) -> None:
    stream(prepared(tmp_path / "run", lively_lines(timestamps=60), run={"verify": "sample:1/2"}))
    said = [json.loads(line)["verified"] for line in published(tmp_path / "run")[1].splitlines()]
    assert 10 < sum(said) < 47


def test_csv_gives_the_windows_of_ndjson(tmp_path: Path) -> None:
    lines = [line for line in lively_lines() if "op" not in line and '"t": ' in line and '"x"' not in line]
    stream(prepared(tmp_path / "ndjson", lines))
    configuration = prepared(tmp_path / "csv", [], source={"kind": "csv", "path": "events.csv"})
    rows = [json.loads(line) for line in lines]
    text = "".join(f'{one["t"]},"{one["id"]}",{one["loc"]},{one.get("sa", "")}\r\n' for one in rows)
    (tmp_path / "csv" / "events.csv").write_text("t,id,loc,sa\r\n" + text, encoding="utf-8", newline="")
    stream(configuration)
    assert published(tmp_path / "csv") == published(tmp_path / "ndjson")


def test_a_replay_takes_its_time_and_changes_nothing(tmp_path: Path) -> None:
    lines = lively_lines(timestamps=20)
    stream(prepared(tmp_path / "whole", lines))
    for pace in ({"rate": 5000.0}, {"speedup": 100.0}):
        name = next(iter(pace))
        stream(prepared(tmp_path / name, lines, source={"kind": "replay", "path": "events.ndjson", **pace}))
        assert published(tmp_path / name) == published(tmp_path / "whole")


def test_instants_are_counted_from_the_origin(tmp_path: Path) -> None:
    lines = [event(str(person), "a", f"2026-03-01T00:0{minute}:30Z") for minute in range(4) for person in range(4)]
    privacy = {"t0": "2026-03-01T00:00:00Z", "N": 2, "lateness": 0}
    stream(prepared(tmp_path / "run", lines, privacy=privacy, run={"time_unit": "min"}))
    assert [(window["x"], window["y"]) for window in windows_of(tmp_path / "run")] == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.long
def test_standard_input_and_output_through_the_command_line(tmp_path: Path) -> None:
    lines = lively_lines(timestamps=12)
    stream(prepared(tmp_path / "whole", lines))
    prepared(tmp_path / "run", lines)
    (tmp_path / "run" / "stream.toml").write_text(
        '[privacy]\nL = 2\nK = 3\nC = "1/2"\nN = 4\nlateness = 2\nt0 = 1\nsensitive_values = ["ill"]\n'
        '[source]\nkind = "stdin"\n[sink]\nkind = "stdout"\n[run]\nstate = "state"\n',
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "crypsis", "stream", "run", str(tmp_path / "run" / "stream.toml"), "--quiet"],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    windows = published(tmp_path / "whole")[0]
    assert done.stdout.startswith(windows)
    assert b"9 windows published" in done.stdout[len(windows) :]


def test_figures_and_health_are_served_on_loopback(tmp_path: Path) -> None:
    configuration = prepared(tmp_path / "run", lively_lines(), run={"port": 0})
    seen: dict[str, str] = {}

    def look(observed: Any) -> None:
        if observed.windows == 20 and not seen:
            for page in ("metrics", "health"):
                with urllib.request.urlopen(f"http://127.0.0.1:{observed.port}/{page}", timeout=60) as answer:
                    seen[page] = answer.read().decode()

    stream(configuration, listener=look)
    assert json.loads(seen["health"])["status"] == "ok"
    assert "crypsis_windows_published_total 20" in seen["metrics"]
    for name in ("events_total", "window_seconds_bucket", "people_active", "distortion_ratio", "watermark_lag"):
        assert f"crypsis_{name}" in seen["metrics"]
    assert "p1" not in seen["metrics"].replace("_p1", "")


def test_late_events_are_kept_once_where_asked(tmp_path: Path) -> None:
    lines = [
        *crowd(range(1, 9)),
        event("7", "late", 2),
        *crowd(range(9, 20)),
        event("8", "late", 3),
        *crowd(range(20, 22)),
    ]
    configuration = prepared(tmp_path / "run", lines, run={"keep_late": True, "checkpoint_every": 5})
    for stops in (3, 9, 14, 99):  # what comes after a checkpoint is read again, and must not be kept again
        running = StreamRun(configuration)
        running.listener = lambda observed, run=running, last=stops: run.stop() if observed.windows > last else None
        done = running.execute()
    assert done["events"]["late"] == 2
    kept = tmp_path / "run" / "state" / "late.ndjson"
    assert [json.loads(line)["id"] for line in kept.read_bytes().splitlines()] == ["7", "8"]
    assert kept.stat().st_mode & 0o077 == 0


def test_health_says_what_is_in_the_way(tmp_path: Path) -> None:
    source = {"kind": "redis", "stream": "events", "port": free_port()}
    running = StreamRun(prepared(tmp_path / "run", [], source=source, run={"port": 0}))
    seen: list[tuple[int, str]] = []

    def look(observed: Any) -> None:
        if observed.trouble:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{observed.port}/health", timeout=60)
            except urllib.error.HTTPError as answer:
                seen.append((answer.code, json.loads(answer.read())["status"]))
                answer.close()
            running.stop()

    running.listener = look
    assert not running.execute()["finished"]  # silence closes no window
    assert seen == [(503, f"Redis at 127.0.0.1:{source['port']} cannot be reached; it is tried again.")]


def test_the_view_shows_windows_suppression_lag_and_rate(tmp_path: Path) -> None:
    from io import StringIO

    from rich.console import Console

    from crypsis.cli.stream import LiveView

    screen = StringIO()
    view = LiveView(Console(file=screen, width=120, force_terminal=True), every=0.0)
    stream(prepared(tmp_path / "run", lively_lines()), listener=view.update)
    view.close()
    text = screen.getvalue()
    for said in ("events/s", "lag", "queue", "suppressed", "verified", "37–40", "%"):
        assert said in text


def test_the_text_of_a_window_is_that_of_its_object(tmp_path: Path) -> None:
    stream(prepared(tmp_path / "run", [*lively_lines(), event('q"\\', "a", 41), event("ü", "ï\t", 41)]))
    read = read_windows(published(tmp_path / "run")[0].splitlines())
    assert len(read) > 1
    for window in read:
        content = window_object(window, read.locations.labels, read.classes, {"mode": "é"})
        line, digest = window_text(window, read.locations.labels, read.classes, {"mode": "é"})
        assert (line, digest) == (window_line(content), content["digest"])


def without_last_windows(folder: Path, lost: int) -> None:
    """Let the sink lose its last windows; the certificates stay."""
    file = folder / "windows.ndjson"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-lost]))


@pytest.mark.parametrize("ended", [False, True])
def test_a_sink_that_lost_windows_is_refused_and_they_are_published_again_when_asked(
    ended: bool, tmp_path: Path
) -> None:
    stream(prepared(tmp_path / "whole", lively_lines(seed=6)))
    configuration = begun(tmp_path / "run")
    if ended:
        assert stream(configuration)["finished"]
    kept = published(tmp_path / "run")
    without_last_windows(tmp_path / "run", 3)
    with pytest.raises(SinkBehind) as refused:
        stream(configuration)
    assert refused.value.code == "sink-behind"
    assert stream(configuration, republish=True)["finished"]
    assert published(tmp_path / "run") == published(tmp_path / "whole")
    assert not ended or published(tmp_path / "run") == kept


def windows_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "windows").iterdir())}


@pytest.mark.parametrize("lost", ["window-000000000004.json", "window-000000000004.certificate.json"])
@pytest.mark.parametrize("ended", [False, True])
def test_a_folder_with_a_gap_in_the_middle_is_refused_and_filled_when_asked(
    ended: bool, lost: str, tmp_path: Path
) -> None:
    sink = {"kind": "folder", "path": "windows"}
    stream(prepared(tmp_path / "whole", lively_lines(seed=6), sink=sink))
    configuration = begun(tmp_path / "run", sink=sink)
    if ended:
        assert stream(configuration)["finished"]
    (tmp_path / "run" / "windows" / lost).unlink()
    with pytest.raises(SinkBehind, match="does not hold window 4"):
        stream(configuration)
    assert not (tmp_path / "run" / "windows" / lost).exists()
    assert stream(configuration, republish=True)["finished"]
    assert windows_in(tmp_path / "run") == windows_in(tmp_path / "whole")


@pytest.mark.parametrize("name", ["windows.ndjson", "windows.certificates.ndjson"])
def test_a_file_with_a_gap_in_the_middle_is_refused_and_filled_when_asked(name: str, tmp_path: Path) -> None:
    stream(prepared(tmp_path / "whole", lively_lines(seed=6)))
    configuration = begun(tmp_path / "run")
    file = tmp_path / "run" / name
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(SinkBehind, match="does not hold window 2"):
        stream(configuration)
    assert stream(configuration, republish=True)["finished"]
    assert published(tmp_path / "run") == published(tmp_path / "whole")


def test_standard_output_is_told_every_window_again_when_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    configuration = prepared(tmp_path / "run", lively_lines(seed=6), sink={"kind": "stdout"})
    assert stream(configuration)["finished"]
    first = capfd.readouterr().out
    assert stream(configuration)["finished"]
    assert capfd.readouterr().out == ""  # nobody can say what a reader lost
    assert stream(configuration, republish=True)["finished"]
    assert capfd.readouterr().out == first


def test_a_stream_of_which_nothing_is_an_event_is_refused(tmp_path: Path) -> None:
    configuration = prepared(tmp_path, ["nonsense", "[]", '{"id":"p1","loc":"a","t":"x"}'])
    for _ in range(2):  # and again when it is started again
        with pytest.raises(AllMalformed, match="None of 3 lines") as refused:
            stream(configuration)
    assert refused.value.exit_code == 2

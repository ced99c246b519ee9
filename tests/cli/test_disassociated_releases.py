"""The commands on disassociated releases: made from a file, rechecked, drawn from, exported, attacked, refused."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from crypsis.cli.main import main
from crypsis.samples.quest import quest


def run(*arguments: object) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 400 baskets, with the original and the private report beside it."""
    place = tmp_path_factory.mktemp("disassociated")
    quest(400, terms=60, length=5).to_frame().write_csv(place / "baskets.csv")
    made = run(
        "anonymize", place / "baskets.csv", "--method", "disassociation", "-k", 4, "-m", 2, "--out", place / "release",
        "--private-report", place / "private.json", "--quiet",
    )  # fmt: skip
    assert made == 0
    return place


def test_a_release_is_rechecked_alone_with_the_original_and_with_the_private_report(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("verify", folder / "release") == 0
    assert run("verify", folder / "release", "--original", folder / "baskets.csv") == 0
    private = ("--private-report", folder / "private.json")
    assert run("verify", folder / "release", "--original", folder / "baskets.csv", *private) == 0
    assert "cluster by cluster" in capsys.readouterr().out.replace("\n", " ")


def test_a_published_file_is_rechecked_against_the_model_given(folder: Path) -> None:
    file = folder / "release" / "disassociated.json"
    assert run("verify", file, "--model", "disassociation-km", "-k", 4, "-m", 2) == 0
    assert run("verify", file, "--model", "disassociation-km", "-k", 40, "-m", 2) == 4
    assert run("verify", file, "--model", "disassociation-km", "-k", 4, "--original", folder / "baskets.csv") == 0


def test_a_damaged_file_is_a_format_error(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.json").write_text('{"k": 3, "nodes": []}', encoding="utf-8")
    assert run("verify", tmp_path / "bad.json", "--model", "disassociation-km") == 2
    assert "format-error" in capsys.readouterr().err


def test_datasets_that_fit_are_drawn_into_files(folder: Path, tmp_path: Path) -> None:
    assert run("reconstruct", folder / "release", "--out", tmp_path / "drawn", "-n", 2, "--seed", 3) == 0
    files = sorted((tmp_path / "drawn").iterdir())
    assert [file.name for file in files] == ["reconstruction_1.csv", "reconstruction_2.csv"]
    assert pl.read_csv(files[0])["id"].n_unique() == 400
    assert files[0].read_bytes() != files[1].read_bytes()
    assert run("reconstruct", folder / "release", "--out", tmp_path / "drawn") == 2  # exists
    again = ("--format", "parquet", "--term-multiplicity", "uniform")
    assert run("reconstruct", folder / "release" / "disassociated.json", "--out", tmp_path / "more", *again) == 0
    assert run("reconstruct", folder / "release", "--out", tmp_path / "x", "--term-multiplicity", "many") == 2
    assert run("reconstruct", folder / "release", "--out", tmp_path / "y", "--format", "gpx") == 2
    assert not (tmp_path / "y").exists()


def test_the_table_is_exported_once(folder: Path, tmp_path: Path) -> None:
    assert run("export", folder / "release", "--out", tmp_path / "table.csv") == 0
    table = pl.read_csv(tmp_path / "table.csv", infer_schema_length=None)
    assert table.filter(pl.col("type") == "leaf").height == 400
    assert run("export", folder / "release", "--out", tmp_path / "table.csv") == 2
    assert run("export", folder / "release", "--out", tmp_path / "table.odt") == 2


def test_the_cover_attack_tells_how_many_combinations_are_certain(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("attack", folder / "release", "--original", folder / "baskets.csv", "--attack", "cover")
    assert run(*asked) == 0
    assert "clusters are counted" in capsys.readouterr().err
    assert run(*asked, "--json") == 0
    assert json.loads(capsys.readouterr().out)["certain_combinations"] >= 0


def test_measuring_and_reporting_know_the_release(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("measure", folder / "release", "--original", folder / "baskets.csv", "--json")
    assert run(*asked) == 0
    assert {"tkd_loss", "tlost_loss", "itemset_query_loss"} <= json.loads(capsys.readouterr().out).keys()
    assert run(*asked, "--metric", "tlost_loss") == 0
    assert run("report", folder / "release") == 0


def test_a_sample_of_any_size_can_be_written(tmp_path: Path) -> None:
    assert run("sample", "quest", "--size", 30, "--out", tmp_path / "quest.parquet") == 0
    assert pl.read_parquet(tmp_path / "quest.parquet")["id"].n_unique() == 30


def test_a_published_file_says_itself_what_it_promises(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify", folder / "release" / "disassociated.json", "--json") == 0
    assert json.loads(capsys.readouterr().out)["guarantee"]["parameters"]["k"] == 4


def test_every_export_has_the_chosen_separator_and_a_sidecar(folder: Path, tmp_path: Path) -> None:
    for number, source in enumerate((folder / "release", folder / "release" / "disassociated.json")):
        out = tmp_path / f"{number}.csv"
        assert run("export", source, "--out", out, "--separator", ";", "--spreadsheet-safe") == 0
        assert out.read_bytes().startswith(b"node;parent;type;size;line;term_chunk;")
        about = json.loads((tmp_path / f"{number}.csv.about.json").read_text())
        assert about["safe"] is True
        assert about["guarantee"]["parameters"]["m"] == 2
        assert "seed" not in ((about["method"] or {}).get("parameters") or {})
    assert run("export", folder / "release", "--out", tmp_path / "x.csv", "--separator", "ab") == 2


def test_what_is_not_safe_is_exported_only_by_somebody_who_knows(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads((folder / "release" / "disassociated.json").read_text())
    file = tmp_path / "claims.json"
    file.write_text(json.dumps({**content, "k": 40}))
    assert run("export", file, "--out", tmp_path / "claims.csv") == 4
    assert "--i-know" in capsys.readouterr().err
    assert not (tmp_path / "claims.csv").exists()
    assert run("export", file, "--out", tmp_path / "claims.csv", "--i-know") == 0
    assert json.loads((tmp_path / "claims.csv.about.json").read_text())["safe"] is False

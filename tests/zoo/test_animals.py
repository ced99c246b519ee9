"""Every awkward file is read right, or refused with what to do: in Python, by a command and as an experiment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import crypsis
from crypsis.cli.main import main
from crypsis.errors import CrypsisError
from crypsis.evaluate.dataset import Dataset
from tests.zoo.animals import TABLES, Animal

each = pytest.mark.parametrize("animal", TABLES, ids=lambda animal: animal.name)


def values_of(table: crypsis.Table) -> dict[str, list[object]]:
    return {
        column.name: [*map(column.domain.to_list().__getitem__, column.codes)]
        if not column.missing
        else [None if code < 0 else column.domain[int(code)] for code in column.codes]
        for column in table.columns
    }


def reading(animal: Animal) -> tuple[dict[str, object], tuple[str, ...]]:
    options = dict(animal.options)
    return options, tuple(options.pop("missing", ("?",)))


def test_there_are_at_least_sixty_animals() -> None:
    assert len({animal.name for animal in TABLES}) == len(TABLES) >= 60


@each
def test_a_file_is_read_right_or_says_what_to_do(animal: Animal, tmp_path: Path) -> None:
    path = animal.write(tmp_path)
    options, missing = reading(animal)
    roles = dict.fromkeys(animal.columns, "other")
    if animal.refused:
        with pytest.raises(CrypsisError) as caught:
            crypsis.read_table(path, roles, missing_tokens=missing, **options)
        assert caught.value.code == animal.refused
        assert animal.advice in caught.value.message
        return
    table = crypsis.read_table(path, roles, missing_tokens=missing, each_row_is_a_person=True, **options)
    assert values_of(table) == {name: list(values) for name, values in animal.columns.items()}
    if animal.told:
        assert animal.told in str(table.read_as)


@each
def test_an_experiment_reads_it_the_same(animal: Animal, tmp_path: Path) -> None:
    path = animal.write(tmp_path)
    section = {"path": path.name, "kind": "table", "rest": "other", "each_row_is_a_person": True, **animal.options}
    if animal.refused:
        with pytest.raises(CrypsisError) as caught:
            Dataset(section, tmp_path).load()
        assert caught.value.code == animal.refused
        return
    assert values_of(Dataset(section, tmp_path).load()) == {name: list(read) for name, read in animal.columns.items()}


@pytest.mark.long
@each
def test_inspect_prints_what_was_understood(animal: Animal, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = animal.write(tmp_path)
    options, missing = reading(animal)
    typed = [
        f"--{'' if value else 'no-'}{name}"
        if isinstance(value, bool)
        else f"--{'input-format' if name == 'format' else name.replace('_', '-')}={value}"
        for name, value in options.items()
    ]
    with pytest.raises(SystemExit) as ended:
        main(["data", "inspect", str(path), *typed, "--json"])
    out, err = capsys.readouterr()
    if animal.refused:
        assert ended.value.code == 2
        assert animal.refused in out + err
        return
    assert ended.value.code in (0, None)
    found = json.loads(out)
    assert [column["name"] for column in found["columns"]] == list(animal.columns)
    if animal.told and missing == ("?",):
        understood = found["understood"]
        items = [f"{name} {value}" for name, value in understood["read_as"].items()]
        assert animal.told in "\n".join([*items, *understood["notes"], *understood["questions"]])

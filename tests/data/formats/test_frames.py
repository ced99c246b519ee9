"""Tables in memory, of any library."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pandas
import polars as pl
import pyarrow
import pytest

from crypsis.data.formats.frames import as_frame
from crypsis.errors import InputError, MissingExtra

ROWS = [{"id": 1, "place": "a", "x": 0.5}, {"id": 2, "place": None, "x": None}]
FRAME = pl.DataFrame(ROWS)


class Streams:
    """Speaks only the arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return FRAME.__arrow_c_stream__(requested_schema)


class Interchanges:
    """Speaks only the older interchange protocol."""

    def __dataframe__(self, *args: Any, **options: Any) -> Any:
        return pyarrow.table({"id": [1, 2], "x": [0.5, 1.5]}).__dataframe__(*args, **options)


@pytest.mark.parametrize(
    "table",
    [FRAME, FRAME.lazy(), pandas.DataFrame(ROWS), FRAME.to_arrow(), Streams(), ROWS, FRAME.to_dict(as_series=False)],
    ids=["polars", "lazy", "pandas", "arrow", "stream", "dicts", "columns"],
)
def test_every_kind_of_table_gives_the_same_frame(table: Any) -> None:
    assert as_frame(table).equals(FRAME)


def test_the_interchange_protocol_is_understood() -> None:
    assert as_frame(Interchanges()).rows() == [(1, 0.5), (2, 1.5)]


def test_dicts_may_lack_keys_and_mix_types() -> None:
    frame = as_frame([{"x": 1}, {"y": "a"}, {"x": 2.5, "y": None}])
    assert frame.to_dict(as_series=False) == {"x": [1.0, None, 2.5], "y": [None, "a", None]}
    assert as_frame([{"x": 1}, {"x": "NaN"}])["x"].to_list() == ["1", "NaN"]
    assert as_frame([{"x": None}]).height == 1


@pytest.mark.parametrize("table", ["path.csv", 7, None, [], [1, 2], b"x", {"a": [1], "b": [1, 2]}])
def test_what_is_no_table_is_an_input_error(table: Any) -> None:
    with pytest.raises(InputError):
        as_frame(table)


@pytest.mark.parametrize("table", [pandas.DataFrame(ROWS), Interchanges()], ids=["pandas", "interchange"])
def test_without_pyarrow_the_extra_to_install_is_named(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crypsis\[interop\]'"):
        as_frame(table)


def test_pandas_and_pyarrow_are_not_loaded_for_polars_tables() -> None:
    script = (
        "import sys, polars, crypsis.data as d; [getattr(d, name) for name in d.__all__];"
        "d.Trajectories.from_frame(polars.DataFrame({'trajectory_id': [1], 'position': [1], 'location': ['a']}));"
        "assert not {'pandas', 'pyarrow', 'pyproj', 'numba'} & set(sys.modules), 'loaded'"
    )
    subprocess.run([sys.executable, "-c", script], check=True)

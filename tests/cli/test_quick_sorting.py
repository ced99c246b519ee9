"""numpy sorts without AVX-512 on the processors that are slow with it, and only there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crypsis.cli import quick_sorting
from crypsis.cli.quick_sorting import sort_without_slow_instructions

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
ZEN_4 = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nflags\t\t: fpu avx2 avx512f avx512vl\n"


@pytest.mark.parametrize(
    ("told", "left_out"),
    [
        (ZEN_4, "X86_V4 AVX512_ICL"),
        (ZEN_4.replace(" avx512f avx512vl", ""), None),  # Zen 3
        (ZEN_4.replace(": 25", ": 26"), None),  # Zen 5
        (ZEN_4.replace("AuthenticAMD", "GenuineIntel"), None),
        ("", None),
        (None, None),
    ],
)
def test_only_zen_4_sorts_without_avx_512(
    told: str | None, left_out: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told is not None:
        (tmp_path / "cpuinfo").write_text(told)
    monkeypatch.setattr(quick_sorting, "_ABOUT_PROCESSORS", tmp_path / "cpuinfo")
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    sort_without_slow_instructions()
    assert os.environ.get(VARIABLE) == left_out


def test_what_the_user_has_set_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpuinfo").write_text(ZEN_4)
    monkeypatch.setattr(quick_sorting, "_ABOUT_PROCESSORS", tmp_path / "cpuinfo")
    monkeypatch.setenv(VARIABLE, "")
    sort_without_slow_instructions()
    assert os.environ[VARIABLE] == ""

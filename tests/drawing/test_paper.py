"""Pictures as files: every format, text as text, the same bytes for the same numbers."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from crypsis.errors import BadParameter, MissingExtra
from crypsis.evaluate.plots import FORMATS, draw
from tests.drawing.frames import frames
from tests.drawing.pdf_texts import texts_in_pdf

FRAMES = frames()
BEGINNINGS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG", "jpg": b"\xff\xd8\xff", "bmp": b"BM"}


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_what_it_says(format: str) -> None:
    assert draw(FRAMES["line"], format).startswith(BEGINNINGS[format])


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_is_drawn_as_well_formed_svg_with_its_title_as_text(name: str) -> None:
    picture = ElementTree.fromstring(draw(FRAMES[name], "svg"))
    texts = {"".join(part.itertext()) for part in picture.iter("{http://www.w3.org/2000/svg}text")}
    expected = FRAMES[name].title if FRAMES[name].data.height else FRAMES[name].empty
    assert expected in texts


@pytest.mark.parametrize("format", ["png", "jpg", "bmp"])
def test_pixels_are_drawn_and_not_only_paper(format: str) -> None:
    picture = Image.open(io.BytesIO(draw(FRAMES["phases"], format))).convert("RGB")
    assert picture.width > 1000
    pixels = np.asarray(picture).reshape(-1, 3)
    assert 0.01 < (pixels != 255).any(axis=1).mean() < 0.9


def test_names_of_bars_and_axes_are_text_in_svg_even_where_they_look_like_formulas() -> None:
    text = draw(FRAMES["names"], "svg").decode()
    assert "$x_1$" in text
    assert "&lt;script&gt;" in text
    assert "<script" not in text


def test_text_in_pdf_is_text_in_an_embedded_font_that_can_be_searched() -> None:
    content = draw(FRAMES["line"], "pdf")
    assert b"/FontFile2" in content
    assert b"/ToUnicode" in content
    assert {FRAMES["line"].title, "generalize", "suppress", "Normalized certainty penalty (NCP)"} <= texts_in_pdf(
        content
    )


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_frame_gives_the_same_bytes(format: str) -> None:
    assert draw(FRAMES["tradeoff"], format) == draw(frames()["tradeoff"], format)


@pytest.mark.long
def test_another_process_gives_the_same_bytes_and_no_file_holds_a_date() -> None:
    program = (
        "import hashlib\n"
        "from crypsis.evaluate.plots import draw, frame_of\n"
        "from tests.evaluate.plots.rows import sweep\n"
        "print(hashlib.sha256(draw(frame_of('line', results=sweep(), x='k', y='ncp'), 'svg')).hexdigest())"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert told == hashlib.sha256(draw(FRAMES["line"], "svg")).hexdigest()
    assert b"CreationDate" not in draw(FRAMES["line"], "pdf")
    assert b"<dc:date>" not in draw(FRAMES["line"], "svg")


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadParameter, match="Did you mean 'svg'"):
        draw(FRAMES["line"], "svgz")


def test_a_missing_matplotlib_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"crypsis\[eval\]"):
        draw(FRAMES["line"], "png")


def test_gaps_are_marked_on_the_axis_and_lines_are_not_drawn_through_them() -> None:
    with_gap, without = draw(FRAMES["line"], "svg"), draw(FRAMES["line of names"], "svg")
    # matplotlib draws a marker as a use of its definition; the cross of the gap is one more definition than the lines'.
    assert with_gap.count(b"<use") > without.count(b"<use")


def test_the_callers_settings_of_matplotlib_stay_as_they_are() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw(FRAMES["line"], "svg")
    assert dict(matplotlib.rcParams) == before


def test_counts_have_whole_ticks() -> None:
    picture = ElementTree.fromstring(draw(FRAMES["one number"], "svg"))
    texts = {"".join(part.itertext()) for part in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"0", "1", "2", "3"} <= texts
    assert not {"0.5", "1.5", "2.5"} & texts

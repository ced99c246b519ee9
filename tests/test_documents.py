"""What README, CONTRIBUTING and docs show runs as it stands, and the site builds offline."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect, sync_playwright

from crypsis.cli.main import main
from docs.parameter_tables import on_page_markdown

ROOT = Path(__file__).parents[1]
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "reference" not in page.parts]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED_EXIT = re.compile(r"\s*# exit code (\d+)$")
SLOW = {"README", "workbench-tour", "performance", "experiments", "running-a-stream", "plots", "browser"}
OURS = re.compile(r"crypsis [^|&;<>()$`\\*?\[\]{}~#!]*")


def blocks(document: Path) -> list[tuple[str, str]]:
    """Language and text of the fenced blocks, in order."""
    return BLOCK.findall(document.read_text(encoding="utf-8"))


def runnable(document: Path) -> bool:
    return any(language in {"console", "python"} for language, _ in blocks(document))


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


def marked(document: Path) -> Any:
    """The README and guides to the workbench, streams and speed run whole experiments, which takes long."""
    return pytest.param(document, marks=[pytest.mark.long] if document.stem in SLOW else [], id=name_of(document))


@pytest.mark.parametrize("document", [marked(document) for document in DOCUMENTS if runnable(document)])
def test_what_a_document_shows_runs(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for language, text in blocks(document):
        if language == "python":
            exec(compile(text, str(document), "exec"), namespace)
        elif language == "console":
            run_console(text, tmp_path, in_a_shell=document.name == "README.md")


def run_console(text: str, folder: Path, *, in_a_shell: bool) -> None:
    """Run the line after each `$ `; every other line must be part of what the command before it printed."""
    printed = ""
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if line.startswith("$ make "):
            assert line.removeprefix("$ make ") in make_targets()
        elif line.startswith("$ crypsis serve"):
            printed = run_server(line.removeprefix("$ "), folder)
        elif line.startswith("$ "):
            printed = run_command(line.removeprefix("$ "), folder, in_a_shell=in_a_shell)
        elif line.endswith("…"):  # what follows differs every time
            assert line.removesuffix("…") in printed
        else:
            assert line in printed


def run_command(line: str, folder: Path, *, in_a_shell: bool) -> str:
    """What a command prints. Commands of ours that ask nothing of a shell need not start one, nor another Python."""
    expected = EXPECTED_EXIT.search(line)
    command = EXPECTED_EXIT.sub("", line)
    wanted = int(expected[1]) if expected else 0
    if not in_a_shell and OURS.fullmatch(command):
        code, printed, told = run_here(shlex.split(command)[1:])
        assert code == wanted, f"{command}\n{printed}\n{told}"
        return printed
    beside_this_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": beside_this_python},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == wanted, f"{command}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def run_here(arguments: list[str]) -> tuple[int, str, str]:
    printed, told = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(told), pytest.raises(SystemExit) as stopped:
        main(arguments)
    code = stopped.value.code
    return code if isinstance(code, int) else 0, printed.getvalue(), told.getvalue()


def run_server(line: str, folder: Path) -> str:
    """A server runs until it is stopped: open the address that it prints as a browser would, then press Ctrl-C."""
    beside_this_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with subprocess.Popen(
        line.split(),
        cwd=folder,
        env={**os.environ, "PATH": beside_this_python},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        printed = server.stdout.readline()
        try:
            address = re.search(r"http://\S+", printed)
            assert address, printed
            with httpx.Client(follow_redirects=True, trust_env=False, timeout=60) as browser:
                assert browser.get(address[0]).status_code == 200
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(120)
        assert server.returncode in (0, 130)
    return printed


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_no_shell_block_escapes_being_run() -> None:
    languages = {
        language
        for document in DOCUMENTS
        for language in re.findall(r"^```(.*)\n(?:.*\n)*?```$", document.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert languages <= {"console", "python", "json", "text", "toml"}


def test_the_readme_needs_two_commands_to_set_up() -> None:
    set_up = (ROOT / "README.md").read_text(encoding="utf-8").split("## Set up")[1].split("\n## ")[0]
    assert re.findall(r"^\$ (.*)$", set_up, re.MULTILINE) == ["make demo", "make test"]


def test_every_method_and_every_guarantee_has_a_page() -> None:
    from crypsis.guarantees import GUARANTEES
    from crypsis.guarantees.all_of import AllOf
    from crypsis.methods import METHODS

    for method in METHODS.values():
        assert (ROOT / "docs" / "methods" / f"{method.__module__.rpartition('.')[2]}.md").is_file()
    for guarantee in set(GUARANTEES.values()) - {AllOf}:  # which is several of the others
        assert (ROOT / "docs" / "guarantees" / f"{guarantee.__module__.rpartition('.')[2]}.md").is_file()


@pytest.mark.long
def test_the_site_builds_without_network_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9"
    offline = {**os.environ, "http_proxy": nowhere, "https_proxy": nowhere, "HTTPS_PROXY": nowhere}
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    ended = subprocess.run(
        [*build, "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env=offline,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    elsewhere = r"""=["']?(?:https?:)?//"""
    loading = re.compile(rf"<(?:script|img|iframe|source)\b[^>]*\ssrc{elsewhere}|<link\b[^>]*\shref{elsewhere}|@import")
    built = list((tmp_path / "site").rglob("*.html"))
    assert len(built) >= len(PAGES)
    for page in built:
        assert not loading.search(page.read_text(encoding="utf-8")), page
    assert said_from_disk(tmp_path / "site" / "notebooks" / "tables.html") == []


def said_from_disk(page: Path) -> list[str]:
    """What a page of the site says in the console of a browser that opens it as a file and searches."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        said: list[str] = []
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(page.as_uri())
        tab.get_by_role("textbox", name="Search").press_sequentially("mondrian")
        expect(tab.locator(".md-search-result__meta")).to_contain_text("matching documents", timeout=60_000)
        browser.close()
    return said


def test_every_link_leads_somewhere() -> None:
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)\s#]+)", text):
            assert (document.parent / target).exists(), f"{name_of(document)}: {target}"


def decisions() -> list[tuple[str, str, str]]:
    """Section, heading and text of each entry of docs/decisions.md, in order."""
    entries, section = [], ""
    for block in re.split(
        r"^(?=###? )", (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    ):
        first, _, rest = block.partition("\n")
        if first.startswith("## "):
            section = first[3:]
        elif first.startswith("### "):
            entries.append((section, first[4:], rest.strip()))
    return entries


DECISIONS = decisions()
LINKED_CODE = re.compile(r"\[`([\w/.]+)`\]\(\.\./([\w/.]+)\)")


@pytest.mark.parametrize(("section", "heading", "text"), DECISIONS, ids=[heading for _, heading, _ in DECISIONS])
def test_a_decision_states_itself_has_a_date_and_leads_to_code(section: str, heading: str, text: str) -> None:
    dated, _, prose = text.partition("\n\n")
    links = LINKED_CODE.findall(dated)
    assert re.fullmatch(r"\*20\d\d-\d\d-\d\d · " + " · ".join([LINKED_CODE.pattern] * len(links)) + r"\*", dated)
    assert links
    assert all(path.removeprefix("src/crypsis/") == label for label, path in links)
    assert len(heading.split()) >= 3, f"{heading!r} names a topic; say what was decided"
    assert prose[-1] in ".)", "the text is whole"
    assert not re.search(r"^[-*] ", prose, re.MULTILINE), "prose, not bullets"


def test_decisions_stand_by_date_and_once() -> None:
    headings = [heading for _, heading, _ in DECISIONS]
    assert len(headings) > 400
    assert len(set(headings)) == len(headings)
    for (section, _, text), (next_section, heading, next_text) in pairwise(DECISIONS):
        if section == next_section:
            assert text[1:11] <= next_text[1:11], heading


def test_a_decision_links_to_the_code_that_it_is_about() -> None:
    """A linked file has a name that the entry quotes and few files have, or two words of it that most files lack."""
    paths = [path for room in ("src/crypsis", "tests", "benchmarks") for path in (ROOT / room).rglob("*.py")]
    words = {path: set(re.findall(r"\w{4,}", f"{path} {path.read_text(encoding='utf-8')}".lower())) for path in paths}
    spread: dict[str, int] = {}
    for each in words.values():
        for word in each:
            spread[word] = spread.get(word, 0) + 1
    for _, heading, text in DECISIONS:
        dated, _, prose = text.partition("\n")
        linked = set().union(*(words[ROOT / path] for _, path in LINKED_CODE.findall(dated)))
        said = f"{heading} {prose}"
        quoted = {word.lower() for code in re.findall(r"`([^`\n]+)`", said) for word in re.findall(r"\w{4,}", code)}
        named = {word for word in quoted & linked if spread[word] <= 15}
        shared = {word for word in set(re.findall(r"\w{4,}", said.lower())) & linked if spread[word] <= len(paths) // 4}
        assert named or len(shared) >= 2, f"{heading}: its words are not those of the linked code ({shared})"


def test_a_method_page_gets_its_parameters_from_the_reference() -> None:
    for page in (ROOT / "docs" / "methods").glob("*.md"):
        before = page.read_text(encoding="utf-8")
        assert on_page_markdown(before).count("\n| `") > before.count("\n| `"), page

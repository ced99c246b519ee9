"""`crypsis data`: look at a file, edit it as a list of changes, and save what comes of it."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.command import Command, Group
from crypsis.cli.output import show, show_table
from crypsis.cli.printing import printable
from crypsis.cli.reading import FileCommand, Reader, ReadingCommand
from crypsis.cli.risk import Risk, RiskCommand
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS, in_order
from crypsis.errors import BadEdit, BadParameter, CrypsisError, MissingFile, OutputExists
from crypsis.places import reword
from crypsis.wording import counted

data_app = Group("Look at data and edit them.")
data_app.command("risk", cls=RiskCommand, epilog=EVERY_COMMAND)(Risk)

Edits = Annotated[Path | None, typer.Option("--edits", help="List of edits (default: INPUT.edits.json).")]
_NOT_SHOWN = ("item_separator", "hierarchy", "suggested_type")
_OPTIONS = ("--rename", "--set", "--replace", "--add-row", "--delete-row", "--add-column", "--delete-column")


class InspectCommand(ReadingCommand):
    """A look at a file: how it is written, and what its cells mean."""

    wanted = ("missing", "time_format")


@data_app.command(cls=InspectCommand, epilog=EVERY_COMMAND)
def inspect(
    read: Reader,
    input: Annotated[Path, typer.Argument(help="The file to look at.")],
    as_experiment: Annotated[bool, "Print the experiment file to begin with, for `crypsis compare`."] = False,
) -> None:
    """Show rows, columns, types, missing values, what kind of data this seems to be, and a role for every column.

    Roles are proposals from names and counts, each with its reason; you decide with --quasi, --sensitive and the like.
    Below them stands the command to begin with, or two where it has to be said first who a person is.
    With --as-experiment they are printed as an experiment file with a method that suits the data.
    """
    settings = read.typed.file_options | read.typed.keys_beside_columns(None)
    settings |= {"step": read.typed.steps} if read.typed.steps else {}
    if as_experiment:
        _show_experiment(input, settings)
        return
    from crypsis.data.person_detection import person_undecided
    from crypsis.evaluate import Dataset
    from crypsis.evaluate.first_look import first_look, look_at, person_question
    from crypsis.evaluate.suggested_command import commands_to_begin

    inspection = look_at(input, settings)
    content = inspection.to_dict()
    for column in content["columns"]:
        column["type"] = "items" if "item_separator" in column else column.pop("suggested_type", column["type"])
    like, commands = inspection.person_like, {}
    if inspection.kind != "published" and inspection.rows:
        section = first_look(input, settings, inspection).section
        like = like or person_question(Dataset({"path": str(input), **section}, Path()))
        commands = commands_to_begin(input, section, like, inspection)
    if like is not None:
        content["person"] = asdict(like) | {"question": like.question}
    if SETTINGS.get().json:
        show(content | {"commands": commands}, "")
        return
    print(
        printable(f"{input.name}: ")
        + f"{counted(inspection.rows, 'row')}; looks like {content['kind']} ({inspection.reason})"
    )
    if inspection.understood.items:
        print(printable(f"read as: {reword(str(inspection.understood))}"))
    columns = content["columns"]
    if columns:
        headings = [heading for heading in columns[0] if heading not in ("top", *_NOT_SHOWN)]
        show_table(headings, [[column[heading] for heading in headings] for column in columns])
    if like is not None:
        print(printable(str(person_undecided(like))))
    for words, command in commands.items():
        print(printable(f"\n{words}:\n  {command}"))


def _show_experiment(input: Path, settings: dict[str, Any]) -> None:
    from crypsis.evaluate.first_look import question_in_file, suggested_experiment

    experiment = suggested_experiment(input, settings)
    show(experiment.content, question_in_file(input, settings) + experiment.to_toml().rstrip())


@data_app.command(cls=FileCommand, epilog=EVERY_COMMAND)
@dataclass(frozen=True, kw_only=True)
class Edit(Command):
    """Add to the list of edits of a table; `crypsis data save` carries them out into a new file.

    Edits are carried out in the order in which they are typed; all options may be given several times. The list can
    stand in an experiment as [[dataset.edits]].
    """

    read: Reader
    input: Annotated[Path, typer.Argument(help="Table to edit. The file itself stays unchanged.")]
    rename: Annotated[list[str] | None, "Rename a column, old=new."] = None
    set: Annotated[list[str] | None, "Set a cell, ROW:column=value; rows from 0."] = None
    replace: Annotated[list[str] | None, "Replace a value of a column, column:old=new."] = None
    add_row: Annotated[list[str] | None, 'Add a record, column=value,… or {"column": "value"}.'] = None
    delete_row: Annotated[list[str] | None, "Delete the record of this row."] = None
    add_column: Annotated[list[str] | None, "Add a column, name=value."] = None
    delete_column: Annotated[list[str] | None, "Delete a column."] = None
    undo: Annotated[int, typer.Option("--undo", min=0, help="First take back so many of the last edits.")] = 0
    redo: Annotated[int, typer.Option("--redo", min=0, help="First redo so many edits that were taken back.")] = 0
    edits: Edits = None

    def execute(self) -> None:
        from crypsis.atomic import write_file
        from crypsis.evaluate.edits import EditedTable

        path = self.edits or _usual_list(self.input)
        done, undone = read_edits(path)
        for _ in range(self.undo):
            if not done:
                raise BadEdit("There is nothing left to undo.", where=str(path))
            undone.append(done.pop())
        for _ in range(self.redo):
            if not undone:
                raise BadEdit("There is nothing left to redo.", where=str(path))
            done.append(undone.pop())
        asked = [_edit(option, text) for option, text in in_order(*_OPTIONS)]
        if asked:
            done, undone = done + asked, []
        table = EditedTable(self.read.typed.frame(self.input)[0]).apply(done)
        write_file(path, (json.dumps({"edits": done, "undone": undone}, ensure_ascii=False, indent=1) + "\n").encode())
        show(
            {"edits": done, "undone": undone, "file": str(path), "rows": table.height, "columns": table.columns},
            f"{counted(len(done), 'edit')} in {path}; the table has {counted(table.height, 'row')} and the columns "
            + ", ".join(table.columns),
        )


@data_app.command(cls=FileCommand, epilog=EVERY_COMMAND)
def save(
    read: Reader,
    input: Annotated[Path, typer.Argument(help="The table that was edited.")],
    out: Annotated[Path, "File to write: .csv, .parquet or .jsonl."],
    edits: Edits = None,
    yes: Annotated[bool, "Overwrite an existing file without asking."] = False,
    spreadsheet_safe: Annotated[bool, "Put ' before cells that a spreadsheet would calculate."] = False,
) -> None:
    """Write the edited table. An existing file is overwritten only after you have said so."""
    from crypsis.atomic import write_file
    from crypsis.evaluate.edits import EditedTable
    from crypsis.evaluate.export import frame_bytes

    format = out.suffix.lstrip(".")
    if format not in ("csv", "parquet", "jsonl"):
        raise BadParameter(f"--out must end with .csv, .parquet or .jsonl, got {out.name!r}.")
    if edits is not None and not edits.exists():
        raise MissingFile(f"There is no list of edits {edits}; check the path.", where=str(edits))
    path = edits or _usual_list(input)
    done, _ = read_edits(path)
    table = EditedTable(read.typed.frame(input)[0]).apply(done)
    if os.path.lexists(out) and not yes and not _asked(out):
        raise OutputExists(f"{out} exists already and is kept; choose another name, or add --yes to overwrite it.")
    write_file(out, frame_bytes(table, format, read.typed["separator"] or ",", spreadsheet_safe))
    show({"file": str(out), "rows": table.height, "edits": len(done)}, f"wrote {out} with {counted(len(done), 'edit')}")


def read_edits(path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The edits of a list, and those that were taken back; none where there is no file."""
    from crypsis.data.formats.compression import existing_file
    from crypsis.evaluate.edits import edit_from_dict
    from crypsis.strict_json import parse_json

    if not os.path.lexists(path):
        return [], []
    existing_file(path)
    try:
        content = parse_json(path.read_bytes())
        listed = content if isinstance(content, list) else content["edits"]
        undone = [] if isinstance(content, list) else list(content.get("undone", []))
        edits = [edit_from_dict(entry).to_dict() for entry in listed]
    except CrypsisError:
        raise
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise BadEdit(f"The list of edits cannot be read: {error}.", where=str(path)) from error
    return edits, undone


def _usual_list(input: Path) -> Path:
    return input.with_name(f"{input.name}.edits.json")


def _asked(out: Path) -> bool:
    """Ask, where there is somebody to ask."""
    return sys.stdin.isatty() and typer.confirm(f"{out} exists already. Overwrite it?")


def _edit(option: str, text: str) -> dict[str, Any]:
    from crypsis.evaluate.edits import edit_from_dict

    name = option.removeprefix("--").replace("-", "_")
    left, equals, right = text.partition("=")
    edit: dict[str, Any]
    if name in ("rename", "set", "replace") and not equals:
        raise BadEdit(f"{option} takes a value after =, got {text!r}.")
    if name == "rename":
        edit = {"column": left, "to": right}
    elif name == "set":
        row, colon, column = left.partition(":")
        if not colon or not row.isdecimal():
            raise BadEdit(f"--set takes ROW:column=value, got {text!r}.")
        edit = {"row": int(row), "column": column, "value": right}
    elif name == "replace":
        column, colon, old = left.partition(":")
        if not colon:
            raise BadEdit(f"--replace takes column:old=new, got {text!r}.")
        name, edit = "set", {"column": column, "instead_of": old, "value": right}
    elif name == "add_row":
        edit = {"values": _cells(text)}
    elif name == "delete_row":
        if not text.isdecimal():
            raise BadEdit(f"--delete-row takes a row, counted from 0, got {text!r}.")
        edit = {"row": int(text)}
    elif name == "add_column":
        edit = {"column": left, "value": right}
    else:
        edit = {"column": text}
    return edit_from_dict({"edit": name, **edit}).to_dict()


def _cells(text: str) -> Any:
    """The values of a record by column: as JSON where commas or equals signs stand in them."""
    if text.lstrip().startswith("{"):
        from crypsis.strict_json import parse_json

        try:
            return parse_json(text)
        except ValueError as error:
            raise BadEdit(f"--add-row: the record is no JSON: {error}.") from error
    cells = [part.partition("=") for part in text.split(",") if part]
    if any(not found for _, found, _ in cells):
        raise BadEdit(f'--add-row takes column=value,… or {{"column": "value"}}, got {text!r}.')
    return {column: value for column, _, value in cells}

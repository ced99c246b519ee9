"""`crypsis warehouse`: integrate several sources, ask the result, and keep it up to date."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.command import Command, Group
from crypsis.cli.output import note, show, show_table
from crypsis.cli.settings import EVERY_COMMAND
from crypsis.errors import BadParameter

if TYPE_CHECKING:
    from crypsis.warehouse import BuildReport, Warehouse

warehouse_app = Group("Integrate several sources about the same people or things before anonymizing them.")

ConfigurationFile = Annotated[Path, typer.Argument(help="Configuration of the warehouse, TOML or JSON.")]
WorkFolder = Annotated[
    Path | None, typer.Option("--work", help="Work directory (default: `work/NAME` next to the configuration).")
]


@warehouse_app.command("check", epilog=EVERY_COMMAND)
def check_configuration(configuration: ConfigurationFile) -> None:
    """Check a configuration without fetching anything."""
    from crypsis.warehouse import Configuration

    read = Configuration.read(configuration)
    counts = {
        "sources": len(read.sources),
        "rules": len(read.rules),
        "matches": len(read.matches),
        "competence_queries": len(read.competence),
    }
    words = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items())
    show({"name": read.name, **counts}, f"{read.name}: the configuration is sound ({words}).")


@warehouse_app.command("build", epilog=EVERY_COMMAND)
def build_warehouse(configuration: ConfigurationFile, work: WorkFolder = None) -> None:
    """Build the warehouse; it becomes active if its competence queries pass, else exit with 4."""
    _finish(_warehouse(configuration, work).build(progress=note))


@warehouse_app.command("refresh", epilog=EVERY_COMMAND)
def refresh_source(
    configuration: ConfigurationFile,
    source: Annotated[str, typer.Argument(help="The source to read again.")],
    work: WorkFolder = None,
) -> None:
    """Read one source again; the result equals a whole build."""
    _finish(_warehouse(configuration, work).refresh(source, progress=note))


@warehouse_app.command("query", epilog=EVERY_COMMAND)
def query_warehouse(
    configuration: ConfigurationFile,
    question: Annotated[str, typer.Argument(help="A SPARQL query, or the path of a file that holds one.")],
    provenance: Annotated[bool, "Show the sources of every row."] = False,
    seconds: Annotated[float, "Longest time for an answer."] = 30.0,
    most_rows: Annotated[int, "Most rows of an answer."] = 100_000,
    work: WorkFolder = None,
) -> None:
    """Ask the active warehouse a question in SPARQL; it cannot change anything or reach other servers."""
    text = question
    if "{" not in question:
        path = Path(question)
        if not path.is_file():
            raise BadParameter(f"{question!r} is neither a SPARQL query nor a file.", parameter="question")
        text = path.read_text(encoding="utf-8")
    answer = _warehouse(configuration, work).query(text, provenance=provenance, timeout=seconds, most_rows=most_rows)
    if isinstance(answer, list):
        rows = [[*(term or "" for term in row.answer), _sets(row.minimal_witnesses)] for row in answer]
        width = len(answer[0].answer) if answer else 0
        show_table([*(f"column {number}" for number in range(1, width + 1)), "sources that suffice"], rows)
        return
    show_table(list(answer.variables), [[term or "" for term in row] for row in answer.rows])


@warehouse_app.command("metrics", epilog=EVERY_COMMAND)
def show_metrics(configuration: ConfigurationFile, work: WorkFolder = None) -> None:
    """Show what the sources share, what each adds, and whether the competence queries pass."""
    warehouse = _warehouse(configuration, work)
    report = warehouse.report()
    metrics: dict[str, Any] = dict(report.content["metrics"])
    rows = [
        [name, each["triples"], each["iris"], each["unique"], f"{each['degree_in_source']:.2f}",
         f"{each['degree_in_warehouse']:.2f}"]
        for name, each in metrics["sources"].items()
    ]  # fmt: skip
    show_table(["source", "triples", "entities", "only here", "facts per entity", "in the warehouse"], rows)
    overlaps = [[pair.replace("|", " and "), *numbers] for pair, numbers in metrics["common_iris"].items()]
    show_table(["sources", "entities in common", "share of the smaller"], overlaps)
    states = [[each["id"], each["rows"], "passed" if each["passed"] else "failed"] for each in report.competence]
    show_table(["competence query", "rows", "result"], states)


@warehouse_app.command("card", epilog=EVERY_COMMAND)
def show_card(
    configuration: ConfigurationFile,
    entity: Annotated[str, typer.Argument(help="IRI of the entity, or a text to search for.")],
    out: Annotated[Path | None, "Write the card as a page."] = None,
    work: WorkFolder = None,
) -> None:
    """Show what every source says of one entity."""
    warehouse = _warehouse(configuration, work)
    if "://" not in entity:
        matches = warehouse.search(entity)
        if len(matches) != 1:
            show_table(
                ["entity", "label"], [list(each) for each in matches], f"{len(matches)} entities match {entity!r}"
            )
            return
        entity = matches[0][0]
    card = warehouse.card(entity)
    if out is not None:
        out.write_text(card.to_html(), encoding="utf-8")
    lines = [card.entity]
    for source, properties in card.groups:
        lines += [f"\n{source}", *(f"  {name}: {', '.join(values)}" for name, values in properties.items())]
    show(card.to_dict(), "\n".join(lines))


@warehouse_app.command("review", epilog=EVERY_COMMAND)
def review_candidates(
    configuration: ConfigurationFile,
    accept: Annotated[list[str] | None, "LEFT=RIGHT: the two are one."] = None,
    reject: Annotated[list[str] | None, "LEFT=RIGHT: the two are not one."] = None,
    work: WorkFolder = None,
) -> None:
    """List pairs that may be one, and decide on them; decisions count from the next build on."""
    warehouse = _warehouse(configuration, work)
    for pairs, decision in ((accept or [], True), (reject or [], False)):
        for pair in pairs:
            left, sign, right = pair.partition("=")
            if not sign:
                raise BadParameter(f"A pair is written LEFT=RIGHT, got {pair!r}.")
            warehouse.decide(left, right, accept=decision)
    waiting = [[link.left[1:-1], link.right[1:-1], link.rule, link.status] for link in warehouse.candidates()]
    show_table(["left", "right", "rule", "status"], waiting, f"{len(waiting)} pairs wait for a decision")


@warehouse_app.command("export", epilog=EVERY_COMMAND)
def export_warehouse(
    configuration: ConfigurationFile,
    out: Annotated[Path, "File to write, N-Quads."],
    blank_nodes: Annotated[bool, "Write intermediate nodes as blank nodes, without their hashed names."] = False,
    work: WorkFolder = None,
) -> None:
    """Write everything in the warehouse as sorted N-Quads. It is not anonymized: keep it inside."""
    from crypsis.atomic import write_file

    text = _warehouse(configuration, work).dump(blank_nodes=blank_nodes)
    write_file(out, text.encode(), mode=0o600)
    show(
        {"file": str(out), "lines": text.count("\n")}, f"{text.count(chr(10)):,} lines in {out}, readable by you alone"
    )


@warehouse_app.command("publish", epilog=EVERY_COMMAND)
@dataclass(frozen=True, kw_only=True)
class PublishRelease(Command):
    """Publish a release as linked data with its provenance; what would name a data subject is refused."""

    configuration: ConfigurationFile
    release: Annotated[Path, typer.Argument(help="Release folder of the integrated table.")]
    out: Annotated[Path, "Folder to write the linked data to."]
    address: Annotated[str, typer.Option("--iri", help="Address that names the release on the web.")]
    title: Annotated[str, "Title of the release."]
    license: Annotated[str, "Address of the licence."]
    subjects: Annotated[str, "Class of the data subjects; none of their names may be published."] = (
        "tlo:BC60_Data_Subject"
    )
    vocabulary: Annotated[
        str | None, typer.Option("--via", help="Property of a vocabulary whose concepts are published as IRIs.")
    ] = None
    overwrite: Annotated[bool, "Replace an existing folder."] = False
    work: WorkFolder = None

    def execute(self) -> None:
        from crypsis.release import read_release
        from crypsis.warehouse.linked_data import SourceOfRelease
        from crypsis.warehouse.publication import Publication, publish_linked_data

        warehouse = _warehouse(self.configuration, self.work)
        concepts = {}
        if self.vocabulary is not None:
            tree = warehouse.hierarchy(self.vocabulary)
            concepts = {tree.labels.get(name, name): name for name in tree.parent if "://" in name}
        counts = warehouse.records_per_source(self.subjects)
        sources = [
            SourceOfRelease(source.id, source.namespace, source.title, counts[source.id])
            for source in warehouse.configuration.sources
            if counts[source.id]
        ]
        about = Publication(self.address, self.title, self.license, sources=sources, concepts=concepts)
        folder = publish_linked_data(
            read_release(self.release),
            self.out,
            about,
            subjects=warehouse.subjects(self.subjects),
            overwrite=self.overwrite,
        )
        show({"folder": str(folder)}, f"Linked data in {folder}: no data subject is named.")


def _warehouse(configuration: Path, work: Path | None) -> Warehouse:
    from crypsis.warehouse import Warehouse

    return Warehouse.from_config(configuration, work=work)


def _finish(report: BuildReport) -> None:
    for name, each in report.content["sources"].items():
        for warning in each["warnings"]:
            note(f"{name}: {warning}")
    for alarm in report.content["alarms"]:
        note(alarm)
    for conflict in report.content["conflicts"]:
        members = conflict["members"]
        more = f" and {len(members) - 4:,} more" if len(members) > 4 else ""
        note(f"{', '.join(members[:4])}{more} cannot all be one; the weakest rule is {conflict['weakest_rule']}")
    counts = ", ".join(f"{name} {each['triples']:,}" for name, each in report.content["sources"].items())
    if report.active:
        show(dict(report.content), f"The warehouse is active. Triples: {counts}.")
        return
    show(dict(report.content), f"Not activated: these competence queries failed: {', '.join(report.failed)}.")
    raise typer.Exit(code=4)


def _sets(witnesses: tuple[tuple[str, ...], ...]) -> str:
    return " or ".join(" + ".join(each) for each in witnesses)

"""Makes a page of each notebook when the documentation is built: its texts, its code, and what the code showed.

Jupyter is not needed, and nothing is loaded: outputs stand in the notebooks, which the tests run again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

FOLDER = Path(__file__).parent / "notebooks"


def page_of(notebook: dict[str, Any]) -> str:
    """The cells of a notebook below each other, as Markdown."""
    return "\n\n".join(part for cell in notebook["cells"] for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *map(_shown, cell["outputs"])]


def _shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    if "text/html" not in data:
        return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"
    lines = [line for line in "".join(data["text/html"]).splitlines() if line.strip()]  # a blank one would end the HTML
    return '<div class="notebook-output" style="overflow-x: auto">' + "\n".join(lines) + "</div>"


def on_config(config: Any) -> Any:
    """Called by mkdocs first: the pages stand in the navigation below their list."""
    pages = [f"notebooks/{path.stem}.md" for path in sorted(FOLDER.glob("*.ipynb"))]
    for entries in (entry for part in config.nav for entry in part.values() if isinstance(entry, list)):
        for place, entry in enumerate(entries):
            if isinstance(entry, dict) and entry.get("Notebooks") == "notebooks/index.md":
                entries[place] = {"Notebooks": ["notebooks/index.md", *pages]}
    return config


def on_files(files: Any, config: Any) -> Any:
    """Called by mkdocs when it has listed the files: a page is added for each notebook."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        content = page_of(json.loads(path.read_text(encoding="utf-8")))
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page: the list of notebooks leads to their pages, and to the files to download."""
    if page.file.src_uri != "notebooks/index.md":
        return markdown
    for path in FOLDER.glob("*.ipynb"):
        markdown = markdown.replace(f"({path.name}):", f"({path.stem}.md) ([download]({path.name})):")
    return markdown

"""Whether something that was typed is not kept yet: said beside the button that keeps it, and before a page is left."""

from __future__ import annotations

import json

from nicegui import ui

from crypsis.translation import _


class Unsaved:
    """A sign for one thing that is saved by hand; pages with several things have several."""

    def __init__(self) -> None:
        self.changed = False
        self.sign = ui.label(_("Not saved yet")).classes("unsaved").props("role=status")
        self.sign.set_visibility(False)

    def tell(self, changed: bool) -> None:
        """Said after every change; while it is true, the browser asks before it leaves the page."""
        if changed != self.changed:
            self.changed = changed
            self.sign.set_visibility(changed)
            ui.run_javascript(f"crypsis.unsaved({self.sign.id}, {json.dumps(changed)})")

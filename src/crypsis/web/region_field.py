"""A region to ask for: drawn on the map, or chosen from a list of places and nodes that can be searched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from crypsis.query.regions import NODE
from crypsis.translation import _, plural
from crypsis.web.asked_results import AskedResult
from crypsis.web.drawings import map_size
from crypsis.web.maps import choosing_map
from crypsis.wording import listed

_SHOWN = 6  # names of a region that are written out


class RegionField:
    """`value` are places and nodes as a question names them; `changed` is called whenever they change."""

    def __init__(self, label: str, asked: AskedResult, changed: Callable[[], Awaitable[None]]) -> None:
        self.asked, self.changed = asked, changed
        self.number_of = {place: number for number, place in enumerate(asked.places)}
        nodes = {
            f"{NODE}{name}": plural(
                "{name} (area of {count:,} place)", "{name} (area of {count:,} places)", places, name=name
            )
            for name, places in asked.nodes.items()
        }
        self.names = {**nodes, **{place: place for place in asked.places}}
        self.map: Any = None
        with ui.element("div").classes("stack").style("gap: 8px; width: 100%"):
            self._show_list(label)
            if asked.coordinates is not None:
                self._show_map(label)

    @property
    def value(self) -> tuple[str, ...]:
        return tuple(self.list.value or ())

    def _show_list(self, label: str) -> None:
        self.list = ui.select(
            self.names, label=label, multiple=True, value=[], with_input=True, on_change=self._chosen, clearable=True
        )
        self.list.props("outlined dense options-dense").style("width: 100%")
        self._write()

    def _show_map(self, label: str) -> None:
        assert self.asked.coordinates is not None
        grid = self.asked.release.side_file.grid
        picture = choosing_map(
            self.asked.places,
            *self.asked.coordinates,
            self.asked.release.side_file.crs,
            None if grid is None else grid.size,
            map_size(),
        )
        with ui.element("div").classes("stack").style("gap: 4px; width: 100%"):
            self.map = ui.html(picture, sanitize=False).classes("drawing choosing")
            self.place = f"region-map-{self.map.id}"
            self.map.props(f'id="{self.place}"')
            ui.label().classes("aloud").props("role=status aria-live=polite")
            ui.label(_("Click places, or drag a box around them (with Alt: remove them).")).classes("muted small")
        ui.on(f"region-{self.place}", self._drawn)
        ui.run_javascript(f"crypsis.region('{self.place}')")

    def _drawn(self, event: Any) -> None:
        """Add places of the map, remove them, or switch them; a node that loses a place becomes its other places."""
        outline = event.args
        hit = [self.asked.places[number] for number in outline["places"] if 0 <= number < len(self.asked.places)]
        chosen = set(self.asked.places_in(self.value))
        removed = [
            place for place in hit if outline["how"] == "remove" or (outline["how"] == "toggle" and place in chosen)
        ]
        kept = list(self.value)
        if removed:
            kept = [place for place in self.asked.places_in(self.value) if place not in removed]
        self.list.set_value([*kept, *(place for place in hit if place not in chosen and place not in removed)])

    async def _chosen(self) -> None:
        self._write()
        if self.map is not None:
            numbers = [self.number_of[place] for place in self.asked.places_in(self.value)]
            ui.run_javascript(f"crypsis.chosen('{self.place}', {numbers})")
        await self.changed()

    def _write(self) -> None:
        """A long region is shown by its first names and how many there are."""
        names = [self.names[name] for name in self.value]
        words = listed(names, _SHOWN) if names else ""
        self.list.props["display-value"] = words
        self.list.update()

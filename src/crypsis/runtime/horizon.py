"""What is out of the last H timestamps, joined by person: the table that cumulative mode promises something about.

Made from the text of the windows and from who is who, which only the publisher knows; the method has no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.sensitive_values import Token
from crypsis.data.vocabulary import Vocabulary
from crypsis.data.windows import PublishedWindow, PublishedWindows

_PERSON, _TIME, _PLACE, _EXIT = range(4)


class Horizon:
    """Distinct (person, time, place) that were published, as long as they are within the horizon.

    Where ends of visits are published they are beside, OPEN until they are told.
    """

    def __init__(self, length: int | None) -> None:
        self.length = length
        self.seq = self.y = -1
        self.labels: dict[str, int] = {}
        self.seen: Int64s = np.empty((0, 3), np.int64)  # sorted

    def add(self, read: PublishedWindows, people: Int32s) -> None:
        """A window as it was read from its text; people[r] is who record r is about."""
        (window,) = read.windows
        self.seq, self.y = window.seq, window.y
        code_of = np.array(
            [self.labels.setdefault(label, len(self.labels)) for label in read.locations.labels], np.int64
        )
        owners = np.repeat(people.astype(np.int64), np.diff(window.offsets))
        places = code_of[window.places] if len(code_of) else np.empty(0, np.int64)
        kept = self.seen
        if self.length is not None:
            kept = kept[kept[:, _TIME] > self.y - self.length]
        columns = [owners, window.times, places]
        if window.exits is not None:
            columns.append(window.exits)
        if len(kept) == 0:
            kept = np.empty((0, len(columns)), np.int64)
        if window.exits is None and kept.shape[1] > len(columns):  # a window without records
            columns.append(np.empty(0, np.int64))
        seen = np.unique(np.concatenate([kept, np.column_stack(columns)]), axis=0)
        if seen.shape[1] > _EXIT and len(seen):  # the end comes before OPEN, and is what counts
            seen = seen[np.concatenate([[True], (np.diff(seen[:, :_EXIT], axis=0) != 0).any(axis=1)])]
        self.seen = seen

    def joined(self, class_of: Int32s, classes: Sequence[frozenset[Token]]) -> PublishedWindows:
        """All of it as one window, a record per person."""
        who, counts = np.unique(self.seen[:, _PERSON], return_counts=True)
        order = np.argsort(np.array(list(self.labels), object)) if self.labels else np.empty(0, np.int64)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        times, places = self.seen[:, _TIME], self.seen[:, _PLACE]
        owners = self.seen[:, _PERSON]
        ranked = rank[places] if len(places) else places
        by_place = np.lexsort((ranked, times, owners))
        window = PublishedWindow(
            self.seq,
            int(times.min(initial=self.y)),
            self.y,
            tuple(map(str, who.tolist())),
            offsets_of(counts.astype(np.int64)),
            ranked[by_place].astype(np.int32),
            times[by_place],
            class_of[who],
            exits=self.seen[by_place, _EXIT] if self.seen.shape[1] > _EXIT else None,
        )
        return PublishedWindows((window,), Vocabulary(sorted(self.labels)), tuple(classes))

    # Checkpoints.

    def state(self) -> dict[str, Any]:
        return {"seq": self.seq, "y": self.y, "labels": list(self.labels), "seen": self.seen}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.seq, self.y, self.seen = state["seq"], state["y"], state["seen"]
        self.labels = {label: code for code, label in enumerate(state["labels"])}

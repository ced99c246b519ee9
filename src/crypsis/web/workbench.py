"""What pages and the API share: the workspace, tables that are open in memory, and work under way."""

from __future__ import annotations

from dataclasses import dataclass, field

from crypsis.web.datasets import Datasets
from crypsis.web.declaration import Declaration
from crypsis.web.experiments import Experiments
from crypsis.web.explorations import Explorations
from crypsis.web.importing import Imports
from crypsis.web.live_streams import LiveStreams
from crypsis.web.parts import Parts
from crypsis.web.security import Access
from crypsis.web.side_inputs import SideInputs
from crypsis.web.warehouses import Warehouses
from crypsis.web.workspace import Workspace


@dataclass
class Workbench:
    """One server's worth of it. `allow_paths`: files of this machine may be named; not where others are let in."""

    workspace: Workspace
    access: Access
    allow_paths: bool = True
    declaration: Declaration = field(init=False)
    datasets: Datasets = field(init=False)
    imports: Imports = field(init=False)
    side_inputs: SideInputs = field(init=False)
    experiments: Experiments = field(init=False)
    explorations: Explorations = field(init=False)
    streams: LiveStreams = field(init=False)
    warehouses: Warehouses = field(init=False)
    parts: Parts = field(init=False)

    def __post_init__(self) -> None:
        self.workspace.remove_leftovers()
        self.declaration = Declaration(self.workspace.folder)
        self.datasets = Datasets(self.workspace, allow_paths=self.allow_paths)
        self.imports = Imports(self.datasets)
        self.side_inputs = SideInputs(self.workspace, self.datasets)
        self.experiments = Experiments(self.workspace, self.datasets, self.side_inputs, self.declaration)
        self.explorations = Explorations(self.datasets, self.side_inputs)
        self.streams = LiveStreams(self.workspace, self.datasets)
        self.warehouses = Warehouses(self.workspace, self.datasets)
        self.parts = Parts(self.workspace, self.datasets, self.declaration)

    def close(self) -> None:
        """Stop what is running; everything that was saved stays."""
        self.experiments.close()
        self.streams.close()
        self.warehouses.close()
        self.parts.close()

"""A command as an object: its annotated fields are its arguments and options, `execute` is what it does."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, get_type_hints


class Command(ABC):
    """Base of commands with many options. Each is a frozen dataclass; the command line makes one, which executes it."""

    def __post_init__(self) -> None:
        self.execute()

    @classmethod
    def own_options_first(cls) -> type[Command]:
        """The command with those options last that it shares with others, as its help lists them."""
        signature, hints = inspect.signature(cls), get_type_hints(cls, include_extras=True)
        own = inspect.get_annotations(cls)
        parameters = [each.replace(annotation=hints[each.name]) for each in signature.parameters.values()]
        command: Any = cls
        command.__signature__ = signature.replace(parameters=sorted(parameters, key=lambda each: each.name not in own))
        return cls

    @abstractmethod
    def execute(self) -> None:
        """Do what the command says."""

"""A command as an object: its annotated fields are its arguments and options, `execute` is what it does."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Command(ABC):
    """Base of commands with many options. Each is a frozen dataclass; the command line makes one, which executes it."""

    def __post_init__(self) -> None:
        self.execute()

    @abstractmethod
    def execute(self) -> None:
        """Do what the command says."""

"""Several promises about one release: k-anonymity and l-diversity and t-closeness, all of them at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from crypsis.errors import BadParameter, BadRelease, MissingParameters
from crypsis.guarantees.guarantee import Guarantee
from crypsis.guarantees.k_anonymity import KAnonymity
from crypsis.guarantees.l_diversity import LDiversity
from crypsis.guarantees.t_closeness import TCloseness
from crypsis.parameters import SideInput

PARTS: dict[str, type[Guarantee]] = {one.model: one for one in (KAnonymity, LDiversity, TCloseness)}


class Promises(SideInput):
    """Promises about tables, at most one of each model. Immutable."""

    in_words = "a list of promises"

    def __init__(self, promises: Iterable[Guarantee]) -> None:
        self.listed = tuple(promises)
        models = [promise.model for promise in self.listed]
        if len(set(models)) != len(models) or not models or not set(models) <= set(PARTS):
            raise BadParameter(
                f"Promises must be different ones out of {', '.join(PARTS)}, got {', '.join(models) or 'none'}.",
                parameter="promises",
            )

    @classmethod
    def from_text(cls, text: str) -> Promises:
        """Promises with their defaults, by name: `k-anonymity,l-diversity`."""
        names = [name.strip() for name in text.split(",")]
        unknown = [name for name in names if name not in PARTS]
        if unknown:
            raise BadParameter(f"promises: known are {', '.join(PARTS)}, got {', '.join(unknown)}.")
        return cls(PARTS[name]() for name in names)

    def to_json(self) -> list[dict[str, Any]]:
        return [promise.to_dict() for promise in self.listed]

    @classmethod
    def from_json(cls, content: Any) -> Self:
        if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
            raise BadRelease("The manifest lists no guarantees.")
        guarantees = []
        for one in content:
            model, parameters = one.get("model"), one.get("parameters")
            if not isinstance(model, str) or model not in PARTS:
                raise BadRelease(f"The manifest names the unknown guarantee {str(model)[:80]!r}.")
            if not isinstance(parameters, dict):
                raise MissingParameters(f"The manifest gives no parameters for {model}.")
            guarantees.append(PARTS[model].from_parameters(parameters))
        return cls(guarantees)

    @property
    def identity(self) -> Hashable:
        return self.listed

    def __str__(self) -> str:
        return " and ".join(map(str, self.listed))


_ONLY_K = Promises([KAnonymity()])


@dataclass(frozen=True, kw_only=True)
class AllOf(Guarantee):
    """Every one of several promises holds."""

    protects_from = "Several guarantees hold at the same time, each against its own adversary."
    model = "all-of"
    assumptions = KAnonymity.assumptions
    not_covered = KAnonymity.not_covered[1:]

    promises: Annotated[Promises, "What is promised, all of it."] = _ONLY_K

    @classmethod
    def of(cls, *promises: Guarantee) -> Guarantee:
        """The one promise, or all of them together."""
        return promises[0] if len(promises) == 1 else cls(promises=Promises(promises))

    @property
    def parts(self) -> tuple[Guarantee, ...]:
        return self.promises.listed

    @property
    def scope(self) -> str:
        return " ".join(promise.scope for promise in self.parts)

    def meaning_for(self, known: Sequence[str]) -> str:
        return " ".join(promise.meaning_for(known) for promise in self.parts)

    @property
    def recountable(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(sentence for promise in self.parts for sentence in promise.recountable))

    @property
    def publisher_only(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(sentence for promise in self.parts for sentence in promise.publisher_only))

    @property
    def trivial(self) -> bool:
        return all(promise.trivial for promise in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """As for one promise, with the assumptions of each."""
        described = super().to_dict()
        for name in ("assumptions", "not_covered"):
            told = [sentence for promise in self.parts for sentence in promise.stated(name)]
            if any(isinstance(promise, LDiversity) for promise in self.parts):  # what a class has in common is covered
                told = [sentence for sentence in told if sentence != KAnonymity.not_covered[0]]
            described[name] = list(dict.fromkeys(told))
        return described

    def __str__(self) -> str:
        return str(self.promises)

"""Method: a checked parameter object that turns one kind of data into published data under a guarantee."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from crypsis.data.declarations import Declarations
from crypsis.data.microdata import Microdata
from crypsis.data.person_detection import person_undecided
from crypsis.errors import NotApplicable, NotScalable, PersonNotSupported
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee
from crypsis.methods.command_names import command_name
from crypsis.methods.scaling import BlockSize, Scaling
from crypsis.methods.shown_in_help import ShownInHelp
from crypsis.parameters import AtLeast, Checked, Deferred, SideInput, parameters_of
from crypsis.run_context import RunContext

RandomSeed = Annotated[int, AtLeast(0), "Seed of the random choice."]


@dataclass(frozen=True, kw_only=True)
class Method(Checked, metaclass=ShownInHelp):
    """One anonymization method with its parameters. Fields are annotated as `parameters` shows.

    `accepts` is the kind of data it takes; `stages` are the steps whose times the private report lists.
    `choose_when` and `costs` advise people; what it protects from is a sentence of the guarantee.
    """

    accepts: ClassVar[type[Microdata]]
    family: ClassVar[str]  # the folder of the kind of data that it is for
    promises: ClassVar[type[Guarantee]]
    choose_when: ClassVar[str]
    costs: ClassVar[str]
    example_options: ClassVar[str] = ""  # options without which it does not run on sample data
    stages: ClassVar[tuple[str, ...]] = ()
    randomized: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    counts_people: ClassVar[bool] = False  # where a person has several records, people are counted, not records
    truthful: ClassVar[bool] = False  # every published record is true of its original, if coarser or shorter
    scaling: ClassVar[Scaling] = Scaling.NONE  # on data in parts
    on_parts: ClassVar[str] = ""  # where that depends on parameters: which
    publishes_shards: ClassVar[bool] = False  # what it publishes of many records is never put together in memory
    instead_of_parts: ClassVar[str] = "read the data into memory"  # what would do where it cannot work on parts
    by_record: ClassVar[bool] = False  # each record of a file is read by itself, as under differential privacy

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__.startswith("crypsis.methods."):
            cls.family = cls.__module__.split(".")[2]

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What the published data promise."""

    def guarantee_of(self, data: Any, published: Any) -> Guarantee:
        """What these published data promise; where the promise names values, only such as the data name anyway."""
        return self.resolve(data).guarantee

    def declarations(self) -> Declarations:
        """How a file is read for this method: what its domains and hierarchies declare comes before any guess."""
        given = [value for value in self.parameters().values() if isinstance(value, (SideInput, Deferred))]
        types = {name: type for one in given for name, type in one.column_types().items()}
        return Declarations(types, by_record=self.by_record)

    @property
    def scaling_here(self) -> Scaling:
        """How it works on parts with these parameters."""
        return self.scaling

    @property
    def publishes_shards_here(self) -> bool:
        """With these parameters: nothing that it needs is made from all records."""
        recipes = [value for value in self.parameters().values() if isinstance(value, Deferred)]
        return self.publishes_shards and not any(recipe.needs_records for recipe in recipes)

    def anonymize_parts(self, data: Any, executor: Executor, context: RunContext, block: BlockSize) -> Any:
        """The published form of data in shards; methods that scale say how."""
        raise self.not_scalable()

    @property
    def assured(self) -> bool:
        """The method proves its guarantee; False marks baselines whose output only the verifier can vouch for."""
        return True

    @property
    def complete(self) -> bool:
        """With these parameters nothing is left out but what the release marks as suppressed; False where it may be."""
        return False

    @abstractmethod
    def anonymize(self, data: Any, context: RunContext) -> Any:
        """The published form of the data, rows in input order; private facts go to the context."""

    @classmethod
    def name(cls) -> str:
        """The name on the command line: `seq-anon` for SeqAnon, `bf-p2ka` for BFP2kA."""
        return command_name(cls.__name__)

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return cls.explanation().splitlines()[0]

    @classmethod
    def explanation(cls) -> str:
        """The docstring as it is written: what, how, cost, departures, example and citation, without the parameters."""
        return inspect.cleandoc(vars(cls).get("__doc__") or "")

    @classmethod
    def describe(cls) -> dict[str, Any]:
        """Everything a form, a help page or an experiment check needs to know."""
        return {
            "name": cls.name(),
            "class": cls.__name__,
            "family": cls.family,
            "summary": cls.summary(),
            "accepts": cls.accepts.__name__,
            "guarantee": cls.promises.model,
            "protects_from": cls.promises.protects_from,
            "choose_when": cls.choose_when,
            "costs": cls.costs,
            "stages": list(cls.stages),
            "randomized": cls.randomized,
            "needs": list(cls.needs),
            "counts_people": cls.counts_people,
            "scaling": cls.scaling.value,
            "parameters": [parameter.to_dict() for parameter in parameters_of(cls)],
        }

    @classmethod
    def describe_on_parts(cls) -> tuple[str, str]:
        """How it works on data in parts, and how a release of many records is put together."""
        if cls.scaling is Scaling.NONE:
            return cls.scaling.value, f"refused: {cls.instead_of_parts}"
        mode = f"{cls.scaling.value}; {cls.on_parts}" if cls.on_parts else cls.scaling.value
        return mode, "in bounded memory" if cls.publishes_shards else "put together in memory"

    @classmethod
    def not_scalable(cls) -> NotScalable:
        """The refusal of data in parts, with what would do."""
        from crypsis.methods import METHODS

        alike = [other for other in METHODS.values() if other.accepts is cls.accepts]
        able = [other.__name__ for other in alike if other.scaling is not Scaling.NONE]
        names_its_own = cls.instead_of_parts != Method.instead_of_parts  # what does the same work elsewhere
        others = f" Methods that can: {', '.join(able)}." if able and not names_its_own else ""
        return NotScalable(f"{cls.__name__} cannot be run on parts: {cls.instead_of_parts}.{others}", method=cls.name())

    def check_applicable(self, data: Any) -> None:
        """Refuse another kind of data in words."""
        if not isinstance(data, self.accepts):
            raise NotApplicable(f"{type(self).__name__} anonymizes {self.accepts.__name__}, got {type(data).__name__}.")
        self.check_people(data)

    @classmethod
    def check_people(cls, data: Any) -> None:
        """Refuse data for which nobody said who a person is, and people with several records that are not counted."""
        like = getattr(data, "person_like", None)
        if like is not None:
            raise person_undecided(like)
        repeats = getattr(data, "person_repeats", getattr(data, "person", None) is not None)
        if repeats and not cls.counts_people:
            raise PersonNotSupported(
                f"{cls.__name__} counts records, and in these data a person has several.{_counting(cls)}",
                method=cls.name(),
            )


def _counting(method: type[Method]) -> str:
    """Which methods for the same data count people, as a sentence."""
    from crypsis.methods import METHODS

    able = [other.__name__ for other in METHODS.values() if other.accepts is method.accepts and other.counts_people]
    advice = f" Methods that count people: {', '.join(able)}." if able else " Give each person one record."
    if hasattr(method.accepts, "unite_by_person"):
        advice += " Or make one record of all records of a person (unite='person')."
    return advice

"""PrivateMethod: what all differentially private methods share. Check first, then charge, then draw.

Parameters and domains are checked before anything is charged, and the charge is on disk before the first draw. Nothing
is returned unless the recorded calls add up to no more than epsilon and the provider made no call beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from crypsis.data.person_detection import person_undecided
from crypsis.data.scanned import ScannedTable
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.stream import Events
from crypsis.errors import BadEpsilon, PublicInputMissing
from crypsis.executors.executor import Executor
from crypsis.guarantees import DifferentialPrivacy
from crypsis.ledger import BudgetLedger, check_name, keyed_digest, new_key
from crypsis.methods.contributions import bounded, persons_of
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, Scaling
from crypsis.noise import MeteredNoise, Noise
from crypsis.parameters import Epsilon, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts, cut_private, scan_private

LARGEST_EPSILON = 10


@dataclass(frozen=True, kw_only=True)
class PrivateMethod(Method):
    """A method that spends epsilon. Nobody can repeat a run: there is nothing to repeat it from."""

    promises = DifferentialPrivacy
    randomized = True
    by_record = True
    counts_people = True
    needs = ("declared domains",)
    scaling = Scaling.EXACT
    publishes: ClassVar[type]

    epsilon: Annotated[Fraction, Epsilon(), "What the release may spend; smaller is safer. Exact: 0.1 is a tenth."] = (
        Fraction(1)
    )
    large_epsilon: Annotated[bool, f"Allow an epsilon above {LARGEST_EPSILON}, which protects hardly anybody."] = False
    noise: Annotated[
        str, OneOf(exact="Crypsis", opendp="the library OpenDP"), "Who draws the noise: Crypsis, or the library OpenDP."
    ] = "exact"
    ledger: Annotated[BudgetLedger | None, "File that adds up what is spent on these data; its limit is kept."] = None

    dataset: Annotated[str | None, "Name of the dataset that epsilon is spent on; its ledger bears the same name."] = (
        None
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dataset is not None:
            check_name(self.dataset)
        if self.epsilon > LARGEST_EPSILON and not self.large_epsilon:
            raise BadEpsilon(
                f"{type(self).__name__}: epsilon is {self.epsilon}, and above {LARGEST_EPSILON} it protects hardly "
                "anybody; lower it, or say that you mean it (large_epsilon).",
                parameter="epsilon",
                got=str(self.epsilon),
            )

    @property
    def guarantee(self) -> DifferentialPrivacy:
        return DifferentialPrivacy(epsilon=self.epsilon)

    def guarantee_of(self, data: Any, published: Any) -> DifferentialPrivacy:
        mark = data.by_record
        named = isinstance(data, Events) or (persons_of(data) is not None if mark is None else mark.persons_told)
        return replace(
            self.guarantee,
            persons="told-by-ids" if named else "each-record",
            reading="not-covered" if mark is None else "by-record",
        )

    def in_parts(self, data: Any, executor: Executor, bounds: Sequence[int] | None = None) -> PrivateParts:
        """The data in parts, as this method reads them; those in memory in one for each worker, or ending at bounds."""
        if isinstance(data, (ScannedTable, ScannedRecords)):
            return scan_private(data, self.declarations(), executor)
        counted = bounded(data, getattr(self, "records_per_person", 1))
        shares = [len(counted) * index // executor.workers for index in range(executor.workers + 1)]
        return replace(cut_private(counted, executor, bounds or shares), head=data, whole=data)

    def anonymize_parts(self, data: PrivateParts, executor: Executor, context: RunContext, block: BlockSize) -> Any:
        """The same as of data in memory: shards count with whole numbers, and noise is drawn here alone."""
        return self.anonymize(data, context)

    @classmethod
    def check_people(cls, data: Any) -> None:
        """Whether somebody has several records is a fact of the data: contributions are bounded, nothing is refused.

        Data that were not read a record at a time have told it already; there the question is asked as for any method.
        """
        like = getattr(data, "person_like", None)
        if like is not None and data.by_record is None and persons_of(data) is None:
            raise person_undecided(like)

    def note_reading(self, data: Any, context: RunContext) -> None:
        """How many lines were no records: a count of the data, for the private report alone."""
        if data.by_record is not None:
            context.private["lines_left_out_when_reading"] = data.by_record.left_out

    def missing(self, parameter: str, what: str) -> PublicInputMissing:
        """The error that says which public input has to be declared."""
        option = "--" + parameter.replace("_", "-")
        return PublicInputMissing(
            f"{type(self).__name__}: declare {what} ({parameter}, {option}). Taking them from the data would tell who "
            "is in them; if those of the data are public anyway, write public-in-data.",
            parameter=parameter,
        )

    def charged(self, noise: Noise, *, one_by_one: bool = False, records: int = 1) -> MeteredNoise:
        """Charge the ledger; from then on the budget is spent, whatever happens to the run."""
        if self.ledger is not None and noise.publishable:
            promised = self.guarantee
            self.ledger.charge(
                self.epsilon, self.name(), dataset=self.dataset, unit=promised.unit, relation=promised.relation
            )
        return MeteredNoise(noise, self.epsilon, one_by_one=one_by_one, records=records)

    def accounted(self, noise: MeteredNoise) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """What a release tells about its budget, and the ledger of the run, which it does not."""
        spent = noise.check()
        recorded = {"epsilon": str(self.epsilon), "root": noise.root.to_json()}
        key = new_key()
        named = self.dataset
        if self.ledger is not None and noise.noise.publishable:
            named = self.ledger.state().dataset
        facts = {
            "epsilon": str(self.epsilon),
            "spent": str(spent),
            "accounting": "sequential and parallel composition of pure differential privacy",
            "ledger_digest": keyed_digest(recorded, key),
            "noise": noise.noise.name,
            "exactness": noise.noise.exactness,
            "dataset": named,
            "dataset_ledger": "none" if self.ledger is None else "kept",
        }
        return facts, {"ledger": recorded, "key": key}

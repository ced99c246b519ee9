"""Every exception of Crypsis. Each carries a stable kebab-case `code` and the exit code of the command line.

Each is also the built-in error that a Python program expects: a wrong value or content is a `ValueError`, an unknown
name a `KeyError`, a file that is not there a `FileNotFoundError`, one that is there already a `FileExistsError`, a file
that cannot be written an `OSError`, a server that does not answer a `ConnectionError`, a missing package an
`ImportError`, a state that has changed a `RuntimeError`. Code of ours that catches a built-in error lets these pass.

CrypsisError
├── BadParameter                bad-parameter            2
│   ├── BadConfiguration        bad-configuration        2   of a live stream
│   ├── BadEpsilon              bad-epsilon              2   not positive, or larger than was allowed
│   ├── BudgetScheme            budget-scheme            2   the taxonomy is too high for this division of epsilon
│   ├── FigureNotPublishable    figure-not-publishable   2   a figure against the original that must stay private
│   └── BadExperiment           bad-experiment           2   an experiment file; lists all its problems
├── InputError                  input-error              2   what was given cannot be used
│   ├── MissingFile             missing-file             2
│   ├── UnreadableFile          unreadable-file          2   truncated, wrong encoding, not that format
│   ├── UnknownFormat           unknown-format           2
│   ├── BadRow                  bad-row                  2   wrong field count, unparsable value, bad order
│   ├── PartsDiffer             parts-differ             2   parts of one dataset with different columns or types
│   ├── PartChanged             part-changed             2   a part that was changed while it was worked on
│   ├── InsecureScheduler       insecure-scheduler       2   a cluster on another host without TLS
│   ├── WorkersDiffer           workers-differ           2   workers with other versions, or without the files
│   ├── UnknownColumn           unknown-column           2
│   ├── UndeclaredRole          undeclared-role          2
│   ├── UnknownMethod           unknown-method           2
│   ├── UnknownLocation         unknown-location         2
│   ├── DuplicateLocation       duplicate-location       2
│   ├── BadLabel                bad-label                2
│   ├── BadCoordinate           bad-coordinate           2
│   ├── BadTaxonomy             bad-taxonomy             2   not one tree with the locations or items as leaves
│   ├── HierarchyError          hierarchy-error          2   a value without a leaf, a cycle, two roots, two parents
│   ├── BadConstraints          bad-constraints          2   overlapping, or a visited location in none
│   ├── BadEdit                 bad-edit                 2   an edit of a table that cannot be carried out
│   ├── BadQuery                bad-query                2   not in the query language, or not about this table
│   ├── BadPolicy               bad-policy               2   a privacy or utility policy that contradicts itself
│   ├── BadSensitiveValues      bad-sensitive-values     2   not attributes with their values
│   ├── SensitiveLocation       sensitive-location       2   a location is declared a sensitive value
│   ├── BadTimestamps           bad-timestamps           2
│   ├── VagueTimes              vague-times              2
│   ├── BadInterval             bad-interval             2   bounds of a period that cross
│   ├── InconsistentEvidence    inconsistent-evidence    2   observations of a period that contradict each other
│   ├── EmptyTrack              empty-track              2
│   ├── OwnerRepeated           owner-repeated           2
│   ├── PersonUndecided         person-undecided         2   a column names people, and one may have several rows
│   ├── PersonNotSupported      person-not-supported     2   the method cannot count people with several records
│   ├── OptionWithoutEffect     option-without-effect    2   an option that this way of reading does not use
│   ├── TooManyClusters         too-many-clusters        2   a cluster would have fewer than k rows
│   ├── NotApplicable           not-applicable           2   this data kind, or no row alignment
│   │   ├── NoQuasiIdentifiers  no-quasi-identifiers     2   the guarantee needs quasi-identifiers; there are none
│   │   └── NotScalable         not-scalable             2   a method that cannot work on parts, and why
│   ├── OriginalRequired        original-required        2   the definition needs the original data
│   ├── BadRelease              bad-release              2   a release folder that is not whole
│   │   ├── LeavesFolder        leaves-folder            2   a link or a path that leads out of the folder
│   │   ├── UnlistedFile        unlisted-file            2   a file that the manifest or the data package does not list
│   │   ├── MissingParameters   missing-parameters       2   a guarantee that does not state all its parameters
│   │   └── ContradictoryRoles  contradictory-roles      2   roles that do not fit the columns of the release
│   ├── BadKey                  bad-key                  2   no key, or a private key that others can read
│   ├── BadPublication          format-error             2   published data that do not have their form
│   ├── OutputExists            output-exists            2
│   ├── BadDomain               bad-domain               2   a declared domain that is empty or repeats itself
│   ├── PublicInputMissing      public-input-missing     2   a domain would have to be taken from the data
│   ├── SinkBehind              sink-behind              2   a sink that lost windows which were published
│   ├── AllMalformed            all-malformed            2   a finite stream without a single valid event
│   ├── BadLedger               bad-ledger               2   a ledger file that was changed or is of another unit
│   │   ├── LedgerDamaged       ledger-damaged           2   a ledger that is behind its head, or gone
│   │   └── AnotherDataset      another-dataset          2   a ledger that keeps account of another dataset
│   ├── ConfigurationChanged    configuration-changed    2   a stream cannot go on with other settings
│   ├── DamagedCheckpoint       damaged-checkpoint       2   the state of a stream is not whole
│   ├── JournalMismatch         journal-mismatch         2   a window would not be the one that was decided
│   ├── StateInUse              state-in-use             2   another process runs this stream
│   ├── BrokerRefused           broker-refused           2   wrong login, or a certificate that cannot be trusted
│   ├── TooManyBadEvents        too-many-bad-events      2
│   ├── BadWarehouse            bad-warehouse            2   a configuration of a warehouse; lists all its problems
│   ├── SourceUnreachable       source-unreachable       2   a source of a warehouse that cannot be fetched
│   ├── ConflictingValues       conflicting-values       2   sources disagree and the policy forbids it
│   ├── UnsafeRelease           unsafe-release           2   linked data that would name a data subject
│   ├── NoSuchEntry             no-such-entry            2   nothing in the workspace under this number
│   ├── ChangedElsewhere        changed-elsewhere        2   saved by another tab in the meantime
│   ├── StaleResult             stale-result             2   data or settings have changed since; not confirmed
│   ├── UnconfirmedColumn       unconfirmed-column       2   free text or exact dates that nobody has confirmed
│   │   └── DirectIdentifier    direct-identifier        2   names, addresses or numbers of people
│   └── MissingExtra            missing-extra            2   an optional dependency is not installed
├── Infeasible                  infeasible               3   no release with this guarantee exists
│   ├── TooFewTrajectories      too-few-trajectories     3
│   ├── TooFewRecords           too-few-records          3
│   ├── InfeasibleLength        infeasible-length        3
│   ├── InfeasibleDiversity     infeasible-diversity     3
│   ├── BudgetExhausted         budget-exhausted         3   the ledger's limit would be exceeded
│   ├── PoliciesConflict        policies-conflict        3   privacy cannot be had within the utility policy
│   └── UtilityConstraintsUnsatisfied  utility-constraints-unsatisfied  3
├── VerificationFailed          verification-failed      4
├── LimitReached                limit-reached            5
│   ├── TooLarge                too-large                5
│   │   └── BlockTooLarge       block-too-large          5   a block that would not fit into a worker's memory
│   └── CapacityReached         capacity-reached         5   more people or events than a stream was given room for
├── ReviewAmber                 review-amber             6   with --strict: a light is amber
├── ReviewRed                   review-red               7   with --strict: a light is red
├── WriteFailed                 write-failed             1   disk full, permission: nothing is left behind
│   └── BrokerSilent            broker-silent            2   the broker of a sink does not answer
├── WorkerFailed                worker-failed            1   workers were lost again and again
├── Cancelled                   cancelled                130
└── InternalError               internal-error           1   a bug of ours
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar

from crypsis.places import reword


class CrypsisError(Exception):
    """Base of all errors: a sentence, an optional place (file, line, column) and machine-readable details."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, where: str | None = None, **details: object) -> None:
        super().__init__(message)
        self.sentence = message
        self.final = False
        self.where = where
        self.details = details

    @property
    def message(self) -> str:
        """The sentence in the words of the place where this process speaks (see `places`)."""
        return self.sentence if self.final else reword(self.sentence, parameter=self.details.get("parameter"))

    def told(self, place: str, labels: Mapping[str, str] | None = None) -> CrypsisError:
        """The same error in the words of a place; `labels` are those of fields in the browser."""
        words = self.sentence if self.final else reword(self.sentence, place, labels, self.details.get("parameter"))
        told = _made_again(type(self), words, self.where, self.details)
        told.final = True
        return told

    def renamed(self, old: str, new: str) -> CrypsisError:
        """The same error where a file goes by another name."""
        where = None if self.where is None else self.where.replace(old, new)
        details = {
            key: value.replace(old, new) if isinstance(value, str) else value for key, value in self.details.items()
        }
        return _made_again(type(self), self.sentence.replace(old, new), where, details)

    def __str__(self) -> str:
        return f"{self.message} ({self.where})" if self.where else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes whole."""
        return _made_again, (type(self), self.sentence, self.where, self.details)

    @classmethod
    def family(cls) -> str:
        """The code of the branch of the tree above: `input-error` for `bad-row`, `unreadable-file` and their like."""
        lineage = [kind for kind in cls.__mro__ if issubclass(kind, CrypsisError) and kind is not CrypsisError]
        return lineage[-1].code if lineage else cls.code

    def to_dict(self) -> dict[str, object]:
        """The machine-readable form that `--json` prints."""
        told = {"code": self.code, "family": self.family(), "message": self.message, "where": self.where}
        return {**told, **self.details}


class BadParameter(CrypsisError, ValueError):
    code = "bad-parameter"
    exit_code = 2


class BadEpsilon(BadParameter):
    code = "bad-epsilon"


class BudgetScheme(BadParameter):
    code = "budget-scheme"


class BadConfiguration(BadParameter):
    code = "bad-configuration"


class FigureNotPublishable(BadParameter):
    code = "figure-not-publishable"


class BadExperiment(BadParameter):
    code = "bad-experiment"


class InputError(CrypsisError):
    code = "input-error"
    exit_code = 2


class MissingFile(InputError, FileNotFoundError):
    code = "missing-file"

    def __init__(self, message: str, *, where: str | None = None, **details: object) -> None:
        super().__init__(message, where=where, **details)
        self.errno, self.filename = errno.ENOENT, where


class UnreadableFile(InputError, ValueError):
    code = "unreadable-file"


class UnknownFormat(InputError, ValueError):
    code = "unknown-format"


class BadRow(InputError, ValueError):
    code = "bad-row"


class PartsDiffer(InputError, ValueError):
    code = "parts-differ"


class PartChanged(InputError, RuntimeError):
    code = "part-changed"


class InsecureScheduler(InputError, ConnectionError):
    code = "insecure-scheduler"


class WorkersDiffer(InputError, RuntimeError):
    code = "workers-differ"


class UnknownColumn(InputError, KeyError):
    code = "unknown-column"


class UndeclaredRole(InputError, ValueError):
    code = "undeclared-role"


class UnknownMethod(InputError, KeyError):
    code = "unknown-method"


class UnknownLocation(InputError, KeyError):
    code = "unknown-location"


class DuplicateLocation(InputError, ValueError):
    code = "duplicate-location"


class BadLabel(InputError, ValueError):
    code = "bad-label"


class BadCoordinate(InputError, ValueError):
    code = "bad-coordinate"


class BadTaxonomy(InputError, ValueError):
    code = "bad-taxonomy"


class HierarchyError(InputError, ValueError):
    code = "hierarchy-error"


class BadConstraints(InputError, ValueError):
    code = "bad-constraints"


class BadEdit(InputError, ValueError):
    code = "bad-edit"


class BadQuery(InputError, ValueError):
    code = "bad-query"


class BadPolicy(InputError, ValueError):
    code = "bad-policy"


class BadSensitiveValues(InputError, ValueError):
    code = "bad-sensitive-values"


class SensitiveLocation(InputError, ValueError):
    code = "sensitive-location"


class BadInterval(InputError, ValueError):
    code = "bad-interval"


class InconsistentEvidence(InputError, ValueError):
    code = "inconsistent-evidence"


class BadTimestamps(InputError, ValueError):
    code = "bad-timestamps"


class VagueTimes(InputError, ValueError):
    code = "vague-times"


class EmptyTrack(InputError, ValueError):
    code = "empty-track"


class OwnerRepeated(InputError, ValueError):
    code = "owner-repeated"


class PersonUndecided(InputError, ValueError):
    code = "person-undecided"


class PersonNotSupported(InputError, ValueError):
    code = "person-not-supported"


class OptionWithoutEffect(InputError, ValueError):
    code = "option-without-effect"


class TooManyClusters(InputError, ValueError):
    code = "too-many-clusters"


class NotApplicable(InputError, ValueError):
    code = "not-applicable"


class NoQuasiIdentifiers(NotApplicable):
    code = "no-quasi-identifiers"


class NotScalable(NotApplicable):
    code = "not-scalable"


class OriginalRequired(InputError, ValueError):
    code = "original-required"


class BadRelease(InputError, ValueError):
    code = "bad-release"


class LeavesFolder(BadRelease):
    code = "leaves-folder"


class UnlistedFile(BadRelease):
    code = "unlisted-file"


class MissingParameters(BadRelease):
    code = "missing-parameters"


class ContradictoryRoles(BadRelease):
    code = "contradictory-roles"


class BadKey(InputError, ValueError):
    code = "bad-key"


class BadPublication(InputError, ValueError):
    code = "format-error"


class OutputExists(InputError, FileExistsError):
    code = "output-exists"

    def __init__(self, message: str, *, where: str | None = None, **details: object) -> None:
        super().__init__(message, where=where, **details)
        self.errno, self.filename = errno.EEXIST, where


class BadDomain(InputError, ValueError):
    code = "bad-domain"


class PublicInputMissing(InputError, ValueError):
    code = "public-input-missing"


class SinkBehind(InputError, RuntimeError):
    code = "sink-behind"


class AllMalformed(InputError, ValueError):
    code = "all-malformed"


class BadLedger(InputError, ValueError):
    code = "bad-ledger"


class LedgerDamaged(BadLedger):
    code = "ledger-damaged"


class AnotherDataset(BadLedger):
    code = "another-dataset"


class ConfigurationChanged(InputError, RuntimeError):
    code = "configuration-changed"


class DamagedCheckpoint(InputError, RuntimeError):
    code = "damaged-checkpoint"


class JournalMismatch(InputError, RuntimeError):
    code = "journal-mismatch"


class StateInUse(InputError, RuntimeError):
    code = "state-in-use"


class BrokerRefused(InputError, ConnectionError):
    code = "broker-refused"


class TooManyBadEvents(InputError, RuntimeError):
    code = "too-many-bad-events"


class BadWarehouse(InputError, ValueError):
    code = "bad-warehouse"


class SourceUnreachable(InputError, ConnectionError):
    code = "source-unreachable"


class ConflictingValues(InputError, ValueError):
    code = "conflicting-values"


class UnsafeRelease(InputError, RuntimeError):
    code = "unsafe-release"


class NoSuchEntry(InputError, KeyError):
    code = "no-such-entry"


class ChangedElsewhere(InputError, RuntimeError):
    code = "changed-elsewhere"


class StaleResult(InputError, RuntimeError):
    code = "stale-result"


class UnconfirmedColumn(InputError, ValueError):
    code = "unconfirmed-column"


class DirectIdentifier(UnconfirmedColumn):
    code = "direct-identifier"


class MissingExtra(InputError, ImportError):
    code = "missing-extra"


class Infeasible(CrypsisError):
    code = "infeasible"
    exit_code = 3


class TooFewTrajectories(Infeasible):
    code = "too-few-trajectories"


class TooFewRecords(Infeasible):
    code = "too-few-records"


class InfeasibleLength(Infeasible):
    code = "infeasible-length"


class InfeasibleDiversity(Infeasible):
    code = "infeasible-diversity"


class BudgetExhausted(Infeasible):
    code = "budget-exhausted"


class PoliciesConflict(Infeasible):
    code = "policies-conflict"


class UtilityConstraintsUnsatisfied(Infeasible):
    code = "utility-constraints-unsatisfied"


class VerificationFailed(CrypsisError, RuntimeError):
    code = "verification-failed"
    exit_code = 4


class LimitReached(CrypsisError):
    code = "limit-reached"
    exit_code = 5


class TooLarge(LimitReached):
    code = "too-large"


class BlockTooLarge(TooLarge):
    code = "block-too-large"


class CapacityReached(LimitReached):
    code = "capacity-reached"


class ReviewAmber(CrypsisError):
    code = "review-amber"
    exit_code = 6


class ReviewRed(CrypsisError):
    code = "review-red"
    exit_code = 7


class WriteFailed(CrypsisError, OSError):
    code = "write-failed"
    exit_code = 1


class BrokerSilent(WriteFailed):
    code = "broker-silent"
    exit_code = 2


class WorkerFailed(CrypsisError, RuntimeError):
    code = "worker-failed"
    exit_code = 1


class Cancelled(CrypsisError):
    code = "cancelled"
    exit_code = 130


class InternalError(CrypsisError, RuntimeError):
    code = "internal-error"
    exit_code = 1


def _made_again(kind: type[CrypsisError], message: str, where: str | None, details: dict[str, object]) -> CrypsisError:
    return kind(message, where=where, **details)


def describe_bug(error: BaseException) -> str:
    """`KeyError in data/cells.py, line 12`: what it was about may be data of people and is never told."""
    import traceback

    ours = [
        (frame.filename.replace("\\", "/").rpartition("/crypsis/")[2], frame.lineno)
        for frame in traceback.extract_tb(error.__traceback__)
        if "/crypsis/" in frame.filename.replace("\\", "/")
    ]
    return type(error).__name__ + (f" in {ours[-1][0]}, line {ours[-1][1]}" if ours else "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'age'?` for the closest known name, or nothing."""
    close = get_close_matches(str(name), list(known), n=1)
    return f" Did you mean '{close[0]}'?" if close else ""

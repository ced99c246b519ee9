"""Every exception of Crypsis. Each carries a stable kebab-case `code` and the exit code of the command line.

Each is also the built-in error that a Python program expects: a wrong value or content is a `ValueError`, an unknown
name a `KeyError`, a file that is not there a `FileNotFoundError`, one that is there already a `FileExistsError`, a file
that cannot be written an `OSError`, a server that does not answer a `ConnectionError`, a missing package an
`ImportError`, a state that has changed a `RuntimeError`. Code of ours that catches a built-in error lets these pass.

The docstring of each says what is wrong; `docs/reference/errors.md` lists them all.
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

    def in_words_of(self, place: str, labels: Mapping[str, str] | None = None) -> CrypsisError:
        """The same error in the words of a place; `labels` are those of fields in the browser."""
        words = self.sentence if self.final else reword(self.sentence, place, labels, self.details.get("parameter"))
        reworded = _made_again(type(self), words, self.where, self.details)
        reworded.final = True
        return reworded

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
        """The code of the base that a family shares: `input-error` for `bad-row`, `unreadable-file` and their like."""
        lineage = [kind for kind in cls.__mro__ if issubclass(kind, CrypsisError) and kind is not CrypsisError]
        return lineage[-1].code if lineage else cls.code

    def to_dict(self) -> dict[str, object]:
        """The machine-readable form that `--json` prints."""
        content = {"code": self.code, "family": self.family(), "message": self.message, "where": self.where}
        return {**content, **self.details}


class BadParameter(CrypsisError, ValueError):
    """A parameter has a value that it cannot have."""

    code = "bad-parameter"
    exit_code = 2


class BadEpsilon(BadParameter):
    """Epsilon is not positive, or larger than was allowed."""

    code = "bad-epsilon"


class BudgetScheme(BadParameter):
    """The taxonomy is too high for this division of epsilon."""

    code = "budget-scheme"


class BadConfiguration(BadParameter):
    """The configuration of a live stream cannot be used."""

    code = "bad-configuration"


class FigureNotPublishable(BadParameter):
    """A figure against the original must stay private."""

    code = "figure-not-publishable"


class BadExperiment(BadParameter):
    """An experiment file cannot be used; the error lists all its problems."""

    code = "bad-experiment"


class InputError(CrypsisError):
    """What was given cannot be used."""

    code = "input-error"
    exit_code = 2


class MissingFile(InputError, FileNotFoundError):
    """A file is not there."""

    code = "missing-file"

    def __init__(self, message: str, *, where: str | None = None, **details: object) -> None:
        super().__init__(message, where=where, **details)
        self.errno, self.filename = errno.ENOENT, where


class UnreadableFile(InputError, ValueError):
    """A file is truncated, in a wrong encoding or not in its format."""

    code = "unreadable-file"


class UnknownFormat(InputError, ValueError):
    """A file has no format that can be used here."""

    code = "unknown-format"


class BadRow(InputError, ValueError):
    """A row has a wrong number of fields, a value that cannot be parsed or a bad position in the order."""

    code = "bad-row"


class PartsDiffer(InputError, ValueError):
    """Parts of one dataset have different columns or types."""

    code = "parts-differ"


class PartChanged(InputError, RuntimeError):
    """A part was changed while it was worked on."""

    code = "part-changed"


class InsecureScheduler(InputError, ConnectionError):
    """A cluster on another host is addressed without TLS."""

    code = "insecure-scheduler"


class WorkersDiffer(InputError, RuntimeError):
    """Workers have other versions, or lack the files."""

    code = "workers-differ"


class UnknownColumn(InputError, KeyError):
    """The data have no column of this name."""

    code = "unknown-column"


class UndeclaredRole(InputError, ValueError):
    """A column has no role."""

    code = "undeclared-role"


class UnknownMethod(InputError, KeyError):
    """No method has this name."""

    code = "unknown-method"


class UnknownLocation(InputError, KeyError):
    """A location is not in the location table."""

    code = "unknown-location"


class DuplicateLocation(InputError, ValueError):
    """The location table lists a location twice."""

    code = "duplicate-location"


class BadLabel(InputError, ValueError):
    """A label cannot stand where it is used: it is empty, unknown or has a separator in it."""

    code = "bad-label"


class BadCoordinate(InputError, ValueError):
    """Coordinates are missing, not finite or outside their range."""

    code = "bad-coordinate"


class BadTaxonomy(InputError, ValueError):
    """A taxonomy is not one tree with the locations or items as leaves."""

    code = "bad-taxonomy"


class HierarchyError(InputError, ValueError):
    """A hierarchy lacks a leaf for a value, or has a cycle, two roots or two parents."""

    code = "hierarchy-error"


class BadConstraints(InputError, ValueError):
    """Constraints overlap, or a visited location is in none."""

    code = "bad-constraints"


class BadEdit(InputError, ValueError):
    """An edit of a table cannot be carried out."""

    code = "bad-edit"


class BadQuery(InputError, ValueError):
    """A question is not in the query language, or not about this table."""

    code = "bad-query"


class BadPolicy(InputError, ValueError):
    """A privacy or utility policy contradicts itself."""

    code = "bad-policy"


class BadSensitiveValues(InputError, ValueError):
    """Sensitive values are not attributes with their values."""

    code = "bad-sensitive-values"


class SensitiveLocation(InputError, ValueError):
    """A location is declared a sensitive value."""

    code = "sensitive-location"


class BadInterval(InputError, ValueError):
    """The bounds of a period cross."""

    code = "bad-interval"


class InconsistentEvidence(InputError, ValueError):
    """Observations of a period contradict each other."""

    code = "inconsistent-evidence"


class BadTimestamps(InputError, ValueError):
    """Times are missing, cannot be parsed or go backwards."""

    code = "bad-timestamps"


class VagueTimes(InputError, ValueError):
    """Times are not exact enough for what was asked."""

    code = "vague-times"


class EmptyTrack(InputError, ValueError):
    """A track has no fix."""

    code = "empty-track"


class OwnerRepeated(InputError, ValueError):
    """Owners have several trajectories, and the unit that is counted was not chosen."""

    code = "owner-repeated"


class PersonUndecided(InputError, ValueError):
    """A column names people, and one may have several rows."""

    code = "person-undecided"


class PersonNotSupported(InputError, ValueError):
    """The method cannot count people with several records."""

    code = "person-not-supported"


class OptionWithoutEffect(InputError, ValueError):
    """An option is given that this way of reading does not use."""

    code = "option-without-effect"


class TooManyClusters(InputError, ValueError):
    """A cluster would have fewer than k rows."""

    code = "too-many-clusters"


class NotApplicable(InputError, ValueError):
    """The method or metric is not for data of this kind, or rows are not aligned."""

    code = "not-applicable"


class NoQuasiIdentifiers(NotApplicable):
    """The guarantee needs quasi-identifiers, and the data have none."""

    code = "no-quasi-identifiers"


class NotScalable(NotApplicable):
    """The method cannot work on parts; the error says why."""

    code = "not-scalable"


class OriginalRequired(InputError, ValueError):
    """The definition needs the original data."""

    code = "original-required"


class BadRelease(InputError, ValueError):
    """A release folder is not whole."""

    code = "bad-release"


class LeavesFolder(BadRelease):
    """A link or a path leads out of the folder."""

    code = "leaves-folder"


class UnlistedFile(BadRelease):
    """A file is in neither the manifest nor the data package."""

    code = "unlisted-file"


class MissingParameters(BadRelease):
    """A guarantee does not state all its parameters."""

    code = "missing-parameters"


class ContradictoryRoles(BadRelease):
    """Roles do not fit the columns of the release."""

    code = "contradictory-roles"


class BadKey(InputError, ValueError):
    """There is no key, or others can read a private key."""

    code = "bad-key"


class BadPublication(InputError, ValueError):
    """Published data do not have their form."""

    code = "format-error"


class OutputExists(InputError, FileExistsError):
    """The output is there already."""

    code = "output-exists"

    def __init__(self, message: str, *, where: str | None = None, **details: object) -> None:
        super().__init__(message, where=where, **details)
        self.errno, self.filename = errno.EEXIST, where


class BadDomain(InputError, ValueError):
    """A declared domain is empty or repeats itself."""

    code = "bad-domain"


class PublicInputMissing(InputError, ValueError):
    """A domain would have to be taken from the data."""

    code = "public-input-missing"


class SinkBehind(InputError, RuntimeError):
    """A sink lost windows that were published."""

    code = "sink-behind"


class AllMalformed(InputError, ValueError):
    """A finite stream has no valid event."""

    code = "all-malformed"


class BadLedger(InputError, ValueError):
    """A ledger file was changed or is of another unit."""

    code = "bad-ledger"


class LedgerDamaged(BadLedger):
    """A ledger is behind its head, or gone."""

    code = "ledger-damaged"


class AnotherDataset(BadLedger):
    """A ledger keeps account of another dataset."""

    code = "another-dataset"


class ConfigurationChanged(InputError, RuntimeError):
    """A stream cannot go on with other settings."""

    code = "configuration-changed"


class DamagedCheckpoint(InputError, RuntimeError):
    """The state of a stream is not whole."""

    code = "damaged-checkpoint"


class JournalMismatch(InputError, RuntimeError):
    """A window would not be the one that was decided."""

    code = "journal-mismatch"


class StateInUse(InputError, RuntimeError):
    """Another process runs this stream."""

    code = "state-in-use"


class BrokerRefused(InputError, ConnectionError):
    """The login is wrong, or a certificate cannot be trusted."""

    code = "broker-refused"


class TooManyBadEvents(InputError, RuntimeError):
    """More events are malformed than a stream may refuse."""

    code = "too-many-bad-events"


class BadWarehouse(InputError, ValueError):
    """The configuration of a warehouse cannot be used; the error lists all its problems."""

    code = "bad-warehouse"


class SourceUnreachable(InputError, ConnectionError):
    """A source of a warehouse cannot be fetched."""

    code = "source-unreachable"


class ConflictingValues(InputError, ValueError):
    """Sources disagree, and the policy forbids it."""

    code = "conflicting-values"


class UnsafeRelease(InputError, RuntimeError):
    """Linked data would name a data subject."""

    code = "unsafe-release"


class NoSuchEntry(InputError, KeyError):
    """The workspace has nothing with this number."""

    code = "no-such-entry"


class ChangedElsewhere(InputError, RuntimeError):
    """Another tab saved a change in the meantime."""

    code = "changed-elsewhere"


class StaleResult(InputError, RuntimeError):
    """Data or settings have changed since, and nobody has confirmed the result."""

    code = "stale-result"


class UnconfirmedColumn(InputError, ValueError):
    """Nobody has confirmed free text or exact dates."""

    code = "unconfirmed-column"


class DirectIdentifier(UnconfirmedColumn):
    """A column holds names, addresses or numbers of people."""

    code = "direct-identifier"


class MissingExtra(InputError, ImportError):
    """An optional dependency is not installed."""

    code = "missing-extra"


class Infeasible(CrypsisError):
    """No release with this guarantee exists."""

    code = "infeasible"
    exit_code = 3


class TooFewTrajectories(Infeasible):
    """There are fewer trajectories than the guarantee needs."""

    code = "too-few-trajectories"


class TooFewRecords(Infeasible):
    """There are fewer records than the guarantee needs."""

    code = "too-few-records"


class InfeasibleLength(Infeasible):
    """Too few individuals visited as many locations as the adversary may know."""

    code = "infeasible-length"


class InfeasibleDiversity(Infeasible):
    """Sensitive values are too frequent for the diversity that was asked for."""

    code = "infeasible-diversity"


class BudgetExhausted(Infeasible):
    """The limit of the ledger would be exceeded."""

    code = "budget-exhausted"


class PoliciesConflict(Infeasible):
    """Privacy cannot be had within the utility policy."""

    code = "policies-conflict"


class UtilityConstraintsUnsatisfied(Infeasible):
    """The utility constraints cannot be satisfied."""

    code = "utility-constraints-unsatisfied"


class VerificationFailed(CrypsisError, RuntimeError):
    """The guarantee does not hold, so nothing is written."""

    code = "verification-failed"
    exit_code = 4


class LimitReached(CrypsisError):
    """A limit of time, memory or size was reached."""

    code = "limit-reached"
    exit_code = 5


class TooLarge(LimitReached):
    """The data are too large for this computation."""

    code = "too-large"


class BlockTooLarge(TooLarge):
    """A block would not fit into the memory of a worker."""

    code = "block-too-large"


class CapacityReached(LimitReached):
    """A stream has more people or events than it was given room for."""

    code = "capacity-reached"


class ReviewAmber(CrypsisError):
    """A light is amber, and `--strict` was given."""

    code = "review-amber"
    exit_code = 6


class ReviewRed(CrypsisError):
    """A light is red, and `--strict` was given."""

    code = "review-red"
    exit_code = 7


class WriteFailed(CrypsisError, OSError):
    """A file cannot be written (disk full, no permission); nothing is left behind."""

    code = "write-failed"
    exit_code = 1


class BrokerSilent(WriteFailed):
    """The broker of a sink does not answer."""

    code = "broker-silent"
    exit_code = 2


class WorkerFailed(CrypsisError, RuntimeError):
    """Workers were lost again and again."""

    code = "worker-failed"
    exit_code = 1


class Cancelled(CrypsisError):
    """The user cancelled."""

    code = "cancelled"
    exit_code = 130


class InternalError(CrypsisError, RuntimeError):
    """A bug of Crypsis."""

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

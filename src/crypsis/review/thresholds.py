"""From where on a light is amber or red."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.parameters import AtLeast, Between, Checked


@dataclass(frozen=True, kw_only=True)
class ReviewThresholds(Checked):
    """Limits of the findings. Shares are of people unless told otherwise.

    >>> ReviewThresholds(revealed_red=0.1).revealed_red
    0.1
    """

    confidence: Annotated[
        float, Between(0, 1), "A sensitive value counts as disclosed if it is at least this likely in its class."
    ] = 0.8
    revealed_amber: Annotated[float, Between(0, 1), "Share whose sensitive value can be inferred: amber."] = 0.05
    revealed_red: Annotated[float, Between(0, 1), "Share whose sensitive value can be inferred: red."] = 0.2
    unique_amber: Annotated[float, Between(0, 1), "Share who can be singled out: amber."] = 0.05
    unique_red: Annotated[float, Between(0, 1), "Share who can be singled out: red."] = 0.2
    risk_limit: Annotated[float, Between(0, 1), "Largest risk of being re-identified that is acceptable."] = 0.2
    repeated_amber: Annotated[float, Between(0, 1), "Share with several records that could be joined: amber."] = 0.05
    missing_amber: Annotated[float, Between(0, 1), "Share with a missing value: amber."] = 0.05
    loss_amber: Annotated[float, Between(0, 1), "Information loss (NCP) above which a release is poor."] = 0.5
    loss_red: Annotated[float, Between(0, 1), "Information loss (NCP) from which on nothing is left."] = 1.0
    suppressed_amber: Annotated[float, Between(0, 1), "Suppressed share above which a release is poor."] = 0.2
    suppressed_red: Annotated[float, Between(0, 1), "Suppressed share from which on nothing is left."] = 1.0
    still_amber: Annotated[float, Between(0, 1), "Share of tracks of length 0: amber."] = 0.05
    still_red: Annotated[float, Between(0, 1), "Share of tracks of length 0: red."] = 0.5
    count_error: Annotated[float, AtLeast(0), "Median relative error above which counts are poor."] = 1.0
    work: Annotated[int, AtLeast(0), "Pairs of known places or items that are tried at most."] = 20_000_000

"""The certificate of a window: what is promised about it, for whom, and what a recipient should know."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from crypsis.data.sensitive_values import Token
from crypsis.data.windows import PublishedWindow
from crypsis.methods.stream.itsa import ITSA
from crypsis.methods.stream.sliding_window import Slide
from crypsis.version import VERSION


def certificate_of(
    method: ITSA,
    slide: Slide,
    window: PublishedWindow,
    classes: Sequence[frozenset[Token]],
    digest: str,
    verified: bool,
    horizon_verified: bool = False,
) -> dict[str, Any]:
    """Facts that may be published with the window; the same for the same events."""
    stable = method.pseudonyms == "stable"
    certificate: dict[str, Any] = {
        "seq": window.seq,
        "x": window.x,
        "y": window.y,
        "n_records": len(window),
        "digest": digest,
        "guarantee": promised(method),
        "scope": scope(method),
        "pseudonyms": method.pseudonyms,
        "prior_confidence": _prior(method, window, classes),
        "erasures": slide.erased,
        "regressed": slide.regressed,
        "verified": verified,
        "verifier": VERSION,
        "warnings": [],
    }
    if method.mode == "cumulative":
        certificate["horizon_verified"] = horizon_verified
    if stable and method.mode == "cumulative" and method.H is not None:
        certificate["linkage"] = f"possible beyond {method.H} timestamps"
    if method.empty_records == "keep":
        certificate["empty_records"] = int((np.diff(window.offsets) == 0).sum())
    shown = len(slide.published[0])
    if len(window) < shown:
        certificate["withheld"] = True
    if method.guarantee.trivial:
        certificate["warnings"].append("trivial_guarantee")
    if slide.active and not shown:
        certificate["warnings"].append("all_suppressed")
    return certificate


def promised(method: ITSA) -> dict[str, Any]:
    """The guarantee in figures."""
    guarantee = method.guarantee
    return {
        "model": guarantee.model,
        "L": method.L,
        "K": method.K,
        "C": str(method.C),
        "N": method.N,
        "step_size": method.step_size,
        "sensitive_values": method.sensitive_values.to_json(),
        "mode": method.mode,
        "covers": guarantee.covers,
        "H": method.H,
        "says": guarantee.scope,
        **({"exits": True} if method.exits else {}),
    }


def scope(method: ITSA) -> str:
    """What the promise holds for."""
    if method.mode != "cumulative":
        return "single window only" if method.pseudonyms == "stable" else "each window separately"
    return "all windows together" if method.H is None else f"all windows together over {method.H} timestamps"


def certificate_line(certificate: dict[str, Any]) -> bytes:
    """Write a certificate as one line of canonical JSON."""
    return json.dumps(certificate, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() + b"\n"


def _prior(method: ITSA, window: PublishedWindow, classes: Sequence[frozenset[Token]]) -> dict[str, str]:
    """The share of each sensitive value among the published records."""
    people = np.bincount(window.classes, minlength=len(classes)).tolist()
    return {
        f"{attribute}={value}": str(
            Fraction(
                sum(count for count, tokens in zip(people, classes, strict=True) if (attribute, value) in tokens),
                max(len(window), 1),
            )
        )
        for attribute, value in method.sensitive_values.tokens
    }

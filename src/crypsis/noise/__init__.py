"""Noise for differential privacy: exact mechanisms, their entropy, and the provider that a method names."""

from __future__ import annotations

from crypsis.noise.entropy import Entropy, SystemEntropy
from crypsis.noise.exact import ExactNoise, terms_of
from crypsis.noise.metered import MeteredNoise
from crypsis.noise.noise import Noise
from crypsis.noise.probabilities import PassProbability, pass_probability

PROVIDERS = ("exact", "opendp")

__all__ = [
    "PROVIDERS",
    "Entropy",
    "ExactNoise",
    "MeteredNoise",
    "Noise",
    "PassProbability",
    "SystemEntropy",
    "pass_probability",
    "provider_named",
    "terms_of",
]


def provider_named(name: str) -> Noise:
    """A fresh provider; `opendp` says how to install it where it is missing."""
    if name == "opendp":
        from crypsis.noise.opendp import OpenDPNoise

        return OpenDPNoise()
    return ExactNoise()

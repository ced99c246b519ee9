"""Anonymization methods, one file each. `METHODS` lists them by command-line name; a new one is one line here.

A method is imported when it is first used: `crypsis.methods.Mondrian` loads what Mondrian needs and no other method.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crypsis.errors import UnknownMethod, did_you_mean
from crypsis.methods.method import Method

_MEMBERS = (
    "trajectory.seq_anon.SeqAnon",
    "trajectory.sd_seq_anon.SDSeqAnon",
    "trajectory.u_seq_anon.USeqAnon",
    "trajectory.lm_anon.LmAnon",
    "trajectory.zga.ZGA",
    "trajectory.sga.SGA",
    "trajectory.kam_cut.KAMCut",
    "trajectory.kam_rec.KAMRec",
    "trajectory.bf_p2ka.BFP2kA",
    "trajectory.ppsg.PPSG",
    "transaction.disassociation.Disassociation",
    "transaction.apriori.Apriori",
    "transaction.lra.LRA",
    "transaction.vpa.VPA",
    "transaction.coat.COAT",
    "transaction.pcta.PCTA",
    "relational.incognito.Incognito",
    "relational.top_down.TopDown",
    "relational.bottom_up.BottomUp",
    "relational.cluster.Cluster",
    "relational.mondrian.Mondrian",
    "mixed.rum_bound.RumBound",
    "mixed.tum_bound.TumBound",
    "mixed.r_first.RFirst",
    "mixed.t_first.TFirst",
    "stream.itsa.ITSA",
    "trajectory.safe_path.SafePath",
    "relational.diff_multi.DiffMulti",
    "relational.diff_gen.DiffGen",
    "trajectory.seq_pt.SeqPT",
    "trajectory.n_grams.NGrams",
    "transaction.diff_part.DiffPart",
)
_PARTS = (
    "trajectory.progressive_generalization.ProgressiveGeneralization",
    "trajectory.regions_of_interest.RegionsOfInterest",
)
_PLACES = {path.rpartition(".")[2]: path.rpartition(".")[0] for path in (*_MEMBERS, *_PARTS)}

if TYPE_CHECKING:
    METHODS: dict[str, type[Method]]

__all__ = ["METHODS", "Method", "known_name", "method_named", *_PLACES]


def __getattr__(name: str) -> Any:
    """A method by the name of its class, and `METHODS`, which imports all of them."""
    if name == "METHODS":
        members = [_loaded(path.rpartition(".")[2]) for path in _MEMBERS]
        return globals().setdefault("METHODS", {method.name(): method for method in members})
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _loaded(name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _loaded(name: str) -> Any:
    method = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    return globals().setdefault(name, method)


def method_named(name: str) -> type[Method]:
    """The method with this command-line name; other spellings of it do."""
    methods = import_module(__name__).METHODS
    known = known_name(name)
    if known not in methods:
        raise UnknownMethod(
            f"There is no method {name!r}; known are {', '.join(methods)}.{did_you_mean(name, methods)}"
        )
    method: type[Method] = methods[known]
    return method


def known_name(name: str) -> str:
    """The command-line name for `Top_Down` and for the class `TopDown`; what is unknown stays as it is."""
    methods = import_module(__name__).METHODS
    spelled = name.lower().replace("_", "-").replace(" ", "-")
    other = {method.__name__: known for known, method in methods.items()} | _OTHER_NAMES
    return spelled if spelled in methods else other.get(name, other.get(spelled, name))


_OTHER_NAMES = {"full-subtree-bottom-up": "bottom-up"}

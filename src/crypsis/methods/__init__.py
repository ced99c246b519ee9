"""Anonymization methods, one file each. `METHODS` lists them by command-line name; a new one is one line here.

A method is imported when it is first used: `crypsis.methods.Mondrian` loads what Mondrian needs and no other method,
and so does `METHODS["mondrian"]`. `METHODS` knows all names without importing any.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crypsis.errors import UnknownMethod, did_you_mean
from crypsis.late_members import LateMembers
from crypsis.methods.command_names import command_name

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
    from crypsis.methods.method import Method

METHODS: LateMembers[type[Method]] = LateMembers(
    {command_name(path.rpartition(".")[2]): f"{__name__}.{path}" for path in _MEMBERS}
)

__all__ = ["METHODS", "Method", "known_name", "method_named", *_PLACES]


def __getattr__(name: str) -> Any:
    """A method by the name of its class."""
    if name == "Method":
        from crypsis.methods import method

        return method.Method
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_PLACES[name]}"), name))


def __dir__() -> list[str]:
    return sorted(__all__)


def method_named(name: str) -> type[Method]:
    """The method with this command-line name; other spellings of it do."""
    known = known_name(name)
    if known not in METHODS:
        raise UnknownMethod(
            f"There is no method {name!r}; known are {', '.join(METHODS)}.{did_you_mean(name, METHODS)}"
        )
    return METHODS[known]


def known_name(name: str) -> str:
    """The command-line name for `Top_Down` and for the class `TopDown`; what is unknown stays as it is."""
    spelled = name.lower().replace("_", "-").replace(" ", "-")
    if spelled in METHODS:
        return spelled
    of_class = command_name(name)
    if of_class in METHODS and METHODS[of_class].__name__ == name:
        return of_class
    return _OTHER_NAMES.get(name, _OTHER_NAMES.get(spelled, name))


_OTHER_NAMES = {"full-subtree-bottom-up": "bottom-up"}

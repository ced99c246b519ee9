"""Anonymization methods, one file each. `METHODS` lists them by command-line name; a new one is one line here."""

from __future__ import annotations

from crypsis.errors import UnknownMethod, did_you_mean
from crypsis.methods.method import Method
from crypsis.methods.mixed.r_first import RFirst
from crypsis.methods.mixed.rum_bound import RumBound
from crypsis.methods.mixed.t_first import TFirst
from crypsis.methods.mixed.tum_bound import TumBound
from crypsis.methods.relational.bottom_up import BottomUp
from crypsis.methods.relational.cluster import Cluster
from crypsis.methods.relational.diff_gen import DiffGen
from crypsis.methods.relational.diff_multi import DiffMulti
from crypsis.methods.relational.incognito import Incognito
from crypsis.methods.relational.mondrian import Mondrian
from crypsis.methods.relational.top_down import TopDown
from crypsis.methods.stream.itsa import ITSA
from crypsis.methods.trajectory.bf_p2ka import BFP2kA
from crypsis.methods.trajectory.kam_cut import KAMCut
from crypsis.methods.trajectory.kam_rec import KAMRec
from crypsis.methods.trajectory.lm_anon import LmAnon
from crypsis.methods.trajectory.n_grams import NGrams
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization
from crypsis.methods.trajectory.regions_of_interest import RegionsOfInterest
from crypsis.methods.trajectory.safe_path import SafePath
from crypsis.methods.trajectory.sd_seq_anon import SDSeqAnon
from crypsis.methods.trajectory.seq_anon import SeqAnon
from crypsis.methods.trajectory.seq_pt import SeqPT
from crypsis.methods.trajectory.sga import SGA
from crypsis.methods.trajectory.u_seq_anon import USeqAnon
from crypsis.methods.trajectory.zga import ZGA
from crypsis.methods.transaction.apriori import Apriori
from crypsis.methods.transaction.coat import COAT
from crypsis.methods.transaction.diff_part import DiffPart
from crypsis.methods.transaction.disassociation import Disassociation
from crypsis.methods.transaction.lra import LRA
from crypsis.methods.transaction.pcta import PCTA
from crypsis.methods.transaction.vpa import VPA

_TRAJECTORY = (SeqAnon, SDSeqAnon, USeqAnon, LmAnon, ZGA, SGA, KAMCut, KAMRec, BFP2kA, PPSG)
_TRANSACTION = (Disassociation, Apriori, LRA, VPA, COAT, PCTA)
_RELATIONAL = (Incognito, TopDown, BottomUp, Cluster, Mondrian)
_MIXED = (RumBound, TumBound, RFirst, TFirst)
_STREAM = (ITSA,)
_PRIVATE = (SafePath, DiffMulti, DiffGen, SeqPT, NGrams, DiffPart)
METHODS: dict[str, type[Method]] = {
    method.name(): method for method in (*_TRAJECTORY, *_TRANSACTION, *_RELATIONAL, *_MIXED, *_STREAM, *_PRIVATE)
}

__all__ = [
    "COAT",
    "ITSA",
    "LRA",
    "METHODS",
    "PCTA",
    "PPSG",
    "SGA",
    "VPA",
    "ZGA",
    "Apriori",
    "BFP2kA",
    "BottomUp",
    "Cluster",
    "DiffGen",
    "DiffMulti",
    "DiffPart",
    "Disassociation",
    "Incognito",
    "KAMCut",
    "KAMRec",
    "LmAnon",
    "Method",
    "Mondrian",
    "NGrams",
    "ProgressiveGeneralization",
    "RFirst",
    "RegionsOfInterest",
    "RumBound",
    "SDSeqAnon",
    "SafePath",
    "SeqAnon",
    "SeqPT",
    "TFirst",
    "TopDown",
    "TumBound",
    "USeqAnon",
    "known_name",
    "method_named",
]


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
    return spelled if spelled in METHODS else _OTHER_NAMES.get(name, _OTHER_NAMES.get(spelled, name))


_OTHER_NAMES = {method.__name__: name for name, method in METHODS.items()} | {
    "full-subtree-bottom-up": BottomUp.name(),
}

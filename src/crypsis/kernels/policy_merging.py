"""COAT and PCTA: merge items, or suppress them, until every constraint of a privacy policy is satisfied.

Record r is items[offsets[r]:offsets[r + 1]], ascending, every item occurring; constraint c likewise, constraints by
size and then in the order of their items. A generalized item is known by its first item: `label[x]` is that of x, -1 if
x is suppressed. Supports of pairs of generalized items stand in a matrix of which a merge rewrites one row.

Where records tell whose they are, constraints ask for people and losses are those of records: `people` is the matrix of
the first, `pairs` of the second. Where each record is a person they are the same matrix.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.itemsets import EACH_RECORD
from crypsis.kernels.plain_sorting import sort_first
from crypsis.kernels.rare_pairs import first_constraints, join_items, leave_out, rarest_of_each, worst_constraint
from crypsis.kernels.record_bitmaps import ONE, Words, add_record, bits_of, has_record, people_of_word

SATISFIED = 0
NO_PARTNER = 1
TIE = 1e-13  # of what is added up: differences below it are rounding
POWERS = np.append(np.ldexp(1.0, -np.arange(1075)), 0.0)  # 2^-n, nothing from where floats end


@njit
def merge_for_policy(
    offsets: Int64s,
    items: Int32s,
    n_items: int,
    constraint_offsets: Int64s,
    constraint_items: Int32s,
    utility: Int32s,
    every_item: bool,
    whole_dataset: bool,
    candidate_cap: int,
    may_suppress: bool,
    most_suppressed: int,
    k: int,
    person: Int64s,
) -> tuple[int, Int32s, Int32s]:
    """Whether all constraints are satisfied, the label of each item, and the steps: rows g, h with h = -1 if g was
    suppressed.

    `utility` numbers the utility set of each item, -1 if it may not be generalized. PCTA looks at `every_item` of the
    constraint, COAT at its least supported one. `person` tells whose each record is, in ascending order, and is empty
    where each record is a person.
    """
    n_records = len(offsets) - 1
    label = np.arange(n_items).astype(np.int32)
    size = np.ones(n_items, np.int64)
    alive = np.ones(n_items, np.bool_)
    bits = np.zeros((n_items, (n_records + 63) // 64), np.uint64)
    pairs = np.zeros((n_items, n_items), np.int32)
    for record in range(n_records):
        for index in range(offsets[record], offsets[record + 1]):
            item = items[index]
            add_record(bits[item], record)
            for other in range(offsets[record], offsets[record + 1]):
                pairs[item, items[other]] += 1
    people = pairs if len(person) == 0 else _pairs_of_people(offsets, items, n_items, person)
    lengths = np.zeros(n_records, np.int64)  # of each record, items behind its generalized items counted
    losses = np.zeros(n_records)  # numerator of a record's loss over 2^length
    if whole_dataset:
        for record in range(n_records):
            lengths[record] = offsets[record + 1] - offsets[record]
    n_constraints = len(constraint_offsets) - 1
    longest = 1
    for constraint in range(n_constraints):
        longest = max(longest, constraint_offsets[constraint + 1] - constraint_offsets[constraint])
    image = np.empty(longest, np.int64)
    in_pairs = longest <= 2  # then a matrix tells which constraint is next, else all of them are looked at
    first = np.empty((0, 0), np.int64)
    rarest = np.empty((0, 3), np.int64)
    active = np.empty(0, np.int64)
    supports = np.empty(0, np.int64)
    n_active = 0
    if in_pairs:
        first = first_constraints(constraint_offsets, constraint_items, n_items)
        rarest = rarest_of_each(first, people, k)
    else:
        active = np.arange(n_constraints)
        supports = np.empty(n_constraints, np.int64)
        n_active = _refresh(
            -1, -1, active, n_constraints, supports, constraint_offsets, constraint_items, label, people, bits, image,
            k, person,
        )  # fmt: skip
    steps = np.empty((n_items, 2), np.int32)
    n_steps = 0
    suppressed = 0
    seen = np.full(n_items, -1, np.int64)
    while True:
        worst = worst_constraint(rarest) if in_pairs else -1
        for index in range(n_active):
            support = supports[active[index]]
            if 0 < support < k and (worst < 0 or support > supports[worst]):
                worst = active[index]
        if worst < 0:
            return SATISFIED, label, steps[:n_steps]
        n_image = _image_of(worst, constraint_offsets, constraint_items, label, image)
        least = image[0]
        for element in range(1, n_image):
            if people[image[element], image[element]] < people[least, least]:
                least = image[element]
        one, other = -1, -1
        if whole_dataset:
            one, other = _cheapest_in_dataset(
                image[:n_image] if every_item else np.full(1, least, np.int64),
                alive,
                utility,
                size,
                pairs,
                bits,
                lengths,
                losses,
                candidate_cap,
            )
        else:
            one, other = cheapest_merge(
                image[:n_image] if every_item else np.full(1, least, np.int64), alive, utility, size, pairs
            )
        if one < 0:
            steps[n_steps, 0] = least
            steps[n_steps, 1] = -1
            n_steps += 1
            if not may_suppress or suppressed + size[least] > most_suppressed:
                return NO_PARTNER, label, steps[:n_steps]
            suppressed += size[least]
            alive[least] = False
            for item in range(n_items):
                if label[item] == least:
                    label[item] = -1
            if whole_dataset:
                _restate_records(bits[least], offsets, items, label, size, lengths, losses, seen)
            if in_pairs:
                leave_out(least, first, people, k, rarest)
            n_active = _refresh(
                least,
                -1,
                active,
                n_active,
                supports,
                constraint_offsets,
                constraint_items,
                label,
                people,
                bits,
                image,
                k,
                person,
            )
            continue
        steps[n_steps, 0] = one
        steps[n_steps, 1] = other
        n_steps += 1
        kept, gone = min(one, other), max(one, other)
        alive[gone] = False
        size[kept] += size[gone]
        bits[kept] |= bits[gone]
        for item in range(n_items):
            if label[item] == gone:
                label[item] = kept
        _recount_row(kept, bits[kept], offsets, items, label, pairs, seen, EACH_RECORD)
        if len(person) > 0:
            _recount_row(kept, bits[kept], offsets, items, label, people, seen, person)
        if whole_dataset:
            _restate_records(bits[kept], offsets, items, label, size, lengths, losses, seen)
        if in_pairs:
            join_items(kept, gone, first, people, k, rarest)
        n_active = _refresh(
            -1, kept, active, n_active, supports, constraint_offsets, constraint_items, label, people, bits, image, k,
            person,
        )  # fmt: skip


@njit
def _pairs_of_people(offsets: Int64s, items: Int32s, n_items: int, person: Int64s) -> Int32s:
    """How many people have a record with each pair of items, or with an item on the diagonal."""
    starts = np.zeros(n_items + 1, np.int64)
    for item in items:
        starts[item + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    records = np.empty(len(items), np.int64)  # of each item, ascending
    at = starts[:-1].copy()
    for record in range(len(offsets) - 1):
        for index in range(offsets[record], offsets[record + 1]):
            records[at[items[index]]] = record
            at[items[index]] += 1
    people = np.zeros((n_items, n_items), np.int32)
    seen = np.empty(n_items, np.int64)
    for item in range(n_items):
        seen[:] = -1
        for slot in range(starts[item], starts[item + 1]):
            record = records[slot]
            for index in range(offsets[record], offsets[record + 1]):
                if seen[items[index]] != person[record]:
                    seen[items[index]] = person[record]
                    people[item, items[index]] += 1
    return people


@njit
def _image_of(
    constraint: int, constraint_offsets: Int64s, constraint_items: Int32s, label: Int32s, image: Int64s
) -> int:
    """Write the generalized items of a constraint in ascending order; how many, or -1 if one is suppressed."""
    n_image = 0
    for index in range(constraint_offsets[constraint], constraint_offsets[constraint + 1]):
        own = np.int64(label[constraint_items[index]])
        if own < 0:
            return -1
        slot = n_image
        while slot > 0 and image[slot - 1] > own:
            slot -= 1
        if slot > 0 and image[slot - 1] == own:
            continue
        for after in range(n_image, slot, -1):
            image[after] = image[after - 1]
        image[slot] = own
        n_image += 1
    return n_image


@njit
def _refresh(
    gone: int,
    changed: int,
    active: Int64s,
    n_active: int,
    supports: Int64s,
    constraint_offsets: Int64s,
    constraint_items: Int32s,
    label: Int32s,
    people: Int32s,
    bits: Words,
    image: Int64s,
    k: int,
    person: Int64s,
) -> int:
    """Recount the constraints with a changed item (all of them at first), and drop those satisfied for good.

    A support never falls, except to 0 for good when an item is suppressed.
    """
    n_kept = 0
    for index in range(n_active):
        constraint = active[index]
        n_image = _image_of(constraint, constraint_offsets, constraint_items, label, image)
        if n_image < 0:
            continue
        touched = changed < 0 and gone < 0
        for element in range(n_image):
            touched = touched or image[element] == changed
        if touched:
            if n_image <= 2:
                supports[constraint] = people[image[0], image[n_image - 1]]
            else:
                support, last = 0, -1
                for word in range(bits.shape[1]):
                    both = bits[image[0], word]
                    for element in range(1, n_image):
                        both &= bits[image[element], word]
                    if len(person) > 0:
                        new, last = people_of_word(both, word, person, last)
                        support += new
                    else:
                        support += bits_of(both)
                supports[constraint] = support
            if supports[constraint] >= k:
                continue
        active[n_kept] = constraint
        n_kept += 1
    return n_kept


@njit
def _recount_row(
    kept: int,
    records: Words,
    offsets: Int64s,
    items: Int32s,
    label: Int32s,
    pairs: Int32s,
    seen: Int64s,
    person: Int64s,
) -> None:
    """Supports of a generalized item together with every other, and its own: people, or records without persons."""
    pairs[kept] = 0
    seen[:] = -1
    for record in range(len(offsets) - 1):
        if not has_record(records, record):
            continue
        counted = person[record] if len(person) > 0 else record
        for index in range(offsets[record], offsets[record + 1]):
            own = label[items[index]]
            if own >= 0 and seen[own] != counted:
                seen[own] = counted
                pairs[kept, own] += 1
    for other in range(len(pairs)):
        pairs[other, kept] = pairs[kept, other]


@njit
def _restate_records(
    records: Words,
    offsets: Int64s,
    items: Int32s,
    label: Int32s,
    size: Int64s,
    lengths: Int64s,
    losses: Float64s,
    seen: Int64s,
) -> None:
    """Length and loss of the records that changed, from their generalized items."""
    seen[:] = -1
    for record in range(len(offsets) - 1):
        if not has_record(records, record):
            continue
        length = 0
        for index in range(offsets[record], offsets[record + 1]):
            own = label[items[index]]
            if own >= 0 and seen[own] != record:
                seen[own] = record
                length += size[own]
        loss = 0.0
        for index in range(offsets[record], offsets[record + 1]):
            own = label[items[index]]
            if own >= 0 and seen[own] == record:
                seen[own] = -1
                loss += _charge(size[own], length)
        lengths[record] = length
        losses[record] = loss


@njit
def _power(exponent: int) -> float:
    """2 to the power of -exponent."""
    return float(POWERS[min(exponent, len(POWERS) - 1)])


@njit
def _charge(size: int, length: int) -> float:
    """(2^size - 1) / 2^length for a generalized item, nothing for a single one."""
    if size < 2:
        return 0.0
    return _power(length - size) - _power(length)


@njit
def _loss(numerator: float, length: int) -> float:
    """Return the loss of an itemset from its sum; an empty one loses nothing."""
    return 0.0 if length == 0 else numerator / (1.0 - _power(length))


@njit
def _may_join(one: int, other: int, alive: Bools, utility: Int32s) -> bool:
    """Return whether two items are in use and in the same utility constraint."""
    return bool(other != one and alive[other] and utility[one] >= 0 and utility[one] == utility[other])


@njit
def _is_cheaper(size: int, support: int, other_size: int, other_support: int) -> bool:
    """(2^size - 1) * support < (2^other_size - 1) * other_support, exactly and without forming the powers."""
    if size == other_size:
        return support < other_support
    if size < other_size:
        return _difference_sign(other_size, other_support, size, support) > 0
    return _difference_sign(size, support, other_size, other_support) < 0


@njit
def _difference_sign(size: int, support: int, smaller: int, other: int) -> int:
    """The sign of (2^size - 1) * support - (2^smaller - 1) * other, where size > smaller."""
    if size - smaller >= 31:
        return 1
    lead = (support << (size - smaller)) - other
    rest = other - support
    if lead == 0:  # then other exceeds support
        return 1 if rest > 0 else (-1 if rest < 0 else 0)
    if smaller >= 32 or abs(lead) > abs(rest):
        return 1 if lead > 0 else -1
    exact = (lead << smaller) + rest
    return 1 if exact > 0 else (-1 if exact < 0 else 0)


@njit
def cheapest_merge(chosen: Int64s, alive: Bools, utility: Int32s, size: Int64s, pairs: Int32s) -> tuple[int, int]:
    """The pair whose merged item loses least; the first of equals."""
    best_one, best_other = -1, -1
    best_size, best_support = 0, 0
    for one in chosen:
        for other in range(len(alive)):
            if not _may_join(one, other, alive, utility):
                continue
            joined = size[one] + size[other]
            support = int(pairs[one, one]) + int(pairs[other, other]) - int(pairs[one, other])
            if best_one < 0 or _is_cheaper(joined, support, best_size, best_support):
                best_one, best_other, best_size, best_support = one, other, joined, support
    return best_one, best_other


@njit
def _cheapest_in_dataset(
    chosen: Int64s,
    alive: Bools,
    utility: Int32s,
    size: Int64s,
    pairs: Int32s,
    bits: Words,
    lengths: Int64s,
    losses: Float64s,
    candidate_cap: int,
) -> tuple[int, int]:
    """The pair after whose merge the records lose least; the first of equals. Where more than `candidate_cap` items are
    left, only so many partners of each are tried: those cheapest by themselves."""
    n_alive = 0
    for other in range(len(alive)):
        n_alive += alive[other]
    best_one, best_other = -1, -1
    best_growth, best_scale = 0.0, 0.0
    for one in chosen:
        partners = np.empty(n_alive, np.int64)
        n_partners = 0
        for other in range(len(alive)):
            if _may_join(one, other, alive, utility):
                partners[n_partners] = other
                n_partners += 1
        partners = partners[:n_partners]
        if n_alive > candidate_cap and n_partners > candidate_cap:
            partners = _cheapest_partners(one, partners, size, pairs, candidate_cap)
        for partner in partners:
            other = int(partner)
            growth, scale = _growth(one, other, size, bits, lengths, losses)
            if best_one < 0 or growth < best_growth - TIE * (scale + best_scale):
                best_one, best_other, best_growth, best_scale = one, other, growth, scale
    return best_one, best_other


@njit
def _cheapest_partners(one: int, partners: Int64s, size: Int64s, pairs: Int32s, most: int) -> Int64s:
    """So many partners with the least cost of the merged item, the first of equals; in ascending order."""
    joined = np.empty(len(partners), np.int64)
    support = np.empty(len(partners), np.int64)
    for index in range(len(partners)):
        other = partners[index]
        joined[index] = size[one] + size[other]
        support[index] = int(pairs[one, one]) + int(pairs[other, other]) - int(pairs[one, other])
    heap = np.arange(most)  # places of partners, the dearest on top
    for top in range(most // 2 - 1, -1, -1):
        _sink(heap, top, joined, support)
    for index in range(most, len(partners)):
        dearest = heap[0]
        if _is_cheaper(joined[index], support[index], joined[dearest], support[dearest]):
            heap[0] = index
            _sink(heap, 0, joined, support)
    sort_first(heap, most)
    chosen: Int64s = partners[heap]
    return chosen


@njit
def _sink(heap: Int64s, top: int, joined: Int64s, support: Int64s) -> None:
    """Let an element go down until it is dearer than those below it; of equals the later one is the dearer."""
    while 2 * top + 1 < len(heap):
        below = 2 * top + 1
        if below + 1 < len(heap) and _is_dearer(heap[below + 1], heap[below], joined, support):
            below += 1
        if _is_dearer(heap[top], heap[below], joined, support):
            return
        heap[top], heap[below] = heap[below], heap[top]
        top = below


@njit
def _is_dearer(place: int, other: int, joined: Int64s, support: Int64s) -> bool:
    """Return whether joining an item costs more than joining another; ties go to the first."""
    if joined[place] == joined[other] and support[place] == support[other]:
        return bool(place > other)
    if _is_cheaper(joined[other], support[other], joined[place], support[place]):
        return True
    return bool(place > other and not _is_cheaper(joined[place], support[place], joined[other], support[other]))


@njit
def _growth(one: int, other: int, size: Int64s, bits: Words, lengths: Int64s, losses: Float64s) -> tuple[float, float]:
    """How much the losses of all records grow by a merge, and what was added up to tell."""
    growth, scale = 0.0, 0.0
    joined = size[one] + size[other]
    for word in range(bits.shape[1]):
        first, second = bits[one, word], bits[other, word]
        either = first | second
        while either != 0:
            rest = either & (either - ONE)
            bit = either ^ rest
            either = rest
            record = 64 * word + bits_of(bit - ONE)
            length, numerator = lengths[record], losses[record]
            before = _loss(numerator, length)
            if first & second & bit:
                more = _charge(joined, length) - _charge(size[one], length) - _charge(size[other], length)
                after = _loss(numerator + more, length)
                growth += _loss(more, length)
            else:
                own = size[one if first & bit else other]
                longer = length + joined - own
                left = max(numerator - _charge(own, length), 0.0)
                after = _loss(left * _power(joined - own) + _charge(joined, longer), longer)
                growth += after - before
            scale += before + after
    return growth, scale

"""NGrams the slow and obvious way: every gram that may follow, one at a time. Imports nothing from crypsis.

A gram is a tuple of tokens; START stands before the first token of a record and END after its last.
`noise(count)` returns the noisy count of one gram.
"""

from __future__ import annotations

START, END = "start", "end"


def grams_of(record, length):
    """All runs of this length, the start alone left out."""
    padded = [START, *record, END]
    runs = [tuple(padded[at : at + length]) for at in range(len(padded) - length + 1)]
    return [run for run in runs if run != (START,)]


def noisy_grams(records, n_tokens, *, grams, longest, rising, threshold, noise):
    """gram: noisy count, for every gram that lives; all possible children of living contexts are asked for."""
    records = [record[:longest] for record in records]
    tree, contexts = {}, [()]
    for length in range(1, grams + 1):
        counted = [run for record in records for run in grams_of(record, length)]
        following = []
        for context in contexts:
            last = context[-1] if context else None
            tokens = [t for t in range(n_tokens) if not (rising and last not in (None, START) and t <= last)]
            for token in [*tokens, *([] if last == START else [END])]:
                gram = (*context, token)
                count = noise(counted.count(gram))
                if count >= threshold:
                    tree[gram] = count
                    if token != END:
                        following.append(gram)
        contexts = [(START,), *following] if length == 1 else following
    return tree


def chance_of(tree, record, *, grams, longest, rising, n_tokens):
    """The probability that the model draws this record: product over its tokens and its end."""
    value = fitted(tree)
    chance, history = 1.0, [START]
    for place in range(longest + 1):
        token = record[place] if place < len(record) else END
        if place == longest:
            return chance
        chance *= chance_of_token(value, history, token, grams, rising, first=place == 0)
        if token == END:
            return chance
        history.append(token)
    return chance


def chance_of_token(value, history, token, grams, rising, first):
    for begin in range(max(len(history) - (grams - 1), 0), len(history) + 1):
        context = tuple(history[begin:])
        if context == () or (context in value and context[-1] != END):
            break
    return drawn_from(value, context, history, token, rising, first)


def drawn_from(value, context, history, token, rising, first):
    children = {gram[-1]: count for gram, count in value.items() if gram and gram[:-1] == context}
    children.pop(START, None)
    if context == ():
        last = history[-1]
        allowed = {
            t: count
            for t, count in children.items()
            if (t == END and not first) or (t != END and not (rising and last != START and t <= last))
        }
        total = sum(allowed.values())
        if total == 0:
            return float(token == END)
        return allowed.get(token, 0) / total
    held, total = sum(children.values()), max(value[context], sum(children.values()))
    own = children.get(token, 0) / total if total else 0.0
    left = 1 - held / total if total else 1.0
    if left <= 0:
        return own
    shorter = context[1:]
    while shorter and not (shorter in value and shorter[-1] != END):
        shorter = shorter[1:]
    return own + left * drawn_from(value, shorter, history, token, rising, first)


def fitted(tree):
    """Children scaled into their parents: lower all by the same amount, none below zero, until they fit."""
    value = {(START,): float(tree.get((END,), 0))}
    for gram in sorted(tree, key=len):
        if len(gram) == 1:
            value[gram] = float(tree[gram])
    for length in range(2, max(map(len, tree), default=0) + 1):
        for parent in {gram[:-1] for gram in tree if len(gram) == length}:
            family = [gram for gram in tree if gram[:-1] == parent and len(gram) == length]
            value |= dict(zip(family, lowered([tree[gram] for gram in family], value[parent]), strict=True))
    return value


def lowered(counts, parent):
    if sum(counts) <= parent:
        return [float(count) for count in counts]
    ordered = sorted(counts, reverse=True)
    for kept in range(len(ordered), 0, -1):
        cut = (sum(ordered[:kept]) - parent) / kept
        if ordered[kept - 1] >= cut:
            return [max(count - cut, 0.0) for count in counts]
    return [0.0] * len(counts)

"""What a line of a calculation is likely to have wrong although its units fit: rates, links, GB and GiB.

A remark is a sentence for a note; the line's value stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from symroof.envelope import Names
from symroof.expression import Expression
from symroof.numerals import certain, exact, figure
from symroof.syntax import Binary, Call, Literal, Name, Negative, Node, walk
from symroof.units import Dimension, Quantity, base_magnitude, quantity_text, unit, unit_powers, unit_text

_RATE, _BANDWIDTH = unit("FLOP/s").dimensionality, unit("byte/s").dimensionality
_NEAR = Fraction(1, 50)  # vendors round a link's figure: 64 GB/s is twice 31.5 GB/s
_BINARY = ("kibi", "mebi", "gibi", "tebi", "pebi", "exbi")
_DECIMAL = ("kilo", "mega", "giga", "tera", "peta", "exa")


class _Figure(NamedTuple):
    """A quantity that somebody wrote: a number with its unit, or a name that was set."""

    text: str
    value: Quantity


def remarks(sides: list[Expression], names: Names, result: Quantity | None = None) -> list[str]:
    """What is to be said of an expression and its result, or of the two sides of an equation; each once."""
    written = [figure for side in sides for figure in _written(side, names)]
    found = [*_rates(written, names, result), *_links(written, names), *_byte_steps(sides, names)]
    return list(dict.fromkeys([*found, *_seconds(sides, names)]))


def unlike_the_chip(name: str, value: Quantity, names: Names) -> list[str]:
    """Whether a name that was solved for measures something else than the chip's figure of that name."""
    if name not in names or names.is_set(name):
        return []
    ours, theirs = Dimension.of(value.units), Dimension.of(names[name].units)
    if ours.same(theirs):
        return []
    kind = str(ours) if ours.powers else "a plain number"
    return [f"{name} comes out as {kind}; the chip's {name} is in {theirs}: check the units of the other values"]


def _written(side: Expression, names: Names) -> Iterator[_Figure]:
    for node in side.walk():
        if isinstance(node, Literal):
            value = node.number * node.unit
            yield _Figure(node.text, value)
        elif isinstance(node, Name) and names.is_set(node.name) and node.name not in names.ranges:
            yield _Figure(quantity_text(names[node.name]), names[node.name])


def _rates(written: list[_Figure], names: Names, result: Quantity | None) -> Iterator[str]:
    """Rates above the peak of the chip: of a result on any chip, of what was written where the chip is named."""
    rates = [one for one in written if one.value.dimensionality == _RATE]
    is_rate = result is not None and result.dimensionality == _RATE
    if not (rates or is_rate) or names.dtype not in names.chip.rates:
        return
    rate = names.chip.rates[names.dtype]
    kind, of = f"{names.dtype.upper()} peak", f"of the {names.chip.name}"
    peak, sparse = (None if one is None else one.quantity for one in (rate.dense, rate.sparse))
    assert peak is not None
    if is_rate:
        assert result is not None
        rates.append(_Figure(quantity_text(result), result))
    for at, (text, value) in enumerate(rates):
        ratio = exact(base_magnitude(value) / base_magnitude(peak))
        computed = is_rate and at == len(rates) - 1
        if sparse is not None and value == sparse and "FLOP" in text:
            yield (
                f"{text} is the {kind} {of} with structured sparsity, {figure(ratio, 2).text()} times the dense one: "
                f"{rate.dense.text} for a dense product"
            )
        elif certain(ratio, lambda bound: bound > 1) and (computed or names.chip_is_named):
            which = "" if names.chip_is_named else " (or name another chip: --on CHIP)"
            yield f"{text} is {figure(ratio, 2).text()} times the dense {kind} {of}: check the timing{which}"


def _links(written: list[_Figure], names: Names) -> Iterator[str]:
    """Rates that are those of a link in both directions together."""
    rates = [one for one in written if one.value.dimensionality == _BANDWIDTH]
    if not rates:
        return
    chip = names.chip
    links = [("beta_link", "GPU links", chip.gpu_link), ("beta_host", "host link", chip.host_link)]
    for text, value in rates:
        for symbol, kind, link in links:
            if link is None or value == chip.bandwidth.quantity:
                continue
            ratio = exact(base_magnitude(value) / (2 * base_magnitude(link.quantity)))
            if certain(ratio, lambda bound: abs(bound - 1) <= _NEAR):
                yield (
                    f"{text} is both directions of the {kind} of the {chip.name} together; "
                    f"one direction is {link.text} ({symbol})"
                )


def _byte_steps(sides: list[Expression], names: Names) -> Iterator[str]:
    """GB and GiB in one sum or comparison."""
    compared = [side.root for side in sides] if len(sides) > 1 else []
    groups = [compared] if compared else [[node] for node in _sums(sides[0].root)]
    for group in groups:
        units = {name for node in group for leaf in walk(node) for name in _units(leaf, names)}
        binary = sorted(name for name in units if name.startswith(_BINARY))
        decimal = sorted(name for name in units if name.startswith(_DECIMAL) and name.endswith(("byte", "bit")))
        if binary and decimal:
            one, other = (_explained(name) for name in (decimal[0], binary[0]))
            yield f"{one} and {other} meet in one sum or comparison: check that both are meant"


def _sums(root: Node) -> Iterator[Node]:
    """The outermost sums and comparisons."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        match node:
            case Binary(operator="+" | "-") | Call(function="max" | "min"):
                yield node
            case Binary():
                waiting += [node.right, node.left]
            case Call():
                waiting += node.arguments
            case Negative():
                waiting.append(node.operand)


def _units(leaf: Node, names: Names) -> list[str]:
    """The registry's names of the units that a number or a name is in."""
    if isinstance(leaf, Literal):
        return list(unit_powers(leaf.unit))
    if isinstance(leaf, Name) and names.is_set(leaf.name) and leaf.name not in names.ranges:
        return list(unit_powers(names[leaf.name].units))
    return []


def _explained(name: str) -> str:
    one = unit_text(unit(name))
    prefixes, base = (_BINARY, "2^{}") if name.startswith(_BINARY) else (_DECIMAL, "10^{}")
    step = next(at for at, prefix in enumerate(prefixes, 1) if name.startswith(prefix))
    of = "bit" if name.endswith("bit") else "byte"
    return f"{one} ({base.format(step * (10 if prefixes is _BINARY else 3))} {of})"


def _seconds(sides: list[Expression], names: Names) -> Iterator[str]:
    """`140 GB / s`, which divides by the bytes of an element."""
    for side in sides:
        for node in side.walk():
            if (
                isinstance(node, Binary)
                and isinstance(node.left, Literal)
                and isinstance(node.right, Name)
                and node.right.name == "s"
                and not names.is_set("s")
            ):
                yield (
                    f"s is here the size of an element, {quantity_text(names['s'])}; the unit stands directly "
                    f"behind its number: {node.left.text}{node.operator}s"
                )

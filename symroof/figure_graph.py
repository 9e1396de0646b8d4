"""A derivation's graph, laid out in layers from its givens to its answers, and as Mermaid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from symroof.derivation import DerivationGraph
from symroof.dimensions import is_label
from symroof.figure_data import Edge, Graph, Node
from symroof.prose import Maths

_SWEEPS = 30
_PASSING = 0.45  # the room that an edge takes where it passes a layer; a node takes 1


def graph(derivation: DerivationGraph) -> Graph:
    """All quantities by layer; an edge leads from a quantity to each that is worked out from it."""
    layers = _layers(derivation)
    edges = [(parameter, name) for name in layers for parameter in derivation.parameters(name)]
    chains = {
        (start, end): [start, *(f"{start} {end} {at}" for at in range(layers[start] + 1, layers[end])), end]
        for start, end in edges
    }
    level = {one: layers[chain[0]] + at for chain in chains.values() for at, one in enumerate(chain)} | layers
    places = _places(level, [pair for chain in chains.values() for pair in pairwise(chain)], layers)
    nodes = tuple(
        Node(name, Maths(derivation.latex_of(name), name), _kind(derivation, name), layers[name], places[name])
        for name in layers
    )
    paths = {ends: tuple((level[one], places[one]) for one in chain) for ends, chain in chains.items()}
    return Graph(nodes, tuple(Edge(start, end, path) for (start, end), path in paths.items()))


def _kind(derivation: DerivationGraph, name: str) -> str:
    if name in derivation.givens:
        return "given"
    return "label" if is_label(derivation, name) else "step"


def _layers(derivation: DerivationGraph) -> dict[str, int]:
    """A step stands behind all it depends on, a given right before what needs it first; unused givens stay out."""
    order = derivation.order()
    layers: dict[str, int] = {}
    for name in order:
        layers[name] = max((layers[one] + 1 for one in derivation.parameters(name)), default=0)
    users = {name: [one for one in order if name in derivation.parameters(one)] for name in order}
    for name in reversed(order):
        if not derivation.parameters(name) and users[name]:
            layers[name] = min(layers[one] for one in users[name]) - 1
    return {name: layers[name] for name in order if users[name] or name not in derivation.givens}


def _places(level: Mapping[str, int], links: Sequence[tuple[str, str]], nodes: Mapping[str, int]) -> dict[str, float]:
    """A place within its layer for each node and each passing edge: near its neighbours', from both sides in turn."""
    by_level: dict[int, list[str]] = {}
    for one in level:
        by_level.setdefault(level[one], []).append(one)
    before: dict[str, list[str]] = {one: [] for one in level}
    after: dict[str, list[str]] = {one: [] for one in level}
    for start, end in links:
        before[end].append(start)
        after[start].append(end)
    places = {one: float(at) for members in by_level.values() for at, one in enumerate(members)}
    for sweep in range(_SWEEPS):
        order = sorted(by_level, reverse=bool(sweep % 2))
        for at in order:
            members = by_level[at]
            near = [(after if sweep % 2 else before)[one] or (before if sweep % 2 else after)[one] for one in members]
            wanted = [
                sum(places[other] for other in others) / len(others) if others else places[one]
                for one, others in zip(members, near, strict=True)
            ]
            sizes = [1.0 if one in nodes else _PASSING for one in members]
            places |= zip(members, spread(wanted, sizes), strict=True)
    return _closed_up(places)


def _closed_up(places: Mapping[str, float]) -> dict[str, float]:
    """The places from 0 on, without the bands that are empty in all layers."""
    moved: dict[str, float] = {}
    ahead, last = 0.0, None
    for one in sorted(places, key=places.__getitem__):
        ahead += 0.0 if last is None else min(places[one] - last, 1.0)
        last = places[one]
        moved[one] = ahead
    return moved


def spread(wanted: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Places as near as possible to the wanted ones, in their order, that leave each the room of its size."""
    groups: list[tuple[list[int], float]] = []  # members, and where the group begins

    def begin(members: list[int]) -> float:
        ahead, middles = 0.0, []
        for one in members:
            middles.append(wanted[one] - ahead - sizes[one] / 2)
            ahead += sizes[one]
        return sum(middles) / len(middles)

    for at in sorted(range(len(wanted)), key=wanted.__getitem__):
        groups.append(([at], begin([at])))
        while len(groups) > 1 and groups[-2][1] + sum(sizes[one] for one in groups[-2][0]) > groups[-1][1]:
            members = groups[-2][0] + groups[-1][0]
            groups[-2:] = [(members, begin(members))]
    places = [0.0] * len(wanted)
    for members, start in groups:
        ahead = start
        for one in members:
            places[one] = ahead + sizes[one] / 2
            ahead += sizes[one]
    return places


_SHAPES = {"given": ("([", "])"), "step": ("[", "]"), "label": ("{{", "}}")}


def mermaid(derivation: DerivationGraph) -> str:
    """The graph as a Mermaid flowchart: rounded givens, square steps, six-sided labels."""
    found = graph(derivation)
    number = {node.name: f"q{at}" for at, node in enumerate(found.nodes)}
    lines = ["flowchart LR"]
    for node in found.nodes:
        left, right = _SHAPES[node.kind]
        lines.append(f'    {number[node.name]}{left}"{node.name}"{right}')
    lines += [
        f"    {number[parameter]} --> {number[node.name]}"
        for node in found.nodes
        for parameter in derivation.parameters(node.name)
    ]
    return "\n".join(lines) + "\n"

"""A graph drawn from left to right: givens as letters, steps in boxes, labels in rounded ones."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from symroof.drawing_style import FAINT, INK, LINK, PALE, POINTS, SHADES, WIDTH, lettering
from symroof.figure_data import Graph, Node

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SLOT, _TALLEST, _MARGIN = 0.27, 8.6, 0.12  # inches
_SIZES = (9.0, 8.0, 7.0, 6.0, 5.0, 4.0)
_NARROWEST = 0.22  # inches between layers


def draw_graph(figure: Figure, picture: Graph) -> None:
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path

    highest = max([node.place for node in picture.nodes] + [place for edge in picture.edges for _, place in edge.path])
    slot = min(_SLOT, (_TALLEST - 2 * _MARGIN) / (highest + 1))
    height = slot * (highest + 1) + 2 * _MARGIN
    figure.set_figheight(height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    middles, widths, size = _fitted(figure, picture, slot)

    def down(place: float) -> float:
        return _MARGIN + slot * (place + 0.5)

    wide = {
        node.name: _wide(figure, node, size) if node.kind == "given" else widths[node.layer] for node in picture.nodes
    }
    givens = {node.name for node in picture.nodes if node.kind == "given"}
    for edge in picture.edges:
        (first, at), *between, (last, to) = edge.path
        ends = [(middles[first] + wide[edge.start] / 2, down(at))]
        for layer, place in between:  # straight across the layers that it passes
            ends += [(middles[layer] + side * widths[layer] / 2, down(place)) for side in (-1, 1)]
        ends.append((middles[last] - wide[edge.end] / 2, down(to)))
        vertices, codes = ends[:1], [Path.MOVETO]
        for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(ends)):
            curved = number % 2 == 0
            vertices += [((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1), (x1, y1)] if curved else [(x1, y1)]
            codes += [Path.CURVE4] * 3 if curved else [Path.LINETO]
        hue = FAINT if edge.start in givens else LINK
        axes.add_patch(PathPatch(Path(vertices, codes), facecolor="none", edgecolor=hue, linewidth=0.7, zorder=1))
    for node in picture.nodes:
        x, y, tall = middles[node.layer], down(node.place), slot * 0.78
        axes.text(x, y, "", ha="center", va="center", fontsize=size, zorder=4).update(lettering(node.label))
        if node.kind != "given":
            rounded = f"round,pad=0,rounding_size={tall / 2}" if node.kind == "label" else "square,pad=0"
            axes.add_patch(
                FancyBboxPatch(
                    (x - wide[node.name] / 2, y - tall / 2), wide[node.name], tall, boxstyle=rounded, zorder=3,
                    facecolor=PALE if node.kind == "label" else SHADES[0], edgecolor=INK, linewidth=0.5,
                )
            )  # fmt: skip


def _wide(figure: Figure, node: Node, size: float) -> float:
    """Inches that a node's box takes."""
    text = figure.text(0, 0, "", fontsize=size)
    text.update(lettering(node.label))
    width: float = text.get_window_extent().width / figure.dpi
    text.remove()
    return width + 0.1


def _fitted(figure: Figure, picture: Graph, slot: float) -> tuple[dict[int, float], dict[int, float], float]:
    """The middle and the width of each layer, with equal gaps between them, and the largest size of type that fits."""
    gap = 0.0
    for size in _SIZES:
        widths: dict[int, float] = {}
        for node in picture.nodes:
            widths[node.layer] = max(widths.get(node.layer, 0.0), _wide(figure, node, size))
        gap = (WIDTH - 2 * _MARGIN - sum(widths.values())) / max(len(widths) - 1, 1)
        if size <= slot * POINTS * 0.6 and gap >= _NARROWEST:
            break
    middles, x = {}, _MARGIN
    for layer in sorted(widths):
        middles[layer] = x + widths[layer] / 2
        x += widths[layer] + gap
    return middles, widths, size

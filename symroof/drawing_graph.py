"""A graph drawn from left to right: givens as letters, steps in boxes, labels in rounded ones."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from symroof.drawing_style import FAINT, INK, LINK, PALE, SHADES, SHEET, WIDTH, lettering
from symroof.pictures import Graph, Node

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SLOT, _TALLEST, _MARGIN = 0.27, 8.6, 0.12  # inches
_SIZES = (9, 8, 7, 6, 5, 4)
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
    size = min(9.0, slot * 72 * 0.6)
    middles, widths = _columns(figure, picture, size)
    for size_tried in _SIZES:
        if size_tried <= size:
            middles, widths = _columns(figure, picture, size_tried)
            if _gap(middles, widths) >= _NARROWEST:
                size = size_tried
                break

    def across(layer: int) -> float:
        return middles[layer]

    def down(place: float) -> float:
        return _MARGIN + slot * (place + 0.5)

    givens = {node.name for node in picture.nodes if node.kind == "given"}
    for edge in picture.edges:
        chain = edge.path
        vertices, codes = [(across(chain[0][0]), down(chain[0][1]))], [Path.MOVETO]
        for (_, _), (layer, place) in pairwise(chain):
            x0, y0 = vertices[-1]
            x1, y1 = across(layer), down(place)
            middle = (x0 + x1) / 2
            vertices += [(middle, y0), (middle, y1), (x1, y1)]
            codes += [Path.CURVE4] * 3
        axes.add_patch(
            PathPatch(
                Path(vertices, codes),
                facecolor="none",
                edgecolor=FAINT if edge.start in givens else LINK,
                linewidth=0.7,
                zorder=1,
            )
        )
    for node in picture.nodes:
        x, y = across(node.layer), down(node.place)
        text = axes.text(x, y, "", ha="center", va="center", fontsize=size, zorder=4)
        text.update(lettering(node.label))
        wide, tall = widths[node.layer] if node.kind != "given" else _wide(figure, node, size), slot * 0.78
        rounded = f"round,pad=0,rounding_size={tall / 2}" if node.kind == "label" else "square,pad=0"
        axes.add_patch(
            FancyBboxPatch(
                (x - wide / 2, y - tall / 2), wide, tall, boxstyle=rounded, zorder=3,
                facecolor={"given": SHEET, "step": SHADES[0], "label": PALE}[node.kind],
                edgecolor="none" if node.kind == "given" else INK, linewidth=0.5,
            )
        )  # fmt: skip


def _wide(figure: Figure, node: Node, size: float) -> float:
    """Inches that a node's box takes."""
    text = figure.text(0, 0, "", fontsize=size)
    text.update(lettering(node.label))
    width: float = text.get_window_extent().width / figure.dpi
    text.remove()
    return width + 0.1


def _columns(figure: Figure, picture: Graph, size: float) -> tuple[dict[int, float], dict[int, float]]:
    """The middle and the width of each layer, the gaps between layers being equal."""
    widths: dict[int, float] = {}
    for node in picture.nodes:
        widths[node.layer] = max(widths.get(node.layer, 0.0), _wide(figure, node, size))
    layers = sorted(widths)
    gap = (WIDTH - 2 * _MARGIN - sum(widths.values())) / max(len(layers) - 1, 1)
    middles, x = {}, _MARGIN
    for layer in layers:
        middles[layer] = x + widths[layer] / 2
        x += widths[layer] + gap
    return middles, widths


def _gap(middles: dict[int, float], widths: dict[int, float]) -> float:
    ends = [(middles[one] - widths[one] / 2, middles[one] + widths[one] / 2) for one in sorted(middles)]
    return min((after[0] - before[1] for before, after in pairwise(ends)), default=1.0)

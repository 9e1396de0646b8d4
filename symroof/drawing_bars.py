"""Stacked bars drawn: a row for each, its parts from left to right, and the limit that it must stay within."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symroof.drawing_style import HUES, INK, ON_HUES, SHEET, WIDTH, axis_label, frame, lettering
from symroof.figure_data import Bar, Bars, to_float
from symroof.prose import Maths, Prose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW, _BOTTOM, _TOP, _RIGHT = 0.29, 0.48, 0.3, 0.15  # inches
_THICK = 0.62  # of a row
_LONGEST_NAME = 40  # characters
_PADDING = 4 / 72  # inches around a label inside a part


def draw_bars(figure: Figure, picture: Bars) -> None:
    left = 0.15 + max(_width(figure, _short(bar.name)) for bar in picture.bars)
    legend = _Legend(figure, picture)
    top = _TOP + legend.height
    height = _BOTTOM + top + _ROW * len(picture.bars)
    figure.set_figheight(height)
    wide = WIDTH - left - _RIGHT
    axes = figure.add_axes(
        (left / WIDTH, _BOTTOM / height, wide / WIDTH, _ROW * len(picture.bars) / height),
    )
    frame(axes)
    axes.set_xlim(picture.axis.low, picture.axis.high)
    axes.set_ylim(len(picture.bars) - 0.5, -0.5)
    axes.set_xlabel("").update(lettering(axis_label(picture.axis)))
    axes.set_yticks([])
    for row, bar in enumerate(picture.bars):
        axes.annotate(
            "",
            (0, row),
            (-5, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="center",
        ).update(lettering(_short(bar.name)))
        _draw_bar(axes, bar, row, picture.axis.high)
    _draw_limits(axes, picture)
    legend.draw(left, height)


def _short(name: Prose) -> Prose:
    """A name that leaves room for its bar."""
    return name if len(name.text) <= _LONGEST_NAME else Prose((f"{name.text[: _LONGEST_NAME - 3]}...",))


def _width(figure: Figure, label: Prose | Maths) -> float:
    """Inches that a label takes."""
    text = figure.text(0, 0, "")
    text.update(lettering(label))
    width: float = text.get_window_extent().width / figure.dpi
    text.remove()
    return width


def _draw_bar(axes: Axes, bar: Bar, row: int, high: float) -> None:
    """The parts, named where their names fit in, and the total behind them. A bar that is too long is cut in one of its
    parts; those after it are as wide as their names."""
    figure = axes.get_figure(root=True)
    assert figure
    inches = axes.bbox.width / figure.dpi / high
    room = (_width(figure, bar.total_label) + 3 * _PADDING) / inches
    length = sum(to_float(part.value) for part in bar.parts)
    cut = high - room if length > high - room else high
    lengths = [to_float(part.value) for part in bar.parts]
    names = [(_width(figure, part.label) + 2 * _PADDING) / inches for part in bar.parts]
    start, is_cut = 0.0, False
    for at, part in enumerate(bar.parts):
        room_here = cut - start - sum(names[at + 1 :])
        cuts = not is_cut and length > cut and lengths[at] > room_here
        shown = room_here if cuts else names[at] if is_cut else lengths[at]
        shade = part.family % len(HUES)
        axes.barh(row, shown, _THICK, start, color=HUES[shade], edgecolor=SHEET, linewidth=0.8)
        if names[at] - _PADDING / inches < shown:
            inside = axes.text(start + shown / 2, row, "", ha="center", va="center", color=ON_HUES[shade], zorder=6)
            inside.update(lettering(part.label))
        start += shown
        if cuts:
            is_cut = True
            for stroke in (start - 0.1 / inches, start - 0.06 / inches):
                axes.plot(
                    [stroke, stroke + 0.04 / inches], [row + _THICK / 2, row - _THICK / 2],
                    color=SHEET, linewidth=1.2, zorder=6,
                )  # fmt: skip
    text = axes.annotate(
        "", (start, row), (4, 0), textcoords="offset points", va="center", ha="left", zorder=7,
        bbox={"facecolor": SHEET, "edgecolor": "none", "pad": 1},
    )  # fmt: skip
    text.update(lettering(bar.total_label))
    box, line = text.get_window_extent(), axes.transData.transform((to_float(bar.limit), row))[0]
    if box.x0 - 3 <= line <= box.x1 + 3:  # it would run through the figure
        text.xy = (to_float(bar.limit), row)


def _draw_limits(axes: Axes, picture: Bars) -> None:
    """One line through all bars, or a mark across each."""
    limits = [to_float(bar.limit) for bar in picture.bars]
    properties: dict[str, Any] = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.2, "zorder": 5}
    if len(set(limits)) == 1:
        axes.plot([limits[0]] * 2, [-0.5, len(limits) - 0.5], **properties)
    else:
        for row, limit in enumerate(limits):
            axes.plot([limit] * 2, [row - 0.45, row + 0.45], **{**properties, "linestyle": "-"})
    text = axes.annotate(
        "", (max(limits), -0.5), (0, 3), textcoords="offset points", ha="center", va="bottom", annotation_clip=False
    )
    text.update(lettering(picture.limit_label))


class _Legend:
    """The parts by colour, in rows above the bars."""

    def __init__(self, figure: Figure, picture: Bars) -> None:
        self.figure = figure
        families: dict[int, dict[str, Maths]] = {}
        for bar in picture.bars:
            for part in bar.parts:
                families.setdefault(part.family, {})[part.label.text] = part.label
        self.rows: list[list[tuple[int, Prose, float]]] = [[]]
        for family, labels in sorted(families.items()):
            pieces = [piece for label in labels.values() for piece in (label, ", ")][:-1]
            name = Prose(tuple(pieces))
            width = _width(figure, name) + 0.36
            if self.rows[-1] and sum(one[2] for one in self.rows[-1]) + width > WIDTH - 0.2:
                self.rows.append([])
            self.rows[-1].append((family, name, width))
        self.height = 0.2 * len(self.rows)

    def draw(self, left: float, height: float) -> None:
        from matplotlib.patches import Rectangle

        for at, row in enumerate(self.rows):
            y = height - 0.17 - 0.2 * at
            x = min(left, WIDTH - 0.1 - sum(one[2] for one in row))
            for family, name, width in row:
                self.figure.add_artist(
                    Rectangle(
                        (x / WIDTH, (y - 0.045) / height), 0.11 / WIDTH, 0.11 / height,
                        color=HUES[family % len(HUES)], transform=self.figure.transFigure,
                    )
                )  # fmt: skip
                self.figure.text((x + 0.16) / WIDTH, y / height, "", va="center").update(lettering(name))
                x += width

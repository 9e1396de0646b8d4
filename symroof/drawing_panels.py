"""Panels drawn: curves with their names at their ends, and labels where they cover nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from symroof.drawing_style import (
    HUES,
    INK,
    LINES,
    PALE,
    POINTS,
    SHADES,
    SHEET,
    WIDTH,
    axis_label,
    frame,
    lettering,
    ticks,
)
from symroof.figure_data import Curve, Level, Panel, Panels, Point, Region, to_float
from symroof.figure_graph import spread
from symroof.prose import Prose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

_HEIGHT = 3.5  # inches
_ROOM = 1.06  # by which a logarithmic axis goes beyond its ends
_BOTTOM, _TOP, _GAP = 0.48, 0.1, 0.12  # inches
_CURVES: dict[str, dict[str, Any]] = {
    "bound": {"linewidth": 5, "color": PALE, "solid_capstyle": "butt", "zorder": 2},
    "total": {"linewidth": 0.9, "color": INK, "zorder": 3},
}
_MARKS: dict[str, dict[str, Any]] = {  # in the order in which they get their labels
    "root": {"marker": "D", "markersize": 5, "markerfacecolor": SHEET},
    "above": {"marker": "X", "markersize": 7, "markerfacecolor": HUES[1]},
    "case": {"marker": "o", "markersize": 5.5, "markerfacecolor": INK},
    "measured": {"marker": "^", "markersize": 5.5, "markerfacecolor": HUES[2]},
    "other": {"marker": "s", "markersize": 4.5, "markerfacecolor": SHEET},
    "swept": {"marker": "o", "markersize": 4, "markerfacecolor": SHEET},
}
_MOST_LABELS = 40
_COVERED, _UNCLEAR = 1000.0, 20.0  # how bad a place for a label is that covers something, or could be another point's


def draw_panels(figure: Figure, picture: Panels) -> None:
    shares = [1.0] if len(picture.panels) == 1 else [0.68, 0.32]
    height = _HEIGHT if len(shares) == 1 else _HEIGHT * 1.25
    figure.set_figheight(height)
    right = 0.12 + max(_end_width(figure, panel) for panel in picture.panels)
    room = height - _BOTTOM - _TOP - _GAP * (len(shares) - 1)
    drawn, above = [], height - _TOP
    for panel, share in zip(picture.panels, shares, strict=True):
        tall = room * share
        axes = figure.add_axes((0, (above - tall) / height, 1, tall / height))
        drawn.append(_PanelDrawn(axes, panel, is_last=panel is picture.panels[-1]))
        above -= tall + _GAP
    left = 0.28 + max(one.tick_width() for one in drawn)
    for one in drawn:
        one.draw(left, WIDTH - left - right)


def _end_width(figure: Figure, panel: Panel) -> float:
    """Inches that the labels at the right ends of the curves take."""
    widest = 0.0
    for curve in panel.curves:
        if curve.named == "end":
            text = figure.text(0, 0, "")
            text.update(lettering(curve.label))
            widest = max(widest, text.get_window_extent().width / figure.dpi + 0.1)
            text.remove()
    return widest


class _PanelDrawn:
    """One panel: what is drawn on its axes, and the places that its labels have taken."""

    def __init__(self, axes: Axes, panel: Panel, *, is_last: bool) -> None:
        self.axes, self.panel = axes, panel
        self.scale = axes.figure.dpi / POINTS  # pixels to the point
        self.taken: list[Bbox] = []
        self.lines: list[Any] = []  # places on curves, in pixels
        self.uprights: list[float] = []  # places of upright levels, in pixels
        self._frame(is_last)

    def tick_width(self) -> float:
        """Inches that the figures along the y axis take."""
        labels = [one for one in self.axes.get_yticklabels() if one.get_text()]
        return max((one.get_window_extent().width for one in labels), default=0.0) / self.scale / POINTS + 0.07

    def draw(self, left: float, width: float) -> None:
        """Draws it with the y axis so many inches from the left, and so wide."""
        box = self.axes.get_position()
        self.axes.set_position((left / WIDTH, box.y0, width / WIDTH, box.height))
        self.axes.yaxis.set_label_coords(-(left - 0.2) / width, 0.5)
        for at, region in enumerate(self.panel.regions):
            self._region(region, SHADES[at % 2])
        self._draw_curves()
        for at, level in enumerate(self.panel.levels):
            self._level(level, at)
        self._draw_points()

    def _frame(self, is_last: bool) -> None:
        axes, x, y = self.axes, self.panel.x, self.panel.y
        frame(axes)
        for axis, drawn, scale, limits, name in (
            (x, axes.xaxis, axes.set_xscale, axes.set_xlim, axes.set_xlabel),
            (y, axes.yaxis, axes.set_yscale, axes.set_ylim, axes.set_ylabel),
        ):
            if axis.linear:
                limits(axis.low, axis.high)
            else:
                scale("log")
                limits(axis.low / _ROOM, axis.high * _ROOM)
                ticks(drawn, axis.low, axis.high)
            if axis is y or is_last:
                name("").update(lettering(axis_label(axis)))
        if not is_last:
            axes.tick_params(labelbottom=False)

    def _pixels(self, x: Any, y: Any) -> Any:
        return self.axes.transData.transform(np.column_stack([np.atleast_1d(x), np.atleast_1d(y)]))

    def _region(self, region: Region, shade: str) -> None:
        x = self.panel.x
        low = x.low if region.low is None else min(max(to_float(region.low), x.low), x.high)
        high = x.high if region.high is None else max(min(to_float(region.high), x.high), x.low)
        if low >= high:
            return
        self.axes.axvspan(low, high, color=shade, linewidth=0, zorder=0)
        middle = (low + high) / 2 if x.linear else math.sqrt(low * high)
        text = self.axes.annotate(
            "", (middle, 1), (0, -4), xycoords=("data", "axes fraction"), textcoords="offset points",
            ha="center", va="top",
        )  # fmt: skip
        text.update(lettering(region.label))
        box = text.get_window_extent()
        ends = self._pixels([low, high], [self.panel.y.low] * 2)[:, 0]
        if box.width > ends[1] - ends[0]:
            text.remove()
            self._name_beside(region, low, middle, high)
        else:
            self.taken.append(box)

    def _name_beside(self, region: Region, low: float, middle: float, high: float) -> None:
        """The name of a region that is too narrow for it: beside it on a line of its own, with an arrow, if there is
        room."""
        edges = self._pixels([low, middle, high], [self.panel.y.low] * 3)[:, 0]
        inside = self.axes.bbox
        edge, side, align = (edges[0], -1, "right") if edges[1] > (inside.x0 + inside.x1) / 2 else (edges[2], 1, "left")
        text = self.axes.annotate(
            "", (middle, 1 - 24 * self.scale / inside.height), ((edge - edges[1]) / self.scale + 10 * side, 0),
            xycoords=("data", "axes fraction"), textcoords="offset points", ha=align, va="center", fontsize=9,
            arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 0},
        )  # fmt: skip
        text.update(lettering(region.label))
        box = text.get_window_extent()
        if self._is_taken(box):
            text.remove()
        else:
            self.taken.append(box)

    # -- curves

    def _draw_curves(self) -> None:
        ends: list[tuple[float, str, Prose]] = []
        inside: list[tuple[Curve, str]] = []
        parts = 0  # of roofs and of others, never both
        for curve in self.panel.curves:
            at = parts // 2 if curve.role == "roof" else parts
            hue, line = HUES[at % len(HUES)], LINES[at % len(LINES)]
            if curve.role in _CURVES:
                hue, properties = INK, _CURVES[curve.role]
            else:
                parts += 1
                width = 1.6 if curve.role == "roof" else 1.3
                properties = {"color": hue, "linestyle": line, "linewidth": width, "zorder": 3}
            good = curve.y > 0
            self.axes.plot(curve.x[good], curve.y[good], **properties)
            self._remember(curve)
            if curve.named == "end":
                ends.append((float(curve.y[good][-1]), hue, curve.label))
            elif curve.label.parts:
                inside.append((curve, hue))
        self._label_ends(ends)
        for curve, hue in inside:
            (self._label_slope if curve.named == "along" else self._label_flat)(curve, hue)

    def _remember(self, curve: Curve) -> None:
        """The curve's places, close enough that a label does not slip between two."""
        good = curve.y > 0
        pixels = self._pixels(curve.x[good], curve.y[good])
        along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(pixels, axis=0).T))])
        steps = np.arange(0, along[-1], 3 * self.scale) if along[-1] else np.zeros(1)
        self.lines.append(np.column_stack([np.interp(steps, along, pixels[:, at]) for at in (0, 1)]))

    def _label_ends(self, ends: Sequence[tuple[float, str, Prose]]) -> None:
        """Names at the right ends of curves, moved apart where they would meet."""
        wanted = [float(self._pixels(self.panel.x.high, y)[0, 1]) for y, _, _ in ends]
        sizes = [(11.5 * (1 + label.text.count("\n")) + 2) * self.scale for _, _, label in ends]
        places = spread(wanted, sizes)
        top = self.axes.bbox.y1 + 6 * self.scale
        for at in sorted(range(len(places)), key=places.__getitem__, reverse=True):
            places[at] = min(places[at], top - sizes[at] / 2)
            top = places[at] - sizes[at] / 2
        box = self.axes.bbox
        across = 1 + 5 * self.scale / box.width
        for (y, hue, label), place in zip(ends, places, strict=True):
            offset = (across, (place - box.y0) / box.height)
            text = self.axes.annotate(
                "", (self.panel.x.high, y), offset, textcoords="axes fraction", va="center", color=hue,
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": hue, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 0,
                            "relpos": (0, 0.5)},
            )  # fmt: skip
            text.update(lettering(label))

    def _label_slope(self, sloped: Curve, hue: str) -> None:
        """Along the part of the slope that is inside the axes; where that is too short, beside its top."""
        start, end = self._pixels(sloped.x, sloped.y)
        start = start + (end - start) * max(0.0, (self.axes.bbox.y0 - start[1]) / (end[1] - start[1]))
        inside = start + (end - start) * 0.06
        text = self.axes.annotate(
            "", tuple(self.axes.transData.inverted().transform(inside)), (-3, 3), textcoords="offset points",
            rotation_mode="anchor", ha="left", va="bottom", color=hue,
        )  # fmt: skip
        text.update(lettering(sloped.label))
        if text.get_window_extent().width < 0.8 * math.hypot(*(end - start)) and end[0] - start[0] > 24 * self.scale:
            text.update({"rotation": math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))})
        else:
            text.xy = (float(sloped.x[1]), float(sloped.y[1]))
            text.update({"position": (5, -14)})
        self.taken.append(text.get_window_extent())

    def _label_flat(self, flat: Curve, hue: str) -> None:
        """Above the right end."""
        text = self.axes.annotate(
            "", (self.panel.x.high, flat.y[1]), (-2, 3), textcoords="offset points", ha="right", va="bottom", color=hue
        )
        text.update(lettering(flat.label))
        self.taken.append(text.get_window_extent())

    # -- levels and points

    def _level(self, level: Level, number: int) -> None:
        at = to_float(level.at)
        properties: dict[str, Any] = {
            "color": HUES[level.roof % len(HUES)],
            "linestyle": (0, (4, 3)),
            "linewidth": 0.8,
            "zorder": 2.5,
        }
        if level.upright:
            top = self.panel.y.high if level.top is None else to_float(level.top)
            self.axes.plot([at, at], [self.panel.y.low, top], **properties)
            self.uprights.append(float(self._pixels(at, self.panel.y.low)[0, 0]))
            self._remember(Curve(level.label, np.array([at, at]), np.array([self.panel.y.low, top]), "level"))
            anchor, offset = (at, self.panel.y.low), (3.0, 4.0 + 12 * number)
        else:
            self.axes.plot([self.panel.x.low, self.panel.x.high], [at, at], **properties)
            anchor, offset = (self.panel.x.low, at), (4.0, 2.0)
        if not level.label.parts:
            return
        text = self.axes.annotate("", anchor, offset, textcoords="offset points", ha="left", va="bottom", zorder=6)
        text.update(lettering(level.label))
        if level.upright and text.get_window_extent().x1 > self.axes.bbox.x1:
            text.set_position((-3.0, offset[1]))
            text.update({"ha": "right"})
        if not level.upright and self._is_taken(text.get_window_extent()):
            text.set_position((4.0, -2.0))
            text.update({"va": "top"})
        self.taken.append(text.get_window_extent())

    def _draw_points(self) -> None:
        points = [point for point in self.panel.points if point.y]
        places = np.array([(to_float(point.x), to_float(point.y)) for point in points]).reshape(-1, 2)
        pixels = self._pixels(places[:, 0], places[:, 1])
        for role, mark in reversed(_MARKS.items()):  # the most important on top
            chosen = [at for at, point in enumerate(points) if point.role == role]
            self.axes.plot(
                places[chosen, 0], places[chosen, 1], color=INK, markeredgecolor=INK, markeredgewidth=1,
                linestyle="none", zorder=5, clip_on=False, **mark,
            )  # fmt: skip
        labelled: list[Any] = []
        order = list(_MARKS)
        few = len(points) <= _MOST_LABELS  # of very many, only what is out of the ordinary is named
        named = [
            at for at, one in enumerate(points) if one.label.parts and (few or one.role not in ("measured", "swept"))
        ]
        for at in sorted(named, key=lambda at: order.index(points[at].role))[:_MOST_LABELS]:
            near = any(math.hypot(*(pixels[at] - other)) < 4 * self.scale for other in labelled)
            if not (near and points[at].role == "swept"):
                self._label_point(points[at], pixels, at)
                labelled.append(pixels[at])

    def _label_point(self, point: Point, pixels: Any, at: int) -> None:
        """The label where it covers nothing; one of many points stays without, if there is no clear place close by."""
        is_one_of_many = point.role in ("swept", "measured")
        text = self.axes.annotate(
            "", (to_float(point.x), to_float(point.y)), (0, 0), textcoords="offset points", ha="center", va="center",
            zorder=6, annotation_clip=False,
        )  # fmt: skip
        text.update(lettering(point.label))
        box = text.get_window_extent()
        best, cost = (0.0, 0.0), math.inf
        for away in (4, 10) if is_one_of_many else (4, 10, 18, 28, 40):
            for direction in range(0, 360, 30):
                across, up = math.cos(math.radians(direction)), math.sin(math.radians(direction))
                offset = (
                    across * (away + box.width / 2 / self.scale),
                    up * (away + box.height / 2 / self.scale),
                )
                place = _moved(box, pixels[at], offset, self.scale)
                found = self._cost(place, pixels) + self._crossed(pixels[at], place) + away
                found += _UNCLEAR * (self._may_be_anothers(place, at, pixels) + self._is_across(place, pixels[at]))
                if found < cost:
                    best, cost = offset, found
        if cost >= (_UNCLEAR if point.role == "swept" else _COVERED) and is_one_of_many:
            text.remove()
            return
        text.set_position(best)
        placed = _moved(box, pixels[at], best, self.scale)
        self.taken.append(placed)
        self._lead(pixels[at], placed)

    def _lead(self, pixel: Any, box: Bbox) -> None:
        """A thin line from a point to a label that is not close by."""
        near = _nearest(box, pixel)
        if math.hypot(*(near - pixel)) > 9 * self.scale:
            ends = self.axes.transData.inverted().transform([pixel, near])
            self.axes.plot(ends[:, 0], ends[:, 1], color=INK, linewidth=0.4, zorder=4)

    def _crossed(self, pixel: Any, box: Bbox) -> float:
        """How bad it is where that line would go: through other labels."""
        places = np.linspace(pixel, _nearest(box, pixel), 12)
        return _COVERED / 2 * sum(bool(np.any(_within(other, places.T, 0))) for other in self.taken)

    def _may_be_anothers(self, box: Bbox, at: int, pixels: Any) -> bool:
        """Whether a label would be about as close to another point as to its own."""
        away = np.hypot(*(np.clip(pixels, (box.x0, box.y0), (box.x1, box.y1)) - pixels).T)
        return bool(np.sum(away < away[at] + 4 * self.scale) > 1)

    def _is_across(self, box: Bbox, pixel: Any) -> bool:
        """Whether a label, or a part of it, is on the other side of an upright level than its point."""
        return any(
            (box.x0 - one) * (pixel[0] - one) < 0 or (box.x1 - one) * (pixel[0] - one) < 0 for one in self.uprights
        )

    def _cost(self, box: Bbox, pixels: Any) -> float:
        """How bad a place for a label is: outside, on another label, on a point, on a line."""
        inside = self.axes.bbox
        outside = box.x0 < inside.x0 + 2 or box.x1 > inside.x1 or box.y0 < inside.y0 + 2 or box.y1 > inside.y1
        on_points = int(np.sum(_within(box, pixels.T, 4 * self.scale)))
        on_lines = sum(int(np.sum(_within(box, line.T, 0.5 * self.scale))) for line in self.lines)
        return float(_COVERED * (outside + self._is_taken(box) + on_points) + 8 * on_lines)

    def _is_taken(self, box: Bbox) -> bool:
        return any(box.padded(2 * self.scale).overlaps(other) for other in self.taken)


def _nearest(box: Bbox, pixel: Any) -> Any:
    """The place in a box that is nearest to a pixel."""
    return np.array([min(max(pixel[0], box.x0), box.x1), min(max(pixel[1], box.y0), box.y1)])


def _within(box: Bbox, place: Any, margin: float) -> Any:
    x, y = place
    return (x > box.x0 - margin) & (x < box.x1 + margin) & (y > box.y0 - margin) & (y < box.y1 + margin)


def _moved(box: Bbox, pixel: Any, offset: tuple[float, float], scale: float) -> Bbox:
    """The box of a label whose middle lies `offset` points from a pixel."""
    from matplotlib.transforms import Bbox

    x, y = pixel[0] + offset[0] * scale, pixel[1] + offset[1] * scale
    return Bbox.from_extents(x - box.width / 2, y - box.height / 2, x + box.width / 2, y + box.height / 2)

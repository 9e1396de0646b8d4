"""Whether the figures of a written report are right: each against the exact value that it was rounded from.

A report is written with traces: every computed figure carries, unseen, what it is a figure of and its exact value.
Here the printed digits are read back and compared with that value, by integers alone and apart from the code that
rounded them; and a document on disk is compared, figure by figure, with one written afresh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from pathlib import Path

from symroof.check import Outcome, Section
from symroof.errors import LoadError, SymroofError
from symroof.expression import Expression, value
from symroof.prose import FIGURE, NEITHER, WRITTEN
from symroof.publishing import BOOK
from symroof.settings import Settings
from symroof.shown import Report
from symroof.units import Quantity
from symroof.writing import write_book_traced, write_traced

FORMS = ("tex", "md")
_MOST_FAULTS = 10  # of one file that are listed


def check_printed(
    report: Report, settings: Settings, folder: Path | None = None, templates: Path | None = None
) -> Section:
    """Checks every figure of a report written afresh, and with a folder those of the report that stands there.

    Raises LoadError where the folder has none.
    """
    section = Section()
    on_disk = [folder / f"{report.name}.{form}" for form in FORMS] if folder else []
    if folder and not any(path.is_file() for path in on_disk):
        raise LoadError(f"{folder} has no {report.name}.tex or .md", f"symroof report --out {folder} writes them")
    known = _values_set(settings)
    for form in FORMS:
        document = read(write_traced(report, form, templates=templates))
        section.checked += len(document.figures)
        for fault in (*misprints(document), *typed(document, known)):
            section.failed.append(f"{report.name}.{form}, {fault}")
        section.failed += [
            f"{path}, {fault}" for path in on_disk if path.suffix == f".{form}" for fault in _on_disk(document, path)
        ]
    return section


def book_outcome(reports: Sequence[Report], folder: Path) -> list[Outcome]:
    """The same for the book of all reports, where the folder has one."""
    path = folder / f"{BOOK}.tex"
    if not path.is_file():
        return []
    document = read(write_book_traced(reports))
    faults = [f"{path}, {fault}" for fault in _on_disk(document, path)]
    return [Outcome(BOOK, {"printed": Section(len(document.figures), faults)})]


def _on_disk(fresh: Document, path: Path) -> Iterator[str]:
    if path.is_file():
        try:
            found = list(differences(fresh, path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise LoadError(f"{path} cannot be read: {error}", "write it anew with symroof report") from None
        yield from found[:_MOST_FAULTS]
        if len(found) > _MOST_FAULTS:
            yield (
                f"and {len(found) - _MOST_FAULTS} more: if it was written for another case, give the same "
                "--on, --dtype and --set"
            )


def _values_set(settings: Settings) -> list[Quantity]:
    """What the givens are set to, here and in each plan: the values that an author may name in a sentence."""
    steps = settings.derivation.steps
    plans = [{name: to for name, to in plan.at.items() if to not in steps} for plan in settings.derivation.plans]
    cases = [settings, *(settings.with_values(at) for at in plans if at)]
    used = settings.derivation.ancestors(settings.derivation.steps)
    values = [case.value(name).content for case in cases for name in used if name in settings.derivation.givens]
    return [one for one in values if not isinstance(one, Expression)]


@dataclass(frozen=True)
class Figure:
    """A computed figure of a document: where it stands, as printed, what it is a figure of, and its exact value."""

    start: int
    end: int
    printed: str
    of: str
    exact: str


@dataclass(frozen=True)
class Document:
    """A document as it is printed, the computed figures in it, and its words that no computation wrote."""

    text: str
    figures: list[Figure]
    pieces: list[tuple[int, int]]  # where what was computed starts and ends: formulas, quotations, figures
    words: list[tuple[int, str]]  # place and text

    def line_of(self, place: int) -> int:
        return self.text.count("\n", 0, place) + 1


def read(traced: str) -> Document:
    """Takes a traced document apart."""
    text, figures, pieces, words = "", [], [], []
    for piece in WRITTEN.split(traced):  # formulas, quotations and computed sentences, and between them plain words
        end, start = 0, len(text)
        for match in FIGURE.finditer(piece):
            text += NEITHER.sub("", piece[end : match.start()])
            figures.append(Figure(len(text), len(text) + len(match["shown"]), *match.group("shown", "of", "exact")))
            text += match["shown"]
            end = match.end()
        text += NEITHER.sub("", piece[end:])
        if not WRITTEN.fullmatch(piece):
            words.append((start, piece))
        elif len(text) > start:
            pieces.append((start, len(text)))
    return Document(text, figures, pieces, words)


def misprints(document: Document) -> Iterator[str]:
    """The figures that are not their exact value, correctly rounded to the digits printed."""
    for figure in document.figures:
        if not _is_right(figure):
            line = document.line_of(figure.start)
            yield f"line {line}: {figure.of} is printed as {figure.printed}, but is {figure.exact}"


_DECIMAL = re.compile(
    r"(?P<number>-?\d(?:\d|\\,(?=\d))*(?:\.(?P<decimals>\d+))?)(?: \\times 10\^\{(?P<power>-?\d+)\})?"
)
_FRACTION = re.compile(r"(?P<sign>-?)\\frac\{(?P<above>[\d\\,]+)\}\{(?P<below>[\d\\,]+)\}")


def _is_right(figure: Figure) -> bool:
    fraction = _FRACTION.match(figure.printed)
    if fraction:
        above, below = (int(part.replace(r"\,", "")) for part in fraction.group("above", "below"))
        return Fraction(figure.exact) == Fraction(above, below) * (-1 if fraction["sign"] else 1)
    decimal = _DECIMAL.match(figure.printed)
    if not decimal:
        return True  # a root such as sqrt(2), which is the exact value
    power = Fraction(10) ** int(decimal["power"] or 0)
    last = power / 10 ** len(decimal["decimals"] or "")
    printed = Fraction(decimal["number"].replace(r"\,", "")) * power
    off = abs(printed - Fraction(figure.exact))
    is_even = (printed / last) % 2 == 0
    return bool(off < last / 2 or (off == last / 2 and is_even))


_NUMBER = re.compile(r"\d+(?:(?:\\,|[.,])\d+)*")
_UNIT = (
    r"(?:[kMGTPE]?i?B(?:/s)?|[kMGTPE]?bytes?(?:/s)?|[kMGTPE]?bit(?:/s)?|[kMGTPE]?(?:FL)?OPs?(?:/s)?|[mun]?s|GHz|MHz)"
)
_TYPED = re.compile(
    rf"(?<![\w.])(?P<number>\d+(?:\.\d+)?)(?: |\\,|~)?(?:\\?(?P<percent>%)|(?:\\mathrm\{{)?(?P<unit>{_UNIT})(?![\w/]))"
)


def typed(document: Document, known: Iterable[Quantity]) -> Iterator[str]:
    """The figures with a unit that somebody typed into a sentence, unless they say what a given is set to."""
    values = list(known)
    for place, words in document.words:
        for match in _TYPED.finditer(words):
            text = f"{match['number']} {match['percent'] or match['unit']}"
            if not any(_same(text, one) for one in values):
                line = document.line_of(place + match.start())
                yield f"line {line}: the figure {text} has no origin, it stands in the words of the text"


def _same(text: str, known: Quantity) -> bool:
    try:
        return bool(value(text) == known)
    except SymroofError:
        return False


def differences(fresh: Document, text: str) -> Iterator[str]:
    """How the figures of a document on disk differ from one written afresh; other words may be other words."""
    ours, theirs = fresh.text.split("\n"), text.split("\n")
    starts = [0]
    for line in ours:
        starts.append(starts[-1] + len(line) + 1)
    for kind, first, last, from_, to in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        mine = [
            (starts[at] + match.start(), match[0]) for at in range(first, last) for match in _NUMBER.finditer(ours[at])
        ]
        other = [(at + 1, match[0]) for at in range(from_, to) for match in _NUMBER.finditer(theirs[at])]
        found = list(_of_numbers(fresh, mine, other, from_ + 1))
        yield from found
        if not found:
            yield from _of_the_rest(fresh, range(starts[first], starts[last]), "\n".join(theirs[from_:to]), from_ + 1)


def _of_numbers(fresh: Document, mine: list[tuple[int, str]], other: list[tuple[int, str]], line: int) -> Iterator[str]:
    if len(mine) == len(other):
        for (place, number), (at, printed) in zip(mine, other, strict=True):
            if number != printed:
                yield f"line {at}: {printed} in place of {_described(fresh, place, number)}"
        return
    matcher = SequenceMatcher(None, [number for _, number in mine], [number for _, number in other], autojunk=False)
    for kind, first, last, from_, to in matcher.get_opcodes():
        if kind == "equal":
            continue
        for at in range(max(last - first, to - from_)):
            expected = _described(fresh, *mine[first + at]) if first + at < last else None
            if from_ + at < to:
                line, number = other[from_ + at]
                yield f"line {line}: {number} " + (f"in place of {expected}" if expected else "has no origin")
            else:
                yield f"line {line}: {expected} is missing"


def _of_the_rest(fresh: Document, places: range, text: str, line: int) -> Iterator[str]:
    """What was computed and is not there, though all digits are: a sign, a unit, a relation, a formula.

    Each piece is looked for with the characters on either side of it, so that nothing can be put before or behind it.
    """
    mine, theirs = f"\n{fresh.text[places.start : places.stop]}\n", f"\n{text}\n"
    for start, end in fresh.pieces:
        if start in places:
            piece = f"\n{fresh.text}\n"[start : end + 2]
            if theirs.count(piece) < mine.count(piece):
                yield f"line {line}: {_owner(fresh, start, end)} is not as it was worked out"
                return


def _owner(fresh: Document, start: int, end: int) -> str:
    """`t_comp = 28.19 ms` for a piece that is a figure, else the piece itself."""
    for figure in fresh.figures:
        if start <= figure.start and figure.end <= end:
            return f"{figure.of} = {figure.printed}"
    return fresh.text[start:end].strip()


def _described(fresh: Document, place: int, number: str) -> str:
    """`28.19 (t_comp = 2147483648/76171875 exactly)`"""
    for figure in fresh.figures:
        if figure.start <= place < figure.end:
            return f"{number} ({figure.of} = {figure.exact} exactly)"
    return number

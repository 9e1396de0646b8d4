"""Alters one digit at a time in reports and says which alterations `check --printed --dir` would miss.

python -m tests.fuzz_printed [N [SEED]]
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator

from symroof import hardware, library
from symroof.printed import FORMS, Document, differences, read
from symroof.report import build
from symroof.settings import worked_settings
from symroof.writing import write_traced


def documents(names: list[str]) -> list[Document]:
    """The reports of some derivations, in each form."""
    settings = (
        worked_settings(library.find(name), {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE)
        for name in names
    )
    return [read(write_traced(report, form)) for report in map(build, settings) for form in FORMS]


def missed(found: list[Document], count: int, seed: int) -> Iterator[str]:
    """The alterations that go unnoticed, or are put down to another line."""
    generator = random.Random(seed)
    for _ in range(count):
        document = generator.choice(found)
        place = generator.choice([match.start() for match in re.finditer(r"\d", document.text)])
        digit = generator.choice([one for one in "0123456789" if one != document.text[place]])
        altered = document.text[:place] + digit + document.text[place + 1 :]
        named = list(differences(document, altered))
        if len(named) != 1 or not named[0].startswith(f"line {document.line_of(place)}: "):
            yield f"{digit} for {document.text[place - 20 : place + 20]!r}: {named}"


if __name__ == "__main__":
    count, seed = (int(text) for text in (sys.argv[1:] + ["200", "1"][len(sys.argv) - 1 :])[:2])
    unnoticed = list(missed(documents(library.shipped()), count, seed))
    print("\n".join([*unnoticed, f"{count - len(unnoticed)} of {count} alterations caught and named (seed {seed})"]))

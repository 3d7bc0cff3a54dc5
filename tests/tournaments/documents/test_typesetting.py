"""What no font has is not printed as an empty box."""

import pytest

from tournaments.documents.typesetting import Frame, PrintedDocument, name_at, typeset_images
from tournaments.domain.sheets.sheet_geometry import Rect


def picture(name: str) -> bytes:
    frame = Frame(width=80, height=20)
    frame.texts.append(name_at(Rect(2, 2, 70, 10), name, 12))
    document = PrintedDocument(title="Names", language="en", pages=[frame.as_data()])
    [image] = typeset_images(document, dots_per_inch=60)
    return image


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("Anna 🎉", "Anna"),
        ("👩🏽‍🚀 Bo", " Bo"),
        ("Cleo 🇩🇪 S.", "Cleo S."),
        ("☀️", "–"),
        ("Dora ♥ ♠ ✓", "Dora ♥ ♠ ✓"),
    ],
)
def test_emoji_are_left_out_and_suits_are_not(written: str, printed: str) -> None:
    assert picture(written) == picture(printed)


def test_letters_of_other_alphabets_are_printed() -> None:
    assert len({picture(name) for name in ("Ελένη", "Łukasz", "Anna")}) == 3

"""The audit trail has ids in the place of names that a typed reason holds."""

import pytest

from tests.support.builders import TESTS, players
from tests.support.cast import NOW, Cast
from tournaments.domain.people.name_eraser import NameEraser
from tournaments.models.audit import AuditLine
from tournaments.services.audit import audit

pytestmark = pytest.mark.django_db


def test_only_the_names_in_a_reason_are_searched_for(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = cast.riverside
    players(club, "Ada Stone", *(f"Person {number}" for number in range(30)))
    searched: list[str] = []

    class Counted(NameEraser):
        def __init__(self, names: list[str], label: str) -> None:
            searched.append(label)
            super().__init__(names, label)

    monkeypatch.setattr(audit, "NameEraser", Counted)
    facts = {"reason": "ada stone's sheet"}
    audit.append_audit(club, TESTS, "void_hand", "club:riverside", now=NOW, facts=facts)
    reason = AuditLine.objects.get(club=club, act="void_hand").facts["reason"]
    assert (reason, len(searched)) == (f"{searched[0]}'s sheet", 1)

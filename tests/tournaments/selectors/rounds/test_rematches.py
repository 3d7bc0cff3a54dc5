"""Who plays again against whom of an earlier posted round."""

import pytest

from tests.support.builders import league, pairs, players, table
from tests.support.cast import Cast
from tests.support.scenarios.planned_evenings import planned_evening
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.rounds import seating_change_text
from tournaments.selectors.rounds.rematches import list_rematches
from tournaments.selectors.rounds.seating_change_text import rematch_text

pytestmark = pytest.mark.django_db


def test_pairs_who_met_in_a_posted_round_meet_again_and_those_of_a_draft_do_not(cast: Cast) -> None:
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    ann, bob, cem, dee, eva, fay, gil, hal = people = players(cast.riverside, *"ABCDEFGH")
    pairs(event, people)
    table(event, [ann, cem, bob, dee])
    table(event, [eva, gil, fay, hal], round_number=2)
    Round.objects.filter(number=2).update(state="draft")
    table(event, [dee, bob, cem, ann], round_number=3)
    last = table(event, [eva, gil, fay, hal], round_number=3, table_number=2).table.round
    assert list_rematches(last) == [["A & B", "C & D"]]
    assert rematch_text(last) == "Meet again: A & B and C & D."
    assert not list_rematches(Round.objects.get(number=1))


def test_players_meet_again_who_are_at_different_tables_in_the_plan(cast: Cast) -> None:
    evening = planned_evening(cast, [([(1, 2, 3), (4, 5, 6)], []), ([(1, 2, 4), (3, 5, 6)], [])])
    evening.plan.cost = {"repeats": 2}
    evening.plan.save()
    evening.here(*range(1, 7))
    evening.play(evening.seat())
    round_ = evening.seat()
    assert not list_rematches(round_)
    dario, greta = (Sitting.objects.get(round=round_, player=evening.row(n)) for n in (4, 3))
    Sitting.objects.filter(pk__in=(dario.pk, greta.pk)).delete()
    dario.seat_id, greta.seat_id = greta.seat_id, dario.seat_id
    Sitting.objects.bulk_create([dario, greta])
    again = [["Alma D.", "Cleo S."], ["Bruno K.", "Cleo S."], ["Dario D.", "Edda K."]]
    assert sorted(list_rematches(round_)) == [*again, ["Dario D.", "Farid S."]]


def test_sentence_names_a_few_who_meet_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [[f"A{number}", f"B{number}"] for number in range(200)]
    monkeypatch.setattr(seating_change_text, "list_rematches", lambda round_: pairs)
    text = rematch_text(Round())
    assert text.endswith("A7 and B7; and 192 more.")
    assert "A8" not in text

"""Who plays again against whom of an earlier posted round."""

import pytest

from tests.support.builders import league, pairs, players, table
from tests.support.cast import Cast
from tests.support.scenarios.planned_evenings import planned_evening
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.rounds import seating_change_text
from tournaments.selectors.rounds.rematches import list_rematches
from tournaments.selectors.rounds.seating_change_text import rematch_text
from tournaments.selectors.seating_plans.plan_facts import repeated_pairs

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


def test_players_meet_again_as_often_as_the_card_of_the_plan_says(cast: Cast) -> None:
    evening = planned_evening(cast, [([(1, 2, 3), (4, 5, 6)], []), ([(1, 2, 4), (3, 5, 6)], [])])
    evening.plan.cost = {"repeats": 2}
    evening.plan.save()
    evening.here(*range(1, 7))
    first = evening.seat()
    assert not list_rematches(first)
    evening.play(first)
    round_ = evening.seat()
    intended = [["Alma D.", "Bruno K."], ["Edda K.", "Farid S."]]
    assert sorted(list_rematches(round_)) == intended
    assert repeated_pairs(evening.plan) == len(intended)
    dario, greta = (Sitting.objects.get(round=round_, player=evening.row(n)) for n in (4, 3))
    Sitting.objects.filter(pk__in=(dario.pk, greta.pk)).delete()
    dario.seat_id, greta.seat_id = greta.seat_id, dario.seat_id
    Sitting.objects.bulk_create([dario, greta])
    again = [["Alma D.", "Cleo S."], ["Bruno K.", "Cleo S."], ["Dario D.", "Edda K."]]
    assert sorted(list_rematches(round_)) == sorted([*again, ["Dario D.", "Farid S."], *intended])


def test_round_of_players_without_a_plan_names_nobody(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCD")
    table(event, people)
    assert not list_rematches(table(event, people, round_number=2).table.round)


def test_sentence_names_a_few_who_meet_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [[f"A{number}", f"B{number}"] for number in range(200)]
    monkeypatch.setattr(seating_change_text, "list_rematches", lambda round_: pairs)
    text = rematch_text(Round())
    assert text.endswith("A7 and B7; and 192 more.")
    assert "A8" not in text

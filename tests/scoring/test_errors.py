"""Refusals: their order, their sentences, their JSON."""

import string

from scoring.errors import SENTENCES, SUGGESTIONS, Problem, Refused, Suggestion, counted, listed

ORDER = (
    "match_over", "seat_count", "bad_teams", "unknown_card", "too_many_copies",
    "unclaimed_not_allowed", "missing_cards", "tricks_sum", "cards_without_trick",
    "not_chargeable", "choice_required", "choice_forbidden", "tricks_needed",
    "short_form_not_allowed", "bad_count", "wrong_shooter", "wrong_total", "impossible_points",
)  # fmt: skip


def test_codes_stand_in_the_order_in_which_they_are_reported() -> None:
    assert [code for code in SENTENCES if code in ORDER] == list(ORDER)


def test_problems_are_sorted_by_code_and_else_stay_as_found() -> None:
    found = [Problem("bad_count", (n,)) for n in "ab"] + [Problem("match_over")]
    assert [(p.code, p.at) for p in Refused(*found).problems] == [
        ("match_over", ()), ("bad_count", ("a",)), ("bad_count", ("b",)),
    ]  # fmt: skip


def test_numbers_and_lists_are_said_in_words() -> None:
    assert [counted(n, "heart") for n in (1, 2, 13)] == ["one heart", "two hearts", "13 hearts"]
    assert (listed([]), listed([7]), listed([7, 4, 1])) == ("", "7", "7, 4 and 1")


def test_problem_as_json_carries_everything() -> None:
    hint = Suggestion("one_missing", ("hearts",), {"card": "heart"})
    assert Problem("unknown_card", ("taken", 1, 0), {"found": "QX"}, (hint,)).as_json() == {
        "code": "unknown_card",
        "at": ["taken", 1, 0],
        "facts": {"found": "QX"},
        "message": "QX is not a card of this pack.",
        "suggestions": [
            {"code": "one_missing", "at": ["hearts"], "facts": {"card": "heart"},
             "text": "one heart missing"}
        ],
    }  # fmt: skip


def test_codes_are_plain_identifiers() -> None:
    allowed = set(string.ascii_lowercase + "_")
    assert all(set(code) <= allowed for code in [*SENTENCES, *SUGGESTIONS])

"""The rule sheet of an event: a sentence for each setting that changes what counts."""

from dataclasses import replace
from datetime import date, time
from typing import Any

import pytest

from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import (
    CUT_OFFS,
    EVENT_SETTINGS,
    PLAYOFF_RULES,
    PRESETS,
    Settings,
    preset_on_pages,
)
from tournaments.models.events import EventKind
from tournaments.selectors.events.rule_sheet import (
    PRIMARY_SENTENCES,
    RULES,
    SECTIONS,
    WITHOUT_RULE,
    WITHOUT_SETTING,
    EveningFacts,
    EventFacts,
    compare_rule_sheets,
    rule_sheet,
)

LEAGUE = EventFacts(
    kind=EventKind.LEAGUE, is_low_best=True, has_sides=False, has_knockout=False, n_evenings=12
)
PLACES = Settings()
OTHERWISE: dict[str, tuple[dict[str, Any], EventFacts]] = {
    "length": ({"length": "hands:8"}, LEAGUE),
    "start_totals": ({"start_totals": 20}, LEAGUE),
    "duplicate": ({"duplicate": True}, LEAGUE),
    "primary": ({"primary": "wins"}, LEAGUE),
    "placement": ({"placement": {"4": (4, 3, 2, 1)}}, LEAGUE),
    "mixed_raw": ({"mixed_raw": True, "primary": "raw_per_hand"}, LEAGUE),
    "bye_award": ({"bye_award": "own_mean"}, LEAGUE),
    "drop_worst": ({"drop_worst": 2}, LEAGUE),
    "best_of": ({"best_of": {"unit": "meeting", "min": 10, "per": 1}}, LEAGUE),
    "min_games": ({"min_games": 2}, LEAGUE),
    "min_third": ({"min_third": True}, LEAGUE),
    "tie_breaks": ({"tie_breaks": ("wins",)}, LEAGUE),
    "boundaries": ({"boundaries": {"title": 1}}, LEAGUE),
    "playoff": ({"playoff": "table", "boundaries": {"title": 1}}, LEAGUE),
    "playoff_before_criteria": (
        {"playoff_before_criteria": True, "boundaries": {"title": 1}}, LEAGUE,
    ),
    "playoff_rules": ({"playoff_rules": {"max_hands": 4}}, LEAGUE),
    "table_ties": ({"table_ties": "standings"}, replace(LEAGUE, has_knockout=True)),
    "knocked_out": ({"knocked_out": "share"}, replace(LEAGUE, has_knockout=True)),
    "evening_ranking": ({"primary": "evening_points", "evening_ranking": "wins"}, LEAGUE),
    "evening_points": ({"primary": "evening_points", "evening_points": (10, 8)}, LEAGUE),
    "period_evenings": ({"primary": "evening_points", "period_evenings": 6}, LEAGUE),
    "best_periods": (
        {"primary": "evening_points", "period_evenings": 6, "best_periods": 5}, LEAGUE),
    "min_unit": ({"primary": "evening_points", "min_games": 2, "min_unit": "meeting"}, LEAGUE),
    "excused": ({"primary": "evening_points", "excused": "lowest"}, LEAGUE),
    "substitutes": ({"substitutes": "by_hands"}, LEAGUE),
    "guests": ({"guests": "evening"}, LEAGUE),
    "correction_window_h": ({"correction_window_h": 1}, LEAGUE),
}  # fmt: skip
"""Setting → a value that the sheet says otherwise than the default, and the event."""


def texts(settings: Settings, facts: EventFacts = LEAGUE) -> list[str]:
    return [rule.text for section in rule_sheet(settings, facts) for rule in section.rules]


def test_each_setting_that_changes_what_counts_has_its_sentence() -> None:
    assert RULES.keys() | WITHOUT_RULE == EVENT_SETTINGS.keys()
    assert not RULES.keys() & WITHOUT_RULE
    sections = {section for section, _sentences in (*WITHOUT_SETTING, *RULES.values())}
    assert sections == SECTIONS.keys()


def test_each_sentence_is_tried() -> None:
    assert OTHERWISE.keys() == RULES.keys()


@pytest.mark.parametrize("key", sorted(OTHERWISE))
def test_another_value_is_another_sentence(key: str) -> None:
    values, facts = OTHERWISE[key]
    section, sentences = RULES[key]
    others = {name: value for name, value in values.items() if name != key}
    usual = list(sentences(replace(PLACES, **others), facts))
    otherwise = list(sentences(replace(PLACES, **values), facts))
    assert usual != otherwise
    assert otherwise
    titles = [str(part.title) for part in rule_sheet(replace(PLACES, **values), facts)]
    assert str(SECTIONS[section]) in titles


def test_each_choice_has_a_sentence_of_its_own() -> None:
    facts = replace(LEAGUE, has_knockout=True)
    for key in RULES:
        setting = EVENT_SETTINGS[key]
        if setting.kind != "choice" or key == "primary":
            continue
        base = replace(PLACES, boundaries={"title": 1}, min_games=2)
        if key in ("evening_ranking", "min_unit", "excused"):
            base = replace(base, primary="evening_points")
        sheets = set()
        for card in setting.choices:
            chosen: dict[str, Any] = {key: card.value}
            sheets.add(tuple(texts(replace(base, **chosen), facts)))
        assert len(sheets) == len(setting.choices), key


def test_each_primary_value_and_cut_off_has_its_sentence() -> None:
    assert PRIMARY_SENTENCES.keys() == PRIMARIES.keys()
    sheet = texts(replace(PLACES, boundaries=dict.fromkeys(CUT_OFFS, 2)))
    assert [text for text in sheet if text.startswith("The first 2 places")] == [
        "The first 2 places are titles.",
        "The first 2 places are promoted.",
        "The first 2 places go on.",
        "The first 2 places win prizes.",
    ]
    for key, rule in PLAYOFF_RULES.items():
        value = rule.choices[-1].value if rule.choices else 3
        assert rule.line(value) in texts(replace(PLACES, playoff_rules={key: value}))


def test_sheet_of_a_league_reads_as_the_club_would_write_it() -> None:
    settings = replace(
        PLACES,
        length="hands:8",
        placement={"4": (5, 3, 2, 1)},
        best_of={"unit": "meeting", "min": 10, "per": 1},
        tie_breaks=("wins", "countback"),
        substitutes="regular",
        guests="evening",
        boundaries={"title": 1},
    )
    assert texts(settings) == [
        "Each table plays 8 hands.",
        "Each table gives points for its places. They are added, and the highest total is first.",
        "At a table of 4 the places give, from the first on: 5-3-2-1.",
        "Players who tie at a table share the points of their places.",
        "A round in which you sit out gives nothing.",
        "Your best 10 evenings count.",
        "Ties are broken by these, in this order:",
        "Players who still tie share the place, and the next place is left out.",
        "The first place is the title.",
        "Players who tie at such a place share it.",
        "If somebody has to leave, a substitute plays on for them: the place at the table is that "
        "of the player who was there first.",
        "Guests play for the evening, not for the season. Once they become members, all that they "
        "have played counts.",
        "At a table guests have a place like everybody else.",
        "Problems can be reported until the results are final.",
    ]


def test_sliding_rule_has_the_numbers_of_the_event() -> None:
    settings = replace(PLACES, best_of={"unit": "meeting", "min": 5, "per": 2})
    assert "Of 12 evenings 9 count, of 14 evenings 10 count." in texts(settings)
    unknown = texts(settings, replace(LEAGUE, n_evenings=0))
    assert "Of 9 evenings 7 count, of 15 evenings 10 count." in unknown


def test_points_are_told_as_the_game_is_won() -> None:
    settings = preset_on_pages("totals")
    assert any("The lowest total is first" in text for text in texts(settings))
    high = texts(settings, replace(LEAGUE, is_low_best=False))
    assert any("The highest total is first" in text for text in high)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_each_preset_has_a_sheet(preset: str) -> None:
    facts = replace(LEAGUE, has_sides=preset in ("pairs", "teams"))
    sheet = texts(preset_on_pages(preset), facts)
    assert len(sheet) == len(set(sheet)) > 4
    assert not any("%(" in text for text in sheet)


def test_two_sheets_are_compared_rule_by_rule() -> None:
    then = replace(PLACES, drop_worst=1)
    pairs = compare_rule_sheets(PLACES, then, LEAGUE)
    differing = [pair for pair in pairs if pair.differs]
    assert [str(pair.title) for pair in differing] == ["What counts"]
    (counts,) = differing
    assert [(rule.text, changed) for rule, changed in counts.now] == [
        ("All your games count.", True)
    ]
    assert [(rule.text, changed) for rule, changed in counts.then] == [
        ("Your worst game does not count.", True)
    ]
    assert not any(pair.differs for pair in compare_rule_sheets(PLACES, PLACES, LEAGUE))


@pytest.mark.parametrize("tie_breaks", [(), ("evening_points",), ("wins",)])
def test_tie_breaks_of_an_evening_are_named_where_the_sheet_has_some(
    tie_breaks: tuple[str, ...],
) -> None:
    settings = replace(
        PLACES, primary="evening_points", evening_ranking="wins", tie_breaks=tie_breaks
    )
    sheet = texts(settings)
    has_list = "Ties are broken by these, in this order:" in sheet
    then = "Players who tie in an evening are ranked by the tie-breaks below."
    assert (then in sheet) == has_list


@pytest.mark.parametrize(
    ("ranking", "is_low_best", "said"),
    [
        ("raw_total", True, "by points, the lowest first."),
        ("raw_total", False, "by points, the highest first."),
        ("wins", True, "by tables won, the highest first."),
    ],
)
def test_evening_is_said_to_be_ranked_from_the_lowest_or_the_highest(
    ranking: str, is_low_best: bool, said: str
) -> None:
    settings = replace(PLACES, primary="evening_points", evening_ranking=ranking)
    sheet = texts(settings, replace(LEAGUE, is_low_best=is_low_best))
    assert f"Each evening is ranked by itself: {said}" in sheet


@pytest.mark.parametrize(("guests", "is_said"), [("compete", False), ("evening", True)])
def test_guests_are_said_to_be_left_out_of_the_points_and_to_have_places_at_tables(
    guests: str, is_said: bool
) -> None:
    settings = replace(PLACES, primary="evening_points", guests=guests)
    left_out = "For these points guests are left out of the places and of the count."
    at_a_table = "At a table guests have a place like everybody else."
    assert (left_out in texts(settings)) == is_said
    by_places = replace(settings, evening_ranking="placement_points")
    assert (at_a_table in texts(by_places)) == is_said
    assert at_a_table not in texts(replace(by_places, evening_ranking="wins"))


@pytest.mark.parametrize(("excused", "is_said"), [("nothing", False), ("lowest", True)])
def test_staying_away_is_told_where_excused_evenings_count(excused: str, is_said: bool) -> None:
    settings = replace(PLACES, primary="evening_points", excused=excused)
    text = "If you stay away without saying so before, the evening gives nothing."
    assert (text in texts(settings)) == is_said


MEETINGS = {"unit": "meeting", "min": 10, "per": 1}
GAMES = {"unit": "game", "min": 10, "per": 1}
EVENING_LEFT_OUT = "An evening that is left out counts neither as won nor as a second place."
GAME_LEFT_OUT = "A game that is left out still counts for the place in its evening."


@pytest.mark.parametrize(
    ("counted", "said"),
    [({}, ""), ({"best_of": MEETINGS}, EVENING_LEFT_OUT), ({"best_of": GAMES}, GAME_LEFT_OUT),
     ({"drop_worst": 1}, GAME_LEFT_OUT)],
)  # fmt: skip
def test_evenings_won_say_how_evenings_are_ranked_and_what_left_out_means(
    counted: dict[str, Any], said: str
) -> None:
    alone = replace(PLACES, primary="placement_points", tie_breaks=("evenings",), **counted)
    sheet = texts(alone)
    ranked = "For evenings won, each evening is ranked by itself: by place points"
    assert f"{ranked}." in sheet
    assert [text for text in (EVENING_LEFT_OUT, GAME_LEFT_OUT) if text in sheet] == [said][
        : bool(said)
    ]
    with_others = texts(replace(alone, tie_breaks=("evenings", "h2h")))
    assert f"{ranked}, then by the other tie-breaks." in with_others
    assert f"{ranked}." not in with_others


TOTAL = "An evening ranks players who missed a round by the total of what they played."
MEAN = "An evening ranks players who missed a round by the average of what they played."


@pytest.mark.parametrize(
    ("ranking", "said"),
    [("placement_points", [TOTAL]), ("raw_per_hand", [MEAN]), ("raw_total", [])],
)
def test_the_sheet_says_how_an_evening_ranks_players_who_missed_a_round(
    ranking: str, said: list[str]
) -> None:
    plain = replace(PLACES, primary=ranking, tie_breaks=())
    assert not {TOTAL, MEAN}.intersection(texts(plain))
    won = replace(plain, tie_breaks=("evenings",))
    of_points = replace(plain, primary="evening_points", evening_ranking=ranking)
    for settings in (won, of_points):
        assert [text for text in (TOTAL, MEAN) if text in texts(settings)] == said


EVENINGS = EveningFacts(first=date(2025, 9, 2), last=date(2026, 5, 26))


@pytest.mark.parametrize(
    ("evenings", "n", "said"),
    [
        (None, 12, []),
        (
            replace(EVENINGS, last=EVENINGS.first),
            1,
            ["1 evening is planned or was played, on 2 September 2025."],
        ),
        (
            replace(EVENINGS, starts_at=time(20)),
            42,
            [
                "42 evenings are planned or were played, from 2 September 2025 to 26 May 2026.",
                "An evening begins at 20:00.",
            ],
        ),
        (
            replace(EVENINGS, fewest_rounds=3, most_rounds=3),
            2,
            [
                "2 evenings are planned or were played, from 2 September 2025 to 26 May 2026.",
                "Each evening so far had 3 rounds.",
            ],
        ),
        (
            replace(EVENINGS, fewest_rounds=2, most_rounds=3),
            2,
            [
                "2 evenings are planned or were played, from 2 September 2025 to 26 May 2026.",
                "The evenings so far had 2 to 3 rounds.",
            ],
        ),
    ],
)  # fmt: skip
def test_the_evenings_of_a_league_are_told(
    evenings: EveningFacts | None, n: int, said: list[str]
) -> None:
    facts = replace(LEAGUE, n_evenings=n, evenings=evenings)
    sections = {str(section.title): section.rules for section in rule_sheet(PLACES, facts)}
    assert [rule.text for rule in sections.get("Evenings", ())] == said


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (0, []),
        (6, ["The evenings planned and played so far make 1 period."]),
        (
            41,
            [
                "The evenings planned and played so far make 7 periods; the last one has 5 of its "
                "evenings."
            ],
        ),
        (42, ["The evenings planned and played so far make 7 periods."]),
    ],
)
def test_the_number_of_periods_follows_from_the_evenings(n: int, said: list[str]) -> None:
    settings = replace(PLACES, primary="evening_points", period_evenings=6)
    sheet = texts(settings, replace(LEAGUE, n_evenings=n))
    assert [text for text in sheet if "so far make" in text] == said

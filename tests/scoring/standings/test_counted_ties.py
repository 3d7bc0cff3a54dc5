"""Ties of a league that drops evenings, against a count of its own that no product code made."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from scoring.standings.counting import dropped, kept
from scoring.standings.explain import ahead, reason, reason_facts
from scoring.standings.rank import Standing, standings
from scoring.standings.rows import GameResult, InMemory, Row, Worth, finishes, share_of

Chair = tuple[int, int]
"""Points and moons of a player at a table."""
Evening = tuple[str, Mapping[str, Chair]]
"""The day and the only table of a round; rounds are numbered 1, 2, … as they are listed."""

SCHEME = (5, 3, 2, 1)
CODES = "ABCDE"
COUNTED, ALL = ("wins", "countback", "moons_shot", "moons_against"), ("last_game",)


@st.composite
def leagues(draw: st.DrawFn) -> list[Evening]:
    days = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    evenings: list[Evening] = []
    for day in days:
        seated = draw(st.permutations(CODES))[:4]
        chairs = draw(
            st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=4, max_size=4)
        )
        evenings.append((f"2025-11-{day:02}", dict(zip(seated, chairs, strict=True))))
    return evenings


def recount(
    evenings: Sequence[Evening], n_best: int, chain: Sequence[str]
) -> list[tuple[int, str]]:
    """Return the places: the best `n_best` evenings count, each worth its place points."""
    keys = {}
    for code in {code for _, table in evenings for code in table}:
        games: list[tuple[str, int, Fraction, int, Fraction, int, int]] = []
        for number, (day, table) in enumerate(evenings):
            if code not in table:
                continue
            points, moons = table[code]
            ahead = sum(1 for other, _ in table.values() if other < points)
            level = sum(1 for other, _ in table.values() if other == points)
            share = Fraction(sum(SCHEME[ahead : ahead + level]), level)
            won = Fraction(0 if ahead else 1, level)
            others = sum(moon for _, moon in table.values()) - moons
            games.append((day, number, share, ahead, won, moons, others))
        worth: dict[str, Fraction] = {}
        for day, _, share, *_ in games:
            worth[day] = worth.get(day, Fraction(0)) + share
        # Of evenings worth the same the earlier counts, whichever was numbered first.
        best = sorted(worth, key=lambda day: (-worth[day], day))[:n_best]
        counted = [game for game in games if game[0] in best]
        found = {
            "wins": sum(game[4] for game in counted),
            "countback": [sum(1 for game in counted if game[3] == place) for place in range(4)],
            "moons_shot": sum(game[5] for game in counted),
            "moons_against": -sum(game[6] for game in counted),
            "last_game": [game[2] for game in sorted(games, key=lambda game: game[:2])[::-1]],
        }
        keys[code] = [sum(worth[day] for day in best), *(found[key] for key in chain)]
    order = sorted(keys, key=lambda code: keys[code], reverse=True)
    return sorted(
        (1 + sum(1 for other in order if keys[other] > keys[code]), code) for code in order
    )


def table(evenings: Sequence[Evening], n_best: int, chain: Sequence[str]) -> tuple[Standing, ...]:
    """Rank the same league with the library."""
    games = []
    for number, (day, seated) in enumerate(evenings, 1):
        ends = finishes([points for points, _ in seated.values()])
        moons = sum(moon for _, moon in seated.values())
        chairs = {
            code: Worth(
                end.place, end.shared, points, 4, share_of(end.place, end.shared, SCHEME),
                end.beaten, end.win_share, None, moon, moons - moon,
            )
            for (code, (points, moon)), end in zip(seated.items(), ends, strict=True)
        }  # fmt: skip
        games.append(GameResult((number, 1), day, chairs))
    rows = []
    for code in sorted({code for _, seated in evenings for code in seated}):
        played = [
            (game.key, game.meeting, game.chairs[code]) for game in games if code in game.chairs
        ]
        rule = {"unit": "meeting", "min": n_best, "per": 1}
        without = dropped(played, primary="placement_points", best_of=rule)
        rows.append(Row(kept(code, played), kept(code, played, without)))
    evidence = InMemory(games)
    return standings(rows, primary="placement_points", tie_breaks=chain, evidence=evidence)


@given(leagues(), st.integers(1, 3), st.permutations([*COUNTED, *ALL]), st.integers(0, 5))
def test_tie_breaks_of_places_and_moons_count_what_counts_and_the_last_game_counts_always(
    evenings: list[Evening], n_best: int, chain: list[str], length: int
) -> None:
    found = table(evenings, n_best, chain[:length])
    places = [(row.rank, row.sums.code) for row in found]
    assert sorted(places) == recount(evenings, n_best, chain[:length])


WON, SECOND, THIRD, FOURTH = (0, 0), (1, 0), (2, 0), (3, 0)
BEST_TWO = [
    ("2025-11-03", {"A": WON, "B": THIRD, "C": SECOND, "D": FOURTH}),
    ("2025-11-10", {"B": WON, "C": SECOND, "A": THIRD, "E": FOURTH}),
    ("2025-11-17", {"E": WON, "D": SECOND, "C": THIRD, "A": FOURTH}),
]


def test_place_on_the_dropped_evening_separates_nobody_and_the_reason_says_which_games() -> None:
    """A and B have 7 points from a first and a third place; A was fourth on the dropped evening."""
    tied = {row.sums.code: row for row in table(BEST_TWO, 2, ["countback"])}
    assert [(tied[code].rank, tied[code].value) for code in "AB"] == [(1, Fraction(7))] * 2
    assert tied["A"].values["countback"] == "1-0-1-0"
    split = {row.sums.code: row for row in table(BEST_TWO, 2, ["last_game"])}
    facts = reason_facts(split["A"], split["B"])
    assert ahead(facts) == "above A: same points, better in the last game, 5 against 1 (all games)"
    assert reason(facts) == "tied with B: 7 points; last game 1 against 5 (all games)"
    moons = [*BEST_TWO[:2], ("2025-11-17", {**BEST_TWO[2][1], "A": (3, 1)})]
    moons[0] = ("2025-11-03", {**BEST_TWO[0][1], "B": (2, 1)})
    split = {row.sums.code: row for row in table(moons, 2, ["moons_shot"])}
    facts = reason_facts(split["A"], split["B"])
    assert ahead(facts) == "above A: same points, more moons shot, 1 against 0 (games that count)"
    assert reason(facts) == "tied with B: 7 points; moons shot 0 against 1 (games that count)"

"""Cases: worked hands as JSON, answered as JSON, for the command line and the API's scorer.

Pure. Input and output are those of docs/contracts.md, "Case files"; a refused case has
errors in place of scores and does not stop the others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from scoring.budget import BOUNDLESS, CASE, HAND, OPTIONS, Budget, OutOfBudget
from scoring.cards import card_name, rank_of, read_card
from scoring.entry.hand_reader import MOST_PROBLEMS, require_seats
from scoring.errors import Path, Problem, Refused, shown
from scoring.game.game import GameState, new_game, outcome, play, side_totals
from scoring.json_types import JsonDict, JsonObject, is_list
from scoring.numbers import is_whole, score_json
from scoring.rules.catalogue import Catalogue
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from scoring.rules.types import SameCard

Trick: TypeAlias = tuple[int, tuple[str, ...]]
"""One trick: who led (seat from 0), and the cards in turn, clockwise."""

MOST_HANDS = 100_000
_STARTS = ("teams", "start_totals", "start_deals", "start_pool")


def read_tricks(ready: Prepared, tricks: object, kitty: object) -> tuple[list[Trick], list[str]]:
    """The tricks and the kitty of a case."""
    problems: list[Problem] = []
    if not isinstance(tricks, list) or not tricks:
        raise Refused(Problem("bad_case", ("tricks",), {"why": "There is no list of tricks."}))
    played = [_trick(ready, trick, n, problems) for n, trick in enumerate(tricks)]
    lying = _cards(ready, kitty if kitty is not None else [], ("kitty",), problems)
    copies_played = Counter(card for _, plays in played for card in plays) + Counter(lying)
    for card, number in copies_played.items():
        copies = len(ready.deck.copies[card])
        if number > copies:
            facts = {"what": card_name(card), "card": card, "found": number, "expected": copies}
            problems.append(Problem("too_many_copies", ("tricks",), facts))
    if problems:
        raise Refused(*problems)
    return played, lying


def _trick(ready: Prepared, trick: object, place: int, problems: list[Problem]) -> Trick:
    at = ("tricks", place)
    fields = trick if isinstance(trick, Mapping) else {}
    lead = fields.get("lead")
    if type(lead) is not int or not 0 <= lead < ready.seats:
        problems.append(Problem("unknown_seat", (*at, "lead"), {"field": "lead"}))
        lead = 0
    codes = fields.get("plays", [])
    plays = _cards(ready, codes, (*at, "plays"), problems)
    number = len(codes) if isinstance(codes, list) else 0
    if number == 0 or (ready.keys.tricks == "equal" and number != ready.seats):
        facts = {"field": "plays", "found": number, "expected": ready.seats}
        problems.append(Problem("seat_count", (*at, "plays"), facts))
    return lead, tuple(plays)


def _cards(ready: Prepared, codes: object, at: Path, problems: list[Problem]) -> list[str]:
    cards = []
    for place, code in enumerate(codes if is_list(codes) else [codes]):
        card = read_card(code)
        if card is None or card not in ready.deck.copies:
            problems.append(Problem("unknown_card", (*at, place), {"found": shown(code)}))
        else:
            cards.append(card)
    return cards


def winner(plays: Sequence[str], same: SameCard) -> int | None:
    """The place in `plays` that wins the trick, or None where nobody does.

    >>> jacks = ("JC", "10C", "9C", "8C", "4C", "JC")
    >>> winner(jacks, SameCard(rule="cancel")), winner(jacks, SameCard(rule="later"))
    (1, 5)
    """
    standing = [n for n, card in enumerate(plays) if card[-1] == plays[0][-1]]
    if same.rule == "cancel":
        pairs = sum(number // 2 for number in Counter(plays).values())
        if same.void_on == "two_pairs" and pairs >= 2:
            return None
        standing = [n for n in standing if _stands(plays, n)]
    if not standing:
        return None
    later = 1 if same.rule == "later" else -1
    return max(standing, key=lambda n: (rank_of(plays[n]), later * n))


def _stands(plays: Sequence[str], place: int) -> bool:
    """Whether the card is not cancelled: equal cards cancel in pairs, in the order of play."""
    copies = plays.count(plays[place])
    return copies % 2 == 1 and plays[:place].count(plays[place]) == copies - 1


class Captures:
    """The captured cards and the number of tricks of each seat, after tricks and the kitty.

    The cards of a seat are in the order of capture. The last trick is the last of the deal.
    """

    def __init__(self, ready: Prepared, tricks: Sequence[Trick], kitty: Sequence[str]) -> None:
        self.ready = ready
        self._kitty = list(kitty)
        self.taken: list[list[str]] = [[] for _ in range(ready.seats)]
        self.counts = [0] * ready.seats
        self.unclaimed: list[str] = []
        waiting: list[str] = []
        previous: int | None = None
        for number, (lead, plays) in enumerate(tricks, 1):
            waiting += [*self._from_kitty(plays, number), *plays]
            place = winner(plays, ready.keys.same_card)
            if place is not None:
                previous = (lead + place) % ready.seats
                self.taken[previous] += waiting
                self.counts[previous] += 1
                waiting = []
        aim = ready.keys.same_card.last_stalled
        seat = previous if aim == "previous_winner" else tricks[-1][0]
        if aim == "uncounted" or seat is None:
            self.unclaimed += waiting
        else:
            self.taken[seat] += waiting

    def _from_kitty(self, plays: Sequence[str], number: int) -> list[str]:
        aim = self.ready.keys.deck.kitty_to
        cards = len(self._kitty)
        if aim == "one_each_first_two":
            cards = 1 if number <= 2 else 0
        elif aim == "first_penalty":
            first = self.ready.deck.first
            cards = cards if any(first[c] & self.ready.counting for c in plays) else 0
        part, self._kitty = self._kitty[:cards], self._kitty[cards:]
        return part


CASE_KINDS = ("match", "invalid", "tricks")


def answer(catalogue: Catalogue, case: object, budget: Budget = BOUNDLESS) -> JsonDict:
    """The answer to one case: its scores, or `errors`, first error first.

    The case is not trusted and no value is coerced. Without a budget every refusal has all hints.
    """
    case_id = case.get("id") if isinstance(case, Mapping) else None
    case_id = case_id if isinstance(case_id, str) or is_whole(case_id) else None
    try:
        return {"id": case_id, **_answered(catalogue, case, budget)}
    except OutOfBudget:
        raise
    except Refused as refused:
        return {"id": case_id, "errors": [problem.as_json() for problem in refused.problems]}


def _answered(catalogue: Catalogue, case: object, budget: Budget) -> JsonDict:
    budget.spend(CASE)
    if not isinstance(case, Mapping):
        raise Refused(Problem("bad_case", (), {"why": f"This is {shown(case)}."}))
    if case.get("options"):
        budget.spend(OPTIONS)
    options = case.get("options")
    if options is not None and not isinstance(options, Mapping):
        facts = {"option": "options", "found": shown(options), "why": "Options are an object."}
        raise Refused(Problem("bad_option", ("options",), facts))
    rules = catalogue.rules(case.get("variant", ""), options)
    kind = case.get("kind", "match")
    if kind not in CASE_KINDS:
        why = f"Its kind is {shown(kind)}; known are {', '.join(CASE_KINDS)}."
        raise Refused(Problem("bad_case", ("kind",), {"why": why}))
    if kind == "tricks":
        return _tricks(rules, case)
    return _match(rules, case, budget)


def _tricks(rules: Rules, case: JsonObject) -> JsonDict:
    ready = prepare(rules, require_seats(rules, case.get("seats")))
    captures = Captures(ready, *read_tricks(ready, case.get("tricks"), case.get("kitty")))
    return {
        "taken": captures.taken,
        "unclaimed": captures.unclaimed,
        "trick_counts": captures.counts,
    }


def _match(rules: Rules, case: JsonObject, budget: Budget) -> JsonDict:
    hands, problems = _hands(case)
    starts = {key: case[key] for key in _STARTS if case.get(key) is not None}
    try:
        state = new_game(rules, case.get("seats"), **starts)
    except Refused as refused:
        raise Refused(*refused.problems, *problems) from None
    if problems:
        raise Refused(*problems)
    scored = []
    for place, entry in enumerate(hands):
        budget.spend(HAND)
        try:
            score, state = play(rules, state, entry, budget=budget)
        except OutOfBudget:
            raise
        except Refused as refused:
            problems = [
                replace(problem, at=("hands", place, "entry", *problem.at))
                for problem in refused.problems
            ]
            raise Refused(*problems) from None
        document: JsonDict = {
            "hand_scores": list(map(score_json, score.scores)),
            "verified": score.verified,
        }
        if score.moon is not None:
            document["moon"] = {**score.moon._asdict(), "by": list(score.moon.by)}
        scored.append(document)
    return {"hands": scored, **_end(rules, state)}


def _hands(case: JsonObject) -> tuple[list[object], list[Problem]]:
    hands = case.get("hands")
    if not isinstance(hands, list) or len(hands) > MOST_HANDS:
        return [], [Problem("bad_case", ("hands",), {"why": "There is no list of hands."})]
    problems = [
        Problem(
            "bad_entry",
            ("hands", place),
            {"why": f"The hand must be under entry; {shown(hand)} has none."},
        )
        for place, hand in enumerate(hands)
        if not isinstance(hand, Mapping) or "entry" not in hand
    ][:MOST_PROBLEMS]
    return [hand.get("entry") for hand in hands if isinstance(hand, Mapping)], problems


def _end(rules: Rules, state: GameState) -> JsonDict:
    document: JsonDict = {"totals": list(map(score_json, state.totals))}
    if rules.keys.settle is not None:
        document["pool"] = score_json(state.pool)
    if rules.keys.lives is not None:
        document["lives"] = list(state.lives)
    if rules.keys.teams.mode != "none":
        document["team_totals"] = list(map(score_json, side_totals(rules, state)))
    document["outcome"] = outcome(rules, state).as_json()
    return document


def lines(document: JsonObject) -> list[str]:
    """The errors of an answer as lines for a terminal."""
    errors: Sequence[JsonObject] = document.get("errors", [])
    name = shown(document["id"]) if document.get("id") is not None else "case"
    texts = []
    for error in errors:
        place = f" at /{'/'.join(map(str, error['at']))}" if error["at"] else ""
        texts.append(f"{name}: {error['code']}{place}: {error['message']}")
    return texts

"""From an event's variant to prepared rules, and back to the snapshot a table is played under.

It also has options of rules in the reader's language; their words are those of one table,
`scoring/data/option_words.toml`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings
from django.utils.translation import gettext

from scoring import option_labels
from scoring.budget import Budget
from scoring.cases import answer
from scoring.errors import Problem, Refused, Suggestion
from scoring.json_types import JsonObject
from scoring.rules.catalogue import Catalogue, Variant, catalogue, folded, rules_with
from scoring.rules.options import Option, options_of
from scoring.rules.rules import Rules
from scoring.rules_card.options import (
    differing_options,
    option_sentence,
    option_value_text,
    present_value,
)
from scoring.rules_card.wording import sentence_text
from tournaments.domain.name_matching import near_names
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Snapshot
from tournaments.models.rounds import Side
from tournaments.models.rules import HouseVersion

HOUSE: Final = "house"
"""The status of a club's own variant."""

NEAR: Final = 0.6
"""Likeness from which a name of rules is suggested for an unknown one."""

MOST_NEAR: Final = 3
"""Names that are suggested for an unknown one."""

HEARTS: Final = "hearts"
"""The game that every club finds among its usual ones."""

MOST_USUAL: Final = 5
"""Games that are listed as usual."""

LAST_EVENTS: Final = 50
"""Events of a club whose games may be usual, the newest of them."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option that was chosen: its label, its value, and what it means as a sentence."""

    name: str
    label: str
    value: str
    sentence: str


def option_label(name: str) -> str:
    return gettext(option_labels.option_label(name))


def option_groups() -> dict[str, str]:
    """Return the groups of options with their headings, in the order of a form."""
    return {key: gettext(heading) for key, heading in option_labels.option_groups().items()}


def choice_label(name: str, value: object) -> str:
    return gettext(option_labels.choice_label(name, value) or str(value))


def value_text(name: str, value: object, rules: Rules | None = None) -> str:
    """Return a value of an option as a few words; `rules` give the number of cards."""
    if name not in option_labels.option_labels():
        return str(value)
    return sentence_text(option_value_text(name, value, rules), gettext)


def present_text(name: str, rules: Rules) -> str:
    return value_text(name, present_value(name, rules), rules)


def present_sentence(name: str, rules: Rules) -> str:
    """Return the present rule that an option would change, as a sentence; "" if none."""
    value = present_value(name, rules)
    if value is None:
        return ""
    return sentence_text(option_sentence(name, value, rules), gettext)


def differing(options: JsonObject, base: Rules, rules: Rules) -> tuple[OptionText, ...]:
    """Return the options by which `rules` differ from their variant `base`."""
    texts = []
    for name, value, sentence in differing_options(options, base, rules):
        text = OptionText(
            name=name,
            label=option_label(name),
            value=sentence_text(value, gettext),
            sentence=sentence_text(sentence, gettext),
        )
        texts.append(text)
    return tuple(texts)


def sentences(options: Sequence[OptionText]) -> tuple[str, ...]:
    """Return what options mean, each sentence once."""
    return tuple(dict.fromkeys(option_text.sentence for option_text in options))


def variants() -> Catalogue:
    """Return the catalogue this site offers: shipped variants and those of BLACKLADY_VARIANTS."""
    return _variants(tuple(settings.BLACKLADY_VARIANTS))


@lru_cache(maxsize=16)
def _variants(directories: tuple[Path, ...]) -> Catalogue:
    offered = catalogue(directories)
    for file, line, why in offered.bad_files:
        log.warning("variant_file_left_out", file=str(file), line=line, why=why)
    return offered


def rules_of(snapshot: Snapshot) -> Rules:
    """Return the prepared rules of a snapshot; made once a process for each content hash."""
    cache = _rules_cache(snapshot.content_hash)
    if not cache:
        cache.append(Rules.from_json(snapshot.rules, stored=True))
    return cache[0]


@lru_cache(maxsize=512)
def _rules_cache(content_hash: str) -> list[Rules]:
    """Return a list that keeps the rules of this hash once `rules_of` has prepared them."""
    return []


def low_wins(rules: Rules) -> bool:
    """Whether the smaller total is the better one."""
    return rules.keys.result.order != "high"


class VariantChoices:
    """The variants offered to a user: those of the site, and a club's house rules.

    A variant is named by its id. That of a version of house rules is `thursday-rules-v2`; their
    slug and name alone mean the newest version, or in an event the one that it plays.
    """

    def __init__(self, club: Club | None, event: Event | None = None) -> None:
        self.site = variants()
        self._club = club
        self._event = event

    @cached_property
    def _versions(self) -> Mapping[str, HouseVersion]:
        """All that can be chosen or is played in the event, by code, the oldest first."""
        if self._club is None:
            return {}
        played_codes: set[str] = set()
        if self._event is not None:
            snapshots = Snapshot.objects.filter(event=self._event)
            played_codes.update(snapshots.values_list("variant", flat=True).distinct())
            played_codes.add(self._event.variant)
        versions: dict[str, HouseVersion] = {}
        rows = HouseVersion.objects.filter(club=self._club).select_related("variant")
        for version in rows.order_by("variant_id", "number"):
            if not version.variant.is_archived or version.code in played_codes:
                versions[version.code] = version
        return versions

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """Each name of a version, folded → its code; of several versions the newest has it."""
        names: dict[str, str] = {}
        for code, version in self._versions.items():
            for text in (code, version.title, version.variant.slug, version.variant.name):
                names[folded(text)] = code
        if self._event is None or self._event.variant not in self._versions:
            return names
        # In an event the names without a number mean the version that it plays.
        played = self._versions[self._event.variant]
        for text in (played.variant.slug, played.variant.name):
            names[folded(text)] = played.code
        return names

    @property
    def house(self) -> tuple[HouseVersion, ...]:
        """The versions to choose from: the newest of each of the rules that are not archived."""
        newest: dict[int, HouseVersion] = {}
        for version in self._versions.values():
            if not version.variant.is_archived:
                newest[version.variant_id] = version
        return tuple(sorted(newest.values(), key=lambda version: version.title))

    @cached_property
    def usual(self) -> tuple[str, ...]:
        """The games of the site that the club's last events play, the newest first, and Hearts."""
        played: Iterable[str] = ()
        if self._club is not None:
            last_events = Event.objects.filter(club=self._club).order_by("-pk")[:LAST_EVENTS]
            played = last_events.values_list("variant", flat=True)
        of_site = [key for key in dict.fromkeys(played) if key in self.site.ids and key != HEARTS]
        return (*of_site[: MOST_USUAL - 1], HEARTS)

    @property
    def ids(self) -> list[str]:
        """The ids of all that can be chosen: the club's own first."""
        return [*(version.code for version in self.house), *self.site.ids]

    def find(self, text: str) -> str:
        """Return the id that `text` means: an id, a name or an alias, in any spelling."""
        try:
            return self.site.find(text)
        except Refused as refused:
            if isinstance(text, str) and folded(text) in self._names:
                return self._names[folded(text)]
            problems = [self._with_nearest(problem) for problem in refused.problems]
            raise Refused(*problems) from refused

    def description_of(self, variant_id: str) -> Variant:
        code = self.find(variant_id)
        if code in self.site.ids or code not in self._versions:
            return self.site.variant(code)
        return version_description(self._versions[code])

    def rules(self, variant_id: str, options: Mapping[str, object] | None = None) -> Rules:
        code = self.find(variant_id)
        if code in self.site.ids:
            return self.site.rules(code, options or {})
        version = self._versions[code]
        if not options:
            return Rules.from_json(version.rules, stored=True)
        return rules_with(version.foundation, {**version.options, **options})

    def options_for(self, variant_id: str) -> tuple[Option, ...]:
        """Return the options that have something to change in a variant's rules."""
        return options_of(self.rules(variant_id).as_json())

    def rule_problems(
        self, variant: str, options: Mapping[str, object] | None
    ) -> tuple[Problem, ...]:
        """Return why there are no rules of this name with these options; empty where there are."""
        try:
            self.rules(variant, options)
        except Refused as refused:
            return refused.problems
        return ()

    def rules_named(
        self, variant: str, options: Mapping[str, object] | None = None
    ) -> Rules | None:
        try:
            return self.rules(variant, options)
        except Refused:
            return None

    def _with_nearest(self, problem: Problem) -> Problem:
        """Return a problem with an unknown name, with suggestions of similar house rules."""
        text = folded(str(problem.facts.get("found", "")))
        similar_names = near_names(text, self._names, NEAR, most=MOST_NEAR)
        codes = dict.fromkeys(self._names[name] for name in similar_names)
        suggestions = [Suggestion("closest", facts={"name": code}) for code in codes]
        return problem.hinting(*suggestions)


def offered_to(club: Club | None) -> VariantChoices:
    """Return the rules that a club may choose from; without a club, those of the site."""
    return VariantChoices(club)


def offered_in(event: Event) -> VariantChoices:
    """Return what an event may choose among, the versions of house rules that it plays included."""
    return VariantChoices(event.club, event)


def rules_of_event(event: Event) -> Rules:
    """Return the rules that an event plays where a round has none of its own."""
    return offered_in(event).rules(event.variant, event.options)


def version_description(version: HouseVersion) -> Variant:
    return Variant(
        id=version.code,
        name=version.title,
        aliases=(),
        summary=version.about.get("summary", ""),
        sources=tuple(version.about.get("sources", ())),
        status=HOUSE,
        notes=version.about.get("notes", ""),
        file=Path(f"{version.variant.slug}.toml"),
    )


def sides_of(rules: Rules, seats: int) -> tuple[str, ...]:
    """Return the side of each seat (NS, EW) clockwise; empty where the rules have no two sides.

    The first side of the rules has the first seat, which is North.
    """
    shape = rules.keys.teams.shape
    sides = [""] * seats
    if len(shape) != len(Side.values):
        return tuple(sides)
    for side, side_seats in zip(Side.values, shape, strict=True):
        for seat in side_seats:
            if seat < seats:
                sides[seat] = side
    return tuple(sides)


def differing_in(
    offered: VariantChoices, variant: str, options: Mapping[str, object]
) -> tuple[OptionText, ...]:
    """Return what options change about a variant; all of them where it is offered no more."""
    try:
        base = offered.rules(variant)
        rules = offered.rules(variant, options)
    except Refused:
        texts = []
        for name, value in options.items():
            label = option_label(name)
            words = value_text(name, value)
            text = OptionText(name=name, label=label, value=words, sentence=f"{label}: {words}")
            texts.append(text)
        return tuple(texts)
    return differing(options, base, rules)


def case_answers(cases: Iterable[object], budget: Budget) -> Iterator[dict[str, object]]:
    """Yield the answer to each case; a refused one carries its `errors` and stops no other.

    Nothing is stored, and nothing that is asked is trusted (docs/api.md).
    """
    offered = variants()
    return (answer(offered, case, budget) for case in cases)


def store_snapshot(
    *, event: Event, variant: str, options: Mapping[str, object] | None = None
) -> Snapshot:
    """Keep the rules that `variant` (id, name or alias) and `options` mean today with the event.

    Returns:
        The event's snapshot of exactly these rules, a new one or the one kept before.
    """
    rules = offered_in(event).rules(variant, options)
    snapshot = Snapshot.objects.filter(event=event, content_hash=rules.content_hash).first()
    if snapshot is not None:
        return snapshot
    _lock_version(event.club, rules.id)
    snapshot, _created = Snapshot.objects.get_or_create(
        event=event,
        content_hash=rules.content_hash,
        defaults={
            "club_id": event.club_id,
            "variant": rules.id,
            "variant_name": rules.name,
            "options": dict(options or {}),
            "rules": rules.as_json(),
        },
    )
    return snapshot


def _lock_version(club: Club, code: str) -> None:
    """Lock a version of house rules, so that nobody deletes it before it is in use."""
    if code in variants().ids:
        return
    rows = HouseVersion.objects.select_for_update(no_key=True)
    if not rows.filter(club=club, code=code).exists():
        raise Refused(Problem("unknown_variant", ("variant",), {"found": code}))

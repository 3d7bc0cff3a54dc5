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


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option that was chosen: its label, its value, and what it means as a sentence."""

    name: str
    label: str
    value: str
    sentence: str


HOUSE: Final = "house"
"""The status of a club's own variant."""

NEAR: Final = 0.6
"""Likeness from which a name of rules is suggested for an unknown one."""

MOST_NEAR: Final = 3
log = structlog.get_logger(__name__)


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
    return tuple(
        OptionText(
            name,
            option_label(name),
            sentence_text(value, gettext),
            sentence_text(sentence, gettext),
        )
        for name, value, sentence in differing_options(options, base, rules)
    )


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
    ruleses = _prepared(snapshot.content_hash)
    if not ruleses:
        ruleses.append(Rules.from_json(snapshot.rules, stored=True))
    return ruleses[0]


@lru_cache(maxsize=512)
def _prepared(content_hash: str) -> list[Rules]:
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
        played: set[str] = set()
        if (event := self._event) is not None:
            snapshots = Snapshot.objects.filter(event=event).values_list("variant", flat=True)
            played = {event.variant, *snapshots.distinct()}
        versions = HouseVersion.objects.filter(club=self._club).select_related("variant")
        return {
            version.code: version
            for version in versions.order_by("variant_id", "number")
            if not version.variant.is_archived or version.code in played
        }

    @cached_property
    def _names(self) -> Mapping[str, str]:
        names: dict[str, str] = {}
        for code, version in self._versions.items():  # the newest comes last
            texts = (code, version.title, version.variant.slug, version.variant.name)
            names |= dict.fromkeys(map(folded, texts), code)
        if self._event is not None and (played := self._versions.get(self._event.variant)):
            short = (played.variant.slug, played.variant.name)
            names |= dict.fromkeys(map(folded, short), played.code)
        return names

    @property
    def house(self) -> tuple[HouseVersion, ...]:
        """The versions that a new choice is made among: the newest of all that is not archived."""
        offered = (row for row in self._versions.values() if not row.variant.is_archived)
        latest = {version.variant_id: version for version in offered}
        return tuple(sorted(latest.values(), key=lambda version: version.title))

    @property
    def ids(self) -> list[str]:
        """The ids of all that can be chosen: the club's own first."""
        return [*(version.code for version in self.house), *self.site.ids]

    def find(self, text: str) -> str:
        """Return the id that `text` means: an id, a name or an alias, in any spelling."""
        try:
            return self.site.find(text)
        except Refused as refused:
            code = self._names.get(folded(text)) if isinstance(text, str) else None
            if code is not None:
                return code
            raise Refused(*map(self._nearer, refused.problems)) from refused

    def description_of(self, variant_id: str) -> Variant:
        code = self.find(variant_id)
        version = self._versions.get(code) if code not in self.site.ids else None
        if version is None:
            return self.site.variant(code)
        return version_description(version)

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

    def _nearer(self, problem: Problem) -> Problem:
        text = folded(str(problem.facts.get("found", "")))
        close = near_names(text, self._names, NEAR, MOST_NEAR)
        codes = dict.fromkeys(self._names[name] for name in close)
        return problem.hinting(*(Suggestion("closest", facts={"name": code}) for code in codes))


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
    if len(shape) != len(Side.values):
        return ("",) * seats
    side_of = {
        seat: side for side, members in zip(Side.values, shape, strict=True) for seat in members
    }
    return tuple(side_of.get(seat, "") for seat in range(seats))


def differing_in(
    offered: VariantChoices, variant: str, options: Mapping[str, object]
) -> tuple[OptionText, ...]:
    """Return what options change about a variant; all of them where it is offered no more."""
    try:
        base, rules = offered.rules(variant), offered.rules(variant, options)
    except Refused:
        texts = ((name, option_label(name), value_text(name, options[name])) for name in options)
        return tuple(
            OptionText(name, label, value, f"{label}: {value}") for name, label, value in texts
        )
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
    stored = Snapshot.objects.filter(event=event, content_hash=rules.content_hash).first()
    if stored is not None:
        return stored
    _lock_version(event.club, rules.id)
    snapshot, _ = Snapshot.objects.get_or_create(
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

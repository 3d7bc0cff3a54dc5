"""House rules, version by version, and the snapshots of rules that events keep."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from django.conf import settings
from django.utils.translation import gettext as _

from scoring.engine.progress import ends_unplayed
from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from scoring.rules.catalogue import CheckedVariant, check_text, folded, line_of, rules_with
from scoring.rules.options import Option, bad_option, every_option, options_of
from scoring.rules.rules import Rules, canonical
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Club
from tournaments.models.events import Snapshot
from tournaments.models.rules import LONGEST_NAME, LONGEST_SLUG, HouseVariant, HouseVersion
from tournaments.selectors.rules.house_rules import newest
from tournaments.selectors.rules.rule_sets import variants
from tournaments.services.clubs.clubs import BAD_NAME, BAD_SLUG, proposed_slug, slug_problems
from tournaments.services.db.locks import lock_club
from tournaments.services.operations import Operation, operation

HOUSE_RULES_RIGHT: Final = "house_rules"
MOST_RULES_BYTES: Final = 50_000
"""Maximum size of a file of rules, ten times the largest shipped one."""


LONGEST_SUMMARY: Final = 500
_LIKE_A_VERSION: Final = re.compile(r".*(v|version)\d+")


@dataclass(frozen=True, slots=True)
class HouseRulesDraft:
    """A draft of a club's rules: their base, the chosen options, and their description.

    `foundation` are the rules before any option, `rules` those with the options, both under the id
    and name of `base`, or of the uploaded file.
    """

    base: str
    foundation: JsonObject
    options: JsonObject
    rules: Rules
    about: JsonObject = field(default_factory=dict)


def chosen_rules(
    begin: str | HouseVersion, options: Mapping[str, object] | None = None, summary: str = ""
) -> HouseRulesDraft:
    """Return the rules of a variant of the site (its id, name or an alias) with options.

    A version of house rules counts as its own base, without its options.
    """
    summary = one_line(summary)
    problems = _length_problems(summary)
    try:
        base, foundation, above = _begun(begin)
        # The choices of the base's file come below those of the club, in one list.
        chosen = {**above, **(options or {})}
        rules = rules_with(foundation, chosen)
        _require_a_game(rules)
    except Refused as refused:
        raise Refused(*refused.problems, *problems) from refused
    refuse_any(problems)
    about = dict(begin.about) if isinstance(begin, HouseVersion) else {}
    about.pop("summary", None)
    if summary:
        about["summary"] = summary
    return HouseRulesDraft(base, foundation, chosen, rules, about)


def options_open(begin: str | HouseVersion, options: Mapping[str, object]) -> tuple[Option, ...]:
    """Return the options available in rules, given the chosen ones, and these themselves.

    An option may enable another: a moon enables its value.
    """
    available: dict[str, Option] = {}
    for chosen in ({}, options):
        try:
            rules = chosen_rules(begin, chosen).rules
        except Refused:
            continue
        available |= {option.name: option for option in options_of(rules.as_json())}
    available |= {option.name: option for option in every_option() if option.name in options}
    return tuple(available[option.name] for option in every_option() if option.name in available)


def rules_before(begin: str | HouseVersion) -> Rules | None:
    """Return the rules before any option of the club's own; None where there are none."""
    try:
        return chosen_rules(begin).rules
    except Refused:
        return None


def _length_problems(summary: str) -> list[Problem]:
    if len(summary) <= LONGEST_SUMMARY:
        return []
    facts = {"field": "summary", "found": len(summary), "expected": LONGEST_SUMMARY}
    return [Problem("text_too_long", ("summary",), facts)]


def _require_a_game(rules: Rules) -> None:
    """Refuse a game that is over before its first hand; the scorer alone takes such a one."""
    if ends_unplayed(rules):
        why = _("All players begin with 0 points, so a limit of 0 would end the game at once.")
        for name in ("target", "target_op"):
            if name in rules.options:
                raise Refused(bad_option(name, rules.options[name], why))
        raise Refused(Problem("bad_rules", ("finish",), {"key": "finish", "why": why}))


def _begun(begin: str | HouseVersion) -> tuple[str, Mapping[str, object], Mapping[str, object]]:
    if isinstance(begin, HouseVersion):
        return begin.base, begin.foundation, {}
    offered = variants()
    try:
        base = offered.find(begin)
    except Refused as refused:
        problems = [replace(problem, at=("base",)) for problem in refused.problems]
        raise Refused(*problems) from refused
    return base, offered.foundation(base), offered.chosen(base)


def read_house_file(content: bytes, file_name: str) -> CheckedVariant:
    """Look at a file of rules as `python -m scoring check` does."""
    if len(content) > MOST_RULES_BYTES:
        facts = {"found": len(content), "expected": MOST_RULES_BYTES}
        raise Refused(Problem("rules_file_too_large", ("file",), facts))
    try:
        checked = check_text(content, file_name, settings.BLACKLADY_VARIANTS)
        if checked.variant.aliases:
            why = _("House rules can have only one name. Remove the other names.")
            raise Refused(Problem("bad_rules", ("aliases",), {"key": "aliases", "why": why}))
        _require_a_game(checked.rules)
        refuse_any(_length_problems(checked.variant.summary))
    except Refused as refused:
        text = content.decode(errors="replace")
        raise Refused(
            *(
                replace(problem, facts={**problem.facts, "line": line_of(text, problem)})
                for problem in refused.problems
            )
        ) from refused
    return checked


def chosen_in(checked: CheckedVariant) -> HouseRulesDraft:
    variant = checked.variant
    about = {"summary": variant.summary, "sources": list(variant.sources), "notes": variant.notes}
    about = {key: value for key, value in about.items() if value}
    return HouseRulesDraft(checked.base, checked.foundation, checked.options, checked.rules, about)


NAMED: Final = (
    *BAD_NAME,
    *BAD_SLUG,
    "name_is_a_version",
    "name_of_a_variant",
    "house_name_taken",
)


@operation(HOUSE_RULES_RIGHT, locks=lock_club, refuses=NAMED)
def make_house_rules(
    op: Operation, club: Club, /, *, name: str, chosen: HouseRulesDraft, slug: str = ""
) -> HouseVersion:
    """Make house rules with their version 1. Without a slug the name proposes it."""
    name, is_proposed = one_line(name), not slug
    slug = slug or proposed_slug(name)[:LONGEST_SLUG].strip("-")
    problems = name_problems(name, LONGEST_NAME) or _version_problems(name, "name")
    if not (is_proposed and problems):
        problems += slug_problems(slug, LONGEST_SLUG) or _version_problems(slug, "slug")
    refuse_any(problems)
    if problems := _conflicts(club, name, slug):
        # What a name proposes is not to be mended beside it: one sentence is enough.
        raise Refused(*(problems[:1] if is_proposed else problems))
    house = HouseVariant.objects.create(club=club, slug=slug, name=name, made_at=op.now)
    return _add(op, house, chosen)


def _lock(house: HouseVariant) -> HouseVariant:
    rows = HouseVariant.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("club").get(pk=house.pk)


@operation(
    HOUSE_RULES_RIGHT,
    locks=_lock,
    refuses=("house_rules_moved_on", "house_rules_archived", "version_unchanged"),
    name="add_house_version",
)
def add_version(
    op: Operation,
    house: HouseVariant,
    /,
    *,
    chosen: HouseRulesDraft,
    based_on: int | None = None,
) -> HouseVersion:
    """Create the next version of house rules. Existing versions do not change.

    Args:
        based_on: the number of the version that was looked at; None where nobody looked.
    """
    last = newest(house)
    if based_on is not None and based_on != last.number:
        facts = {"yours": based_on, "theirs": last.number}
        raise Conflict(Problem("house_rules_moved_on", ("based_on",), facts), there=last)
    if house.is_archived:
        raise Refused(Problem("house_rules_archived", facts={"name": house.name}))
    if _content(chosen.rules.as_json()) == _content(last.rules):
        raise Refused(Problem("version_unchanged", ("options",), {"number": last.number}))
    return _add(op, house, chosen)


def chosen_for(house: HouseVariant, checked: CheckedVariant) -> HouseRulesDraft:
    if checked.variant.id != house.slug:
        facts = {"found": checked.variant.id, "expected": house.slug}
        raise Refused(Problem("rules_of_another", ("id",), facts))
    return chosen_in(checked)


@operation(HOUSE_RULES_RIGHT, refuses=("version_in_use",), name="delete_house_version")
def delete_version(op: Operation, version: HouseVersion, /) -> bool:
    """Delete a version that no event plays; with the last one go the house rules themselves.

    Returns:
        Whether the house rules are still there.
    """
    house = _lock(version.variant)
    locked = HouseVersion.objects.select_for_update(no_key=True).filter(pk=version.pk).first()
    if locked is None:
        return house.versions.exists()
    snapshots = Snapshot.objects.filter(club=version.club, variant=version.code)
    events = list(
        snapshots.order_by("event__name").values_list("event__name", flat=True).distinct()
    )
    if events:
        facts = {"title": version.title, "events": ", ".join(events[:5]), "n": len(events)}
        raise Conflict(Problem("version_in_use", facts=facts))
    locked.delete()
    stays = house.versions.exists()
    if not stays:
        house.delete()
    op.audit(house, {"version": version.number})
    return stays


@operation(HOUSE_RULES_RIGHT)
def archive_house_rules(op: Operation, house: HouseVariant, /, *, archived: bool) -> None:
    """Archive house rules, or offer them again. Events that play them continue."""
    if HouseVariant.objects.filter(pk=house.pk, is_archived=not archived).update(
        is_archived=archived
    ):
        op.audit(house, name="archive_house_rules" if archived else "restore_house_rules")
    house.is_archived = archived


def _add(op: Operation, house: HouseVariant, chosen: HouseRulesDraft) -> HouseVersion:
    number = house.last_number + 1
    HouseVariant.objects.filter(pk=house.pk).update(last_number=number)
    code = f"{house.slug}-v{number}"
    title = _("%(name)s, version %(number)s") % {"name": house.name, "number": number}
    foundation = {**chosen.foundation, "id": code, "name": title, "options": {}}
    version = HouseVersion.objects.create(
        club_id=house.club_id,
        variant=house,
        number=number,
        code=code,
        base=chosen.base,
        options=dict(chosen.options),
        foundation=foundation,
        rules=rules_with(foundation, chosen.options).as_json(),
        about=dict(chosen.about),
        made_as=op.actor.name,
        made_at=op.now,
    )
    facts = {"version": number, "base": chosen.base, "options": dict(chosen.options)}
    op.audit(house, facts)
    return version


def _content(rules: Mapping[str, object]) -> str:
    return canonical({**rules, "id": "", "name": "", "options": {}})


def _version_problems(text: str, at: str) -> list[Problem]:
    if _LIKE_A_VERSION.fullmatch(folded(text)):
        return [Problem("name_is_a_version", (at,), {"found": text})]
    return []


def _conflicts(club: Club, name: str, slug: str) -> list[Problem]:
    names = {
        folded(text): house.name
        for house in HouseVariant.objects.filter(club=club)
        for text in (house.slug, house.name)
    }
    problems = []
    for at, text in (("name", name), ("slug", slug)):
        if variant_id := variants().named(text):
            facts = {"found": text, "variant": variants().variant(variant_id).name}
            problems.append(Problem("name_of_a_variant", (at,), facts))
        elif folded(text) in names:
            facts = {"found": text, "name": names[folded(text)]}
            problems.append(Problem("house_name_taken", (at,), facts))
    return problems

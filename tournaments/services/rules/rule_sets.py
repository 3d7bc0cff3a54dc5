"""From an event's variant to prepared rules, and back to the snapshot a table is played under."""

from collections.abc import Mapping

from scoring.errors import Problem, Refused
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Snapshot
from tournaments.models.variants import HouseVersion
from tournaments.selectors.rules.rule_sets import offered_in, variants

"""The status of a club's own variant."""


def store_snapshot(
    *, event: Event, variant: str, options: Mapping[str, object] | None = None
) -> Snapshot:
    """Keep the rules that `variant` (id, name or alias) and `options` mean today with the event.

    Returns:
        The event's snapshot of exactly these rules, a new one or the one kept before.

    Raises:
        Refused: unknown_variant, unknown_option, bad_option.
    """
    rules = offered_in(event).rules(variant, options)
    kept = Snapshot.objects.filter(event=event, content_hash=rules.content_hash).first()
    if kept is not None:
        return kept
    lock_version(event.club, rules.id)
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


def lock_version(club: Club, code: str) -> None:
    """Lock a version of house rules, so that nobody deletes it before it is in use.

    Raises:
        Refused: unknown_variant, where it is deleted already.
    """
    if code in variants().ids:
        return
    held = HouseVersion.objects.select_for_update(no_key=True)
    if not held.filter(club=club, code=code).exists():
        raise Refused(Problem("unknown_variant", ("variant",), {"found": code}))

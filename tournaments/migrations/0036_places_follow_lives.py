"""Count events again in which lives, single totals or a winning moon decide, or that have totals.

Their places and the hands that they count are other ones now. A worker does it (recount.py).
"""

from django.db import migrations, models


def is_ranked_otherwise(rules):
    """Whether totals alone do not say who is first."""
    result, slams = rules.get("result") or {}, rules.get("slams") or ()
    wins_at_once = any((slam.get("pay") or {}).get("mode") == "win_match" for slam in slams)
    is_near = result.get("order") == "abs_low" and rules.get("number") != "complex"
    crosses = result.get("decide") == "crosser_team_loses"
    return bool(rules.get("lives")) or crosses or wins_at_once or is_near


def mark_events(apps, schema_editor):
    """Mark each such event; what is marked already is marked once more."""
    snapshot, hand, dirty = (
        apps.get_model("tournaments", name) for name in ("Snapshot", "Hand", "Dirty")
    )
    rules = snapshot.objects.values_list("event_id", "rules").iterator(chunk_size=200)
    events = {event for event, own in rules if is_ranked_otherwise(own)}
    events |= set(hand.objects.filter(number=0).values_list("game__event_id", flat=True))
    scopes = [f"recount:{event}" for event in sorted(events)]
    for start in range(0, len(scopes), 500):
        some = scopes[start : start + 500]
        there = dirty.objects.filter(scope__in=some)
        known = set(there.values_list("scope", flat=True))
        there.update(version=models.F("version") + 1, due_at=None, attempts=0, parked=False)
        dirty.objects.bulk_create(
            [dirty(scope=scope, version=1) for scope in some if scope not in known],
            ignore_conflicts=True,
        )


class Migration(migrations.Migration):

    dependencies = [("tournaments", "0035_hands_that_imports_replaced")]

    operations = [migrations.RunPython(mark_events, migrations.RunPython.noop)]

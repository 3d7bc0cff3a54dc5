"""Say which import made a table, a round and a meeting that are there already.

A table is an import's whose hands all came with one first, and that nobody was seated at by a
person; a round is, all of whose tables are and that nobody made; a meeting, all of whose rounds are.
"""

from django.db import migrations


def mark(apps, schema_editor):
    get = lambda name: apps.get_model("tournaments", name)  # noqa: E731
    for event in get("Event").objects.filter(batches__isnull=False).distinct().iterator():
        _mark(get, event)


def _mark(get, event):
    start = f"event:{event.slug}/"
    lines = get("AuditLine").objects.filter(
        club_id=event.club_id, act__in=("seat_table", "make_round"), subject__startswith=start
    )
    by_people = set(lines.values_list("subject", flat=True))
    of_tables = _tables(get, event, start, by_people)
    of_rounds = _rounds(get, event, start, by_people, of_tables)
    of_meetings = {}
    rounds = get("Round").objects.filter(event=event, meeting__isnull=False)
    for round_, meeting in rounds.values_list("pk", "meeting_id"):
        of_meetings.setdefault(meeting, []).append(of_rounds.get(round_))
    of_meetings = {pk: min(made) for pk, made in of_meetings.items() if None not in made}
    for name, made in (("Table", of_tables), ("Round", of_rounds), ("Meeting", of_meetings)):
        for batch in set(made.values()):
            ids = [pk for pk, by in made.items() if by == batch]
            for at in range(0, len(ids), 500):
                rows = get(name).objects.filter(pk__in=ids[at : at + 500])
                rows.update(batch_id=batch)


def _tables(get, event, start, by_people):
    made = {}
    first = get("Entry").objects.filter(hand__game__event=event, revision=1)
    for table, code, batch in first.values_list(
        "hand__game__table_id", "hand__game__table__code", "batch_id"
    ):
        if f"{start}table:{code}" not in by_people:
            made.setdefault(table, set()).add(batch)
    return {table: min(of) for table, of in made.items() if None not in of}


def _rounds(get, event, start, by_people, of_tables):
    numbers = dict(get("Round").objects.filter(event=event).values_list("pk", "number"))
    made = {}
    for table, round_ in get("Table").objects.filter(event=event).values_list("pk", "round_id"):
        if f"{start}round:{numbers[round_]}" not in by_people:
            made.setdefault(round_, []).append(of_tables.get(table))
    return {round_: min(of) for round_, of in made.items() if None not in of}


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0026_what_an_import_made")]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]

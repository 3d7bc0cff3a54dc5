"""The schema. No club runs a version before this one: its databases are told to start over.

PostgreSQL compresses what is published with lz4: a table of 1,000 players takes 1.4 ms to read with
PostgreSQL's own method and 0.5 ms with lz4, and is a fifth larger. A server without lz4 keeps its
own method.
"""

import django.db.models.deletion
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, migrations, models, transaction

from tournaments.migrations._create_tables import CreateTables

OLDER = (
    "This database was made by a version before the first release, which this one cannot upgrade. "
    "Start over with an empty database: export what you want to keep with the version that made it, "
    "then remove the database (without a DATABASE_URL the file var/blacklady.sqlite3) and migrate."
)


def refuse_older_database(apps, schema_editor):
    """Stop before the first statement where an older schema has these tables already."""
    with schema_editor.connection.cursor() as cursor:
        names = schema_editor.connection.introspection.table_names(cursor)
    if "tournaments_club" in names:
        raise ImproperlyConfigured(OLDER)


def compress_with_lz4(apps, schema_editor):
    """Have PostgreSQL compress publications with lz4, where it was built with it."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    columns = ", ".join(f"ALTER COLUMN {name} SET COMPRESSION lz4" for name in ("body", "csv"))
    try:
        with transaction.atomic(using=connection.alias):
            schema_editor.execute(f"ALTER TABLE tournaments_publication {columns}")
    except DatabaseError as fault:
        # 0A000: made without lz4. 42601: a server before version 14, which knows no such words.
        if getattr(fault.__cause__, "sqlstate", "") not in ("0A000", "42601"):
            raise


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(refuse_older_database, migrations.RunPython.noop, elidable=False),
        CreateTables([
            migrations.CreateModel(
                name='SheetPhoto',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('digest', models.CharField(max_length=64)),
                    ('width', models.PositiveSmallIntegerField()),
                    ('height', models.PositiveSmallIntegerField()),
                    ('size', models.PositiveIntegerField()),
                    ('added_as', models.CharField(blank=True, max_length=120)),
                    ('added_at', models.DateTimeField()),
                    ('removed_at', models.DateTimeField(blank=True, null=True)),
                    ('removed_as', models.CharField(blank=True, max_length=120)),
                    ('removed_because', models.CharField(blank=True, max_length=500)),
                    ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'sheet photo',
                    'verbose_name_plural': 'sheet photos',
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='photo_numbers_start_at_one'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Club',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60)),
                    ('name', models.CharField(max_length=120)),
                    ('time_zone', models.CharField(default='UTC', max_length=60)),
                    ('language', models.CharField(default='en', max_length=12)),
                    ('is_public', models.BooleanField(default=True)),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name': 'club',
                    'verbose_name_plural': 'clubs',
                    'constraints': [models.UniqueConstraint(fields=('slug',), name='club_slug_is_unique'), models.CheckConstraint(condition=models.Q(('slug', ''), _negated=True), name='club_has_a_slug')],
                },
            ),
            migrations.CreateModel(
                name='AuditHead',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveBigIntegerField(default=0)),
                    ('digest', models.CharField(default='', max_length=64)),
                    ('club', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='audit_head', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'head of the audit trail',
                    'verbose_name_plural': 'heads of the audit trail',
                },
            ),
            migrations.CreateModel(
                name='ColumnMap',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=120)),
                    ('plan', models.JSONField()),
                    ('heads_key', models.CharField(max_length=64)),
                    ('made_as', models.CharField(blank=True, max_length=120)),
                    ('changed_at', models.DateTimeField()),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='column_maps', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'column mapping',
                    'verbose_name_plural': 'column mappings',
                    'constraints': [
                        models.UniqueConstraint(fields=('club', 'number'), name='mapping_number_is_unique_in_its_club'),
                        models.UniqueConstraint(fields=('club', 'name'), name='mapping_name_is_unique_in_its_club'),
                        models.UniqueConstraint(fields=('club', 'heads_key'), name='club_has_one_mapping_for_the_same_heads'),
                        models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='mapping_has_a_name'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Dirty',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('scope', models.CharField(max_length=80)),
                    ('version', models.PositiveBigIntegerField(default=0)),
                    ('done', models.PositiveBigIntegerField(default=0)),
                    ('claimed_until', models.DateTimeField(blank=True, null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('due_at', models.DateTimeField(blank=True, null=True)),
                    ('parked', models.BooleanField(default=False)),
                    ('error', models.TextField(blank=True)),
                    ('marked_at', models.DateTimeField(blank=True, null=True)),
                    ('done_at', models.DateTimeField(blank=True, null=True)),
                    ('progress', models.JSONField(blank=True, null=True)),
                    ('took_ms', models.PositiveIntegerField(blank=True, null=True)),
                    ('under_review_since', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'background job',
                    'verbose_name_plural': 'background jobs',
                    'indexes': [models.Index(condition=models.Q(('done__lt', models.F('version')), ('parked', False)), fields=['scope'], name='scopes_that_are_behind')],
                    'constraints': [models.UniqueConstraint(fields=('scope',), name='scope_has_one_dirty_row'), models.CheckConstraint(condition=models.Q(('done__lte', models.F('version'))), name='done_is_never_ahead_of_version')],
                },
            ),
            migrations.CreateModel(
                name='Entry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('revision', models.PositiveIntegerField()),
                    ('form', models.CharField(choices=[('cards', 'Cards'), ('counts', 'Counts'), ('points', 'Points'), ('clean', 'Clean')], max_length=6)),
                    ('typed', models.JSONField()),
                    ('verified', models.CharField(default='cards', max_length=5)),
                    ('moon', models.JSONField(blank=True, null=True)),
                    ('key', models.CharField(blank=True, max_length=128, null=True)),
                    ('body_hash', models.CharField(blank=True, max_length=64)),
                    ('reason', models.CharField(blank=True, max_length=500)),
                    ('note', models.CharField(blank=True, max_length=500)),
                    ('source', models.CharField(choices=[('host', 'Host'), ('link', 'Link'), ('api', 'Api'), ('import', 'Import')], max_length=6)),
                    ('entered_as', models.CharField(blank=True, max_length=120)),
                    ('entered_at', models.DateTimeField()),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'entry',
                    'verbose_name_plural': 'entries',
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('revision__gte', 1)), name='revisions_start_at_one'),
                        models.CheckConstraint(condition=models.Q(('form__in', ['cards', 'counts', 'points', 'clean'])), name='entry_form_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Event',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60)),
                    ('name', models.CharField(max_length=120)),
                    ('kind', models.CharField(choices=[('league', 'League'), ('tournament', 'Tournament'), ('ladder', 'Ladder')], default='league', max_length=12)),
                    ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed'), ('final', 'Final')], default='draft', max_length=8)),
                    ('visibility', models.CharField(choices=[('public', 'Public'), ('members', 'Members'), ('held', 'Held')], default='public', max_length=8)),
                    ('variant', models.CharField(max_length=60)),
                    ('options', models.JSONField(blank=True, default=dict)),
                    ('settings', models.JSONField(blank=True, default=dict)),
                    ('seed', models.CharField(max_length=32)),
                    ('created_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'event',
                    'verbose_name_plural': 'events',
                    'constraints': [
                        models.UniqueConstraint(fields=('club', 'slug'), name='event_slug_is_unique_in_its_club'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['league', 'tournament', 'ladder'])), name='event_kind_is_known'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'open', 'closed', 'final'])), name='event_state_is_known'),
                        models.CheckConstraint(condition=models.Q(('visibility__in', ['public', 'members', 'held'])), name='event_visibility_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Entrant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.CharField(max_length=40)),
                    ('name', models.CharField(blank=True, max_length=120)),
                    ('kind', models.CharField(choices=[('player', 'Player'), ('pair', 'Pair'), ('team', 'Team')], default='player', max_length=6)),
                    ('state', models.CharField(choices=[('active', 'Active'), ('withdrawn', 'Withdrawn')], default='active', max_length=9)),
                    ('start_position', models.PositiveIntegerField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'entrant',
                    'verbose_name_plural': 'entrants',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'code'), name='entrant_code_is_unique_in_its_event'),
                        models.UniqueConstraint(fields=('event', 'start_position'), name='start_position_is_unique_in_its_event'),
                        models.CheckConstraint(condition=models.Q(('start_position__gte', 1)), name='start_positions_start_at_one'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['player', 'pair', 'team'])), name='entrant_kind_is_known'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['active', 'withdrawn'])), name='entrant_state_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Deadline',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=20)),
                    ('key', models.CharField(blank=True, max_length=40)),
                    ('due_at', models.DateTimeField()),
                    ('done_at', models.DateTimeField(blank=True, null=True)),
                    ('ran_at', models.DateTimeField(blank=True, null=True)),
                    ('took_ms', models.PositiveIntegerField(blank=True, null=True)),
                    ('outcome', models.CharField(blank=True, max_length=200)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('parked', models.BooleanField(default=False)),
                    ('error', models.TextField(blank=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deadlines', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'deadline',
                    'verbose_name_plural': 'deadlines',
                    'indexes': [
                        models.Index(condition=models.Q(('done_at__isnull', True), ('parked', False)), fields=['due_at'], name='deadlines_still_to_come'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'kind', 'key'), name='deadline_is_one_of_its_kind_in_its_event'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='StoredHistory',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=20)),
                    ('key', models.CharField(blank=True, max_length=40)),
                    ('version', models.PositiveBigIntegerField()),
                    ('digest', models.CharField(max_length=71)),
                    ('body', models.BinaryField()),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stored_history', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'stored history',
                    'verbose_name_plural': 'stored histories',
                    'db_table': 'tournaments_companion',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'kind', 'key'), name='companion_is_kept_once_for_its_event'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Change',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveBigIntegerField()),
                    ('at', models.DateTimeField()),
                    ('kind', models.CharField(max_length=24)),
                    ('table', models.CharField(blank=True, max_length=24)),
                    ('number', models.PositiveIntegerField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, max_length=500)),
                    ('by', models.CharField(blank=True, max_length=12)),
                    ('facts', models.JSONField(blank=True, default=dict)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'change log line',
                    'verbose_name_plural': 'change log lines',
                    'indexes': [
                        models.Index(fields=['event', 'version'], name='changes_of_an_event'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Aggregate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('games', models.IntegerField(default=0)),
                    ('hands', models.IntegerField(default=0)),
                    ('points', models.BigIntegerField(default=0)),
                    ('shared_wins', models.IntegerField(default=0)),
                    ('win_share', models.BigIntegerField(default=0)),
                    ('beaten_halves', models.BigIntegerField(default=0)),
                    ('moons', models.IntegerField(default=0)),
                    ('moons_against', models.IntegerField(default=0)),
                    ('difference', models.BigIntegerField(default=0)),
                    ('uncounted', models.IntegerField(default=0)),
                    ('place_points', models.BigIntegerField(default=0)),
                    ('kept', models.JSONField(blank=True, null=True)),
                    ('place_1', models.IntegerField(default=0)),
                    ('place_2', models.IntegerField(default=0)),
                    ('place_3', models.IntegerField(default=0)),
                    ('place_4', models.IntegerField(default=0)),
                    ('place_5', models.IntegerField(default=0)),
                    ('place_6', models.IntegerField(default=0)),
                    ('place_7', models.IntegerField(default=0)),
                    ('place_8', models.IntegerField(default=0)),
                    ('place_9', models.IntegerField(default=0)),
                    ('place_10', models.IntegerField(default=0)),
                    ('place_11', models.IntegerField(default=0)),
                    ('place_12', models.IntegerField(default=0)),
                    ('place_13', models.IntegerField(default=0)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='aggregates', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'totals of an entrant',
                    'verbose_name_plural': 'totals of entrants',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'entrant'), name='entrant_has_one_aggregate_in_an_event'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Game',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('state', models.CharField(choices=[('seated', 'Seated'), ('playing', 'Playing'), ('complete', 'Complete'), ('checked', 'Checked'), ('abandoned', 'Abandoned'), ('final', 'Final')], default='seated', max_length=9)),
                    ('progress', models.JSONField(blank=True, null=True)),
                    ('hands_counted', models.PositiveIntegerField(default=0)),
                    ('counts', models.BooleanField(db_default=True, default=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='games', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'game',
                    'verbose_name_plural': 'games',
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('state__in', ['seated', 'playing', 'complete', 'checked', 'abandoned', 'final'])), name='game_state_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Contribution',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('games', models.IntegerField(default=0)),
                    ('hands', models.IntegerField(default=0)),
                    ('points', models.BigIntegerField(default=0)),
                    ('shared_wins', models.IntegerField(default=0)),
                    ('win_share', models.BigIntegerField(default=0)),
                    ('beaten_halves', models.BigIntegerField(default=0)),
                    ('moons', models.IntegerField(default=0)),
                    ('moons_against', models.IntegerField(default=0)),
                    ('difference', models.BigIntegerField(default=0)),
                    ('uncounted', models.IntegerField(default=0)),
                    ('place_points', models.BigIntegerField(default=0)),
                    ('place', models.PositiveSmallIntegerField()),
                    ('shared', models.PositiveSmallIntegerField(default=1)),
                    ('index_num', models.BigIntegerField(default=0)),
                    ('index_den', models.BigIntegerField(default=0)),
                    ('is_dropped', models.BooleanField(db_default=False, default=False)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.event')),
                    ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='contributions', to='tournaments.game')),
                ],
                options={
                    'verbose_name': 'result of a game',
                    'verbose_name_plural': 'results of games',
                    'constraints': [
                        models.UniqueConstraint(fields=('game', 'entrant'), name='game_contributes_once_for_an_entrant'),
                        models.CheckConstraint(condition=models.Q(('place__gte', 1), ('place__lte', 13)), name='place_is_one_to_13'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Challenge',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('issued', 'Issued'), ('accepted', 'Accepted'), ('played', 'Played'), ('confirmed', 'Confirmed'), ('declined', 'Declined'), ('expired', 'Expired'), ('withdrawn', 'Withdrawn'), ('forfeited_c', 'Forfeited C'), ('forfeited_d', 'Forfeited D'), ('cancelled', 'Cancelled'), ('void', 'Void')], default='issued', max_length=11)),
                    ('issued_at', models.DateTimeField()),
                    ('accepted_at', models.DateTimeField(blank=True, null=True)),
                    ('played_at', models.DateTimeField(blank=True, null=True)),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('postponed_c', models.BooleanField(default=False)),
                    ('postponed_d', models.BooleanField(default=False)),
                    ('confirmed_as', models.CharField(blank=True, max_length=12)),
                    ('confirmed_name', models.CharField(blank=True, db_default='', max_length=120)),
                    ('words', models.CharField(blank=True, max_length=500)),
                    ('confirmed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('cancel_asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.entrant')),
                    ('challenged', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('challenger', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='challenges', to='tournaments.event')),
                    ('game', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='challenge', to='tournaments.game')),
                ],
                options={
                    'verbose_name': 'challenge',
                    'verbose_name_plural': 'challenges',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='challenge_number_is_unique_in_its_event'),
                        models.UniqueConstraint(condition=models.Q(('state__in', ('issued', 'accepted', 'played'))), fields=('event', 'challenger'), name='member_has_one_open_challenge_out'),
                        models.UniqueConstraint(condition=models.Q(('state__in', ('issued', 'accepted', 'played'))), fields=('event', 'challenged'), name='member_has_one_open_challenge_in'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['issued', 'accepted', 'played', 'confirmed', 'declined', 'expired', 'withdrawn', 'forfeited_c', 'forfeited_d', 'cancelled', 'void'])), name='challenge_state_is_known'),
                        models.CheckConstraint(condition=models.Q(('challenger', models.F('challenged')), _negated=True), name='nobody_challenges_themselves'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Hand',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('accepted', 'Accepted'), ('disputed', 'Disputed'), ('void', 'Void')], default='accepted', max_length=8)),
                    ('revision', models.PositiveIntegerField(default=0)),
                    ('hands', models.PositiveSmallIntegerField(blank=True, default=1, null=True)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entry', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.entry')),
                    ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='hands', to='tournaments.game')),
                ],
                options={
                    'verbose_name': 'hand',
                    'verbose_name_plural': 'hands',
                    'indexes': [
                        models.Index(condition=models.Q(('number', 0)), fields=['game'], name='sheets_with_totals_only'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('game', 'number'), name='hand_number_is_unique_in_its_game'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['accepted', 'disputed', 'void'])), name='hand_state_is_known'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='entry',
                name='hand',
                field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='tournaments.hand'),
            ),
            migrations.CreateModel(
                name='Dispute',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('revision', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('open', 'Open'), ('upheld', 'Upheld'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')], default='open', max_length=9)),
                    ('words', models.CharField(max_length=500)),
                    ('opened_as', models.CharField(blank=True, max_length=120)),
                    ('opened_label', models.CharField(blank=True, max_length=80)),
                    ('opened_at', models.DateTimeField()),
                    ('ruling', models.CharField(blank=True, max_length=500)),
                    ('ruled_as', models.CharField(blank=True, max_length=120)),
                    ('ruled_at', models.DateTimeField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('opened_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('ruled_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='disputes', to='tournaments.event')),
                    ('hand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='disputes', to='tournaments.hand')),
                ],
                options={
                    'verbose_name': 'dispute',
                    'verbose_name_plural': 'disputes',
                    'indexes': [
                        models.Index(condition=models.Q(('state', 'open')), fields=['event'], name='disputes_still_open'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='dispute_number_is_unique_in_its_event'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['open', 'upheld', 'rejected', 'withdrawn'])), name='dispute_state_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Heartbeat',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120)),
                    ('seen_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name': 'worker heartbeat',
                    'verbose_name_plural': 'worker heartbeats',
                    'constraints': [models.UniqueConstraint(fields=('name',), name='worker_has_one_heartbeat')],
                },
            ),
            migrations.CreateModel(
                name='HouseVariant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField()),
                    ('name', models.CharField(max_length=80)),
                    ('is_archived', models.BooleanField(default=False)),
                    ('last_number', models.PositiveIntegerField(default=0)),
                    ('made_at', models.DateTimeField()),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='house_variants', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'house rules',
                    'verbose_name_plural': 'house rules',
                    'constraints': [
                        models.UniqueConstraint(fields=('club', 'slug'), name='house_rules_slug_is_unique_in_its_club'),
                        models.UniqueConstraint(fields=('club', 'name'), name='house_rules_name_is_unique_in_its_club'),
                        models.CheckConstraint(condition=models.Q(models.Q(('slug', ''), _negated=True), models.Q(('name', ''), _negated=True)), name='house_rules_have_a_name'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='HouseVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('code', models.CharField(max_length=60)),
                    ('base', models.CharField(blank=True, max_length=60)),
                    ('options', models.JSONField(blank=True, default=dict)),
                    ('foundation', models.JSONField()),
                    ('rules', models.JSONField()),
                    ('about', models.JSONField(blank=True, default=dict)),
                    ('made_as', models.CharField(blank=True, max_length=120)),
                    ('made_at', models.DateTimeField()),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('variant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='tournaments.housevariant')),
                ],
                options={
                    'verbose_name': 'version of house rules',
                    'verbose_name_plural': 'versions of house rules',
                    'constraints': [
                        models.UniqueConstraint(fields=('variant', 'number'), name='house_version_number_is_unique'),
                        models.UniqueConstraint(fields=('club', 'code'), name='house_version_code_is_unique_in_its_club'),
                        models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='house_versions_start_at_one'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ImportBatch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('file_name', models.CharField(max_length=255)),
                    ('file_digest', models.CharField(max_length=64)),
                    ('state', models.CharField(choices=[('reading', 'Reading'), ('mapping', 'Mapping'), ('preview', 'Preview'), ('running', 'Running'), ('done', 'Done'), ('undoing', 'Undoing'), ('undone', 'Undone')], default='running', max_length=7)),
                    ('rows', models.PositiveIntegerField(default=0)),
                    ('hands', models.PositiveIntegerField(default=0)),
                    ('accepted', models.PositiveIntegerField(default=0)),
                    ('added', models.PositiveIntegerField(default=0)),
                    ('made_as', models.CharField(blank=True, max_length=120)),
                    ('started_at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('undo_label', models.CharField(blank=True, max_length=120)),
                    ('stopped', models.JSONField(blank=True, null=True)),
                    ('states_before', models.JSONField(blank=True, null=True)),
                    ('file_rounds', models.JSONField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='tournaments.event')),
                    ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('undo_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'import',
                    'verbose_name_plural': 'imports',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='batch_number_is_unique_in_its_event'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['reading', 'mapping', 'preview', 'running', 'done', 'undoing', 'undone'])), name='batch_state_is_known'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='entry',
                name='batch',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='tournaments.importbatch'),
            ),
            migrations.AddField(
                model_name='entrant',
                name='batch',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.importbatch'),
            ),
            migrations.CreateModel(
                name='ImportProblem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('code', models.CharField(max_length=60)),
                    ('severity', models.CharField(choices=[('accept-note', 'Accept Note'), ('ask', 'Ask'), ('reject', 'Reject'), ('skip', 'Skip')], max_length=11)),
                    ('lines', models.JSONField()),
                    ('round', models.PositiveIntegerField(blank=True, null=True)),
                    ('table', models.PositiveIntegerField(blank=True, null=True)),
                    ('hand', models.PositiveIntegerField(blank=True, null=True)),
                    ('found', models.TextField(blank=True)),
                    ('expected', models.TextField(blank=True)),
                    ('message', models.TextField()),
                    ('suggestion', models.TextField(blank=True)),
                    ('rows', models.JSONField(default=list)),
                    ('offers', models.JSONField(default=list)),
                    ('state', models.CharField(choices=[('open', 'Open'), ('settled', 'Settled'), ('dismissed', 'Dismissed')], default='open', max_length=9)),
                    ('reason', models.CharField(blank=True, max_length=500)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='problems', to='tournaments.importbatch')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'import problem',
                    'verbose_name_plural': 'import problems',
                    'indexes': [
                        models.Index(fields=['event', 'state'], name='open_problems_of_an_event'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('batch', 'position'), name='problem_has_its_place_in_its_batch'),
                        models.CheckConstraint(condition=models.Q(('severity__in', ['accept-note', 'ask', 'reject', 'skip'])), name='problem_class_is_known'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['open', 'settled', 'dismissed'])), name='problem_state_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='LadderAbsence',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('since', models.DateField()),
                    ('until', models.DateField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='absences', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='absences', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'ladder absence',
                    'verbose_name_plural': 'ladder absences',
                    'constraints': [
                        models.UniqueConstraint(fields=('entrant', 'since'), name='absence_begins_once_on_a_day'),
                        models.CheckConstraint(condition=models.Q(('until__isnull', True), ('until__gte', models.F('since')), _connector='OR'), name='absence_ends_after_it_begins'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='LadderMove',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveBigIntegerField()),
                    ('before', models.PositiveIntegerField(blank=True, null=True)),
                    ('after', models.PositiveIntegerField(blank=True, null=True)),
                    ('on', models.DateField()),
                    ('kind', models.CharField(max_length=12)),
                    ('facts', models.JSONField(blank=True, default=dict)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='ladder_moves', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'ladder move',
                    'verbose_name_plural': 'ladder moves',
                    'indexes': [
                        models.Index(fields=['entrant', 'number'], name='moves_of_a_member'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number', 'entrant'), name='step_moves_a_member_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='LadderState',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('turn', models.PositiveBigIntegerField(default=0)),
                    ('number', models.PositiveBigIntegerField(default=0)),
                    ('order', models.JSONField(blank=True, default=list)),
                    ('dropped', models.JSONField(blank=True, default=list)),
                    ('ratings', models.JSONField(blank=True, default=dict)),
                    ('rules', models.JSONField(blank=True, default=dict)),
                    ('inputs', models.JSONField(blank=True, default=dict)),
                    ('swept_to', models.DateField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='ladder_state', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'ladder state',
                    'verbose_name_plural': 'ladder states',
                },
            ),
            migrations.CreateModel(
                name='LadderStep',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveBigIntegerField()),
                    ('kind', models.CharField(choices=[('opened', 'Opened'), ('joined', 'Joined'), ('removed', 'Removed'), ('challenge', 'Challenge'), ('table', 'Table'), ('swept', 'Swept')], max_length=9)),
                    ('on', models.DateField()),
                    ('week', models.CharField(blank=True, max_length=8)),
                    ('facts', models.JSONField(blank=True, default=dict)),
                    ('challenge', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='ladder_step', to='tournaments.challenge')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ladder_steps', to='tournaments.event')),
                    ('game', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='ladder_step', to='tournaments.game')),
                ],
                options={
                    'verbose_name': 'ladder log step',
                    'verbose_name_plural': 'ladder log steps',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='ladder_step_number_is_unique_in_its_event'),
                        models.UniqueConstraint(condition=models.Q(('kind', 'swept')), fields=('event', 'week'), name='ladder_is_swept_once_a_week'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['opened', 'joined', 'removed', 'challenge', 'table', 'swept'])), name='ladder_step_kind_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='LedgerLine',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('kind', models.CharField(choices=[('penalty', 'Penalty'), ('bonus', 'Bonus')], max_length=7)),
                    ('amount', models.BigIntegerField()),
                    ('reason', models.CharField(max_length=500)),
                    ('by_as', models.CharField(blank=True, max_length=120)),
                    ('at', models.DateTimeField()),
                    ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                    ('withdrawn_reason', models.CharField(blank=True, max_length=500)),
                    ('withdrawn_as', models.CharField(blank=True, max_length=120)),
                    ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ledger_lines', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ledger_lines', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'penalty or bonus',
                    'verbose_name_plural': 'penalties and bonuses',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='ledger_number_is_unique_in_its_event'),
                        models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='ledger_amount_is_positive'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['penalty', 'bonus'])), name='ledger_kind_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Meeting',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('date', models.DateField()),
                    ('state', models.CharField(choices=[('planned', 'Planned'), ('held', 'Held'), ('cancelled', 'Cancelled')], default='planned', max_length=9)),
                    ('batch', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.importbatch')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='meetings', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'meeting',
                    'verbose_name_plural': 'meetings',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'date'), name='event_meets_once_on_a_date'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['planned', 'held', 'cancelled'])), name='meeting_state_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Membership',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(choices=[('player', 'Player'), ('host', 'Host'), ('director', 'Director'), ('owner', 'Owner')], max_length=10)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='tournaments.club')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='club_memberships', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'membership',
                    'verbose_name_plural': 'memberships',
                    'constraints': [
                        models.UniqueConstraint(fields=('club', 'user'), name='user_has_one_membership_in_a_club'),
                        models.CheckConstraint(condition=models.Q(('role__in', ['player', 'host', 'director', 'owner'])), name='membership_role_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Outbox',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=40)),
                    ('payload', models.JSONField()),
                    ('created_at', models.DateTimeField()),
                    ('due_at', models.DateTimeField()),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'outgoing message',
                    'verbose_name_plural': 'outgoing messages',
                    'indexes': [
                        models.Index(condition=models.Q(('sent_at__isnull', True)), fields=['due_at'], name='outbox_still_to_send'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Picture',
                fields=[
                    ('photo', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='picture', serialize=False, to='tournaments.sheetphoto')),
                    ('jpeg', models.BinaryField()),
                ],
                options={
                    'verbose_name': 'stored picture',
                    'verbose_name_plural': 'stored pictures',
                },
            ),
            migrations.AddField(
                model_name='sheetphoto',
                name='club',
                field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club'),
            ),
            migrations.CreateModel(
                name='Player',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('player_id', models.CharField(max_length=40)),
                    ('name', models.CharField(max_length=120)),
                    ('joined', models.DateField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='players', to='tournaments.club')),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='club_players', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'player',
                    'verbose_name_plural': 'players',
                    'indexes': [
                        models.Index(fields=['club', 'name'], name='player_by_name'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('club', 'player_id'), name='player_id_is_unique_in_its_club'),
                        models.CheckConstraint(condition=models.Q(('player_id', ''), _negated=True), name='player_has_a_player_id'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='EntrantMember',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.event')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries_in_events', to='tournaments.player')),
                ],
                options={
                    'verbose_name': 'member of an entrant',
                    'verbose_name_plural': 'members of entrants',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'player'), name='player_belongs_to_one_entrant_in_an_event'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Playoff',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('key', models.TextField()),
                    ('state', models.CharField(choices=[('detected', 'Detected'), ('scheduled', 'Scheduled'), ('in_play', 'In Play'), ('decided', 'Decided'), ('by_lot', 'By Lot'), ('void', 'Void')], default='detected', max_length=9)),
                    ('boundaries', models.JSONField()),
                    ('cuts', models.JSONField()),
                    ('ahead', models.PositiveIntegerField()),
                    ('policy', models.CharField(max_length=16)),
                    ('rules', models.JSONField(default=dict)),
                    ('seed', models.CharField(max_length=64)),
                    ('legs', models.JSONField(blank=True, default=list)),
                    ('standing', models.JSONField(blank=True, null=True)),
                    ('detected_at', models.DateTimeField()),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('result', models.JSONField(blank=True, null=True)),
                    ('asked', models.JSONField(blank=True, null=True)),
                    ('is_waived', models.BooleanField(default=False)),
                    ('reason', models.CharField(blank=True, max_length=500)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='playoffs', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'play-off',
                    'verbose_name_plural': 'play-offs',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='playoff_number_is_unique_in_its_event'),
                        models.UniqueConstraint(condition=models.Q(('state', 'void'), _negated=True), fields=('event', 'key'), name='tie_has_one_playoff'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['detected', 'scheduled', 'in_play', 'decided', 'by_lot', 'void'])), name='playoff_state_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='PlayoffMember',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('playoff', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='tournaments.playoff')),
                ],
                options={
                    'verbose_name': 'member of a play-off',
                    'verbose_name_plural': 'members of play-offs',
                    'constraints': [
                        models.UniqueConstraint(fields=('playoff', 'entrant'), name='entrant_is_once_in_a_playoff'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='PlayoffStep',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('kind', models.CharField(choices=[('hand', 'Hand'), ('gone', 'Gone'), ('heats', 'Heats'), ('extended', 'Extended'), ('lots', 'Lots')], max_length=8)),
                    ('facts', models.JSONField(blank=True, default=dict)),
                    ('at', models.DateTimeField()),
                    ('by', models.CharField(blank=True, max_length=12)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('hand', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='playoff_step', to='tournaments.hand')),
                    ('playoff', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='steps', to='tournaments.playoff')),
                ],
                options={
                    'verbose_name': 'play-off log step',
                    'verbose_name_plural': 'play-off log steps',
                    'constraints': [
                        models.UniqueConstraint(fields=('playoff', 'number'), name='playoff_step_number_is_unique'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['hand', 'gone', 'heats', 'extended', 'lots'])), name='playoff_step_kind_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='RatingChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('sequence', models.PositiveIntegerField()),
                    ('games', models.PositiveIntegerField()),
                    ('before', models.FloatField()),
                    ('before_spread', models.FloatField(blank=True, null=True)),
                    ('after', models.FloatField()),
                    ('after_spread', models.FloatField(blank=True, null=True)),
                    ('club', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('event', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.event')),
                    ('game', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.game')),
                ],
                options={
                    'verbose_name': 'rating change',
                    'verbose_name_plural': 'rating changes',
                    'indexes': [
                        models.Index(fields=['entrant', 'sequence'], name='ratings_of_a_member'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'sequence', 'entrant'), name='game_rates_a_member_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ReadBack',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('sheet', models.CharField(max_length=64)),
                    ('by_as', models.CharField(blank=True, max_length=120)),
                    ('at', models.DateTimeField()),
                    ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='read_backs', to='tournaments.game')),
                ],
                options={
                    'verbose_name': 'sheet check',
                    'verbose_name_plural': 'sheet checks',
                    'constraints': [
                        models.UniqueConstraint(fields=('game', 'sheet'), name='sheet_is_read_back_once_as_it_stands'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Replacement',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('state', models.CharField(max_length=8)),
                    ('hands', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='replacements', to='tournaments.importbatch')),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entry', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entry')),
                ],
                options={
                    'verbose_name': 'hand replaced by an import',
                    'verbose_name_plural': 'hands replaced by imports',
                },
            ),
            migrations.CreateModel(
                name='Reply',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('caller', models.CharField(max_length=40)),
                    ('key', models.CharField(max_length=128)),
                    ('fingerprint', models.CharField(max_length=64)),
                    ('started_at', models.DateTimeField(db_index=True)),
                    ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('headers', models.JSONField(default=dict)),
                    ('body', models.BinaryField(default=bytes)),
                ],
                options={
                    'verbose_name': 'stored reply',
                    'verbose_name_plural': 'stored replies',
                    'constraints': [models.UniqueConstraint(fields=('caller', 'key'), name='caller_uses_a_key_once')],
                },
            ),
            migrations.CreateModel(
                name='Round',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('draft', 'Draft'), ('posted', 'Posted'), ('playing', 'Playing'), ('closed', 'Closed')], default='draft', max_length=8)),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('batch', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.importbatch')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='tournaments.event')),
                    ('meeting', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='tournaments.meeting')),
                ],
                options={
                    'verbose_name': 'round',
                    'verbose_name_plural': 'rounds',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='round_number_is_unique_in_its_event'),
                        models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='round_numbers_start_at_one'),
                        models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'posted', 'playing', 'closed'])), name='round_state_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Season',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60)),
                    ('name', models.CharField(max_length=120)),
                    ('starts_on', models.DateField()),
                    ('ends_on', models.DateField()),
                    ('settings', models.JSONField(blank=True, default=dict)),
                    ('seed', models.CharField(blank=True, default='', max_length=32)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seasons', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'season',
                    'verbose_name_plural': 'seasons',
                    'constraints': [
                        models.UniqueConstraint(fields=('club', 'slug'), name='season_slug_is_unique_in_its_club'),
                        models.CheckConstraint(condition=models.Q(('ends_on__gte', models.F('starts_on'))), name='season_ends_after_it_starts'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Publication',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('audit_number', models.PositiveBigIntegerField(default=0)),
                    ('number', models.PositiveIntegerField()),
                    ('version', models.PositiveBigIntegerField()),
                    ('digest', models.CharField(max_length=71)),
                    ('etag', models.CharField(max_length=40)),
                    ('body', models.BinaryField()),
                    ('csv', models.BinaryField()),
                    ('published_at', models.DateTimeField()),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='publications', to='tournaments.event')),
                    ('ladder', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='ladder_publications', to='tournaments.event')),
                    ('season', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='publications', to='tournaments.season')),
                ],
                options={
                    'verbose_name': 'publication',
                    'verbose_name_plural': 'publications',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='publication_number_is_unique_in_its_event'),
                        models.UniqueConstraint(fields=('season', 'number'), name='publication_number_is_unique_in_its_season'),
                        models.UniqueConstraint(fields=('ladder', 'number'), name='publication_number_is_unique_in_its_ladder'),
                        models.CheckConstraint(condition=models.Q(models.Q(('event__isnull', False), ('ladder__isnull', True), ('season__isnull', True)), models.Q(('event__isnull', True), ('ladder__isnull', True), ('season__isnull', False)), models.Q(('event__isnull', True), ('ladder__isnull', False), ('season__isnull', True)), _connector='OR'), name='publication_is_of_one_event_season_or_ladder'),
                        models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='publication_numbers_start_at_one'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='event',
                name='season',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='events', to='tournaments.season'),
            ),
            migrations.CreateModel(
                name='Seat',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('side', models.CharField(blank=True, choices=[('NS', 'Ns'), ('EW', 'Ew')], default='', max_length=2)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'seat',
                    'verbose_name_plural': 'seats',
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='seat_numbers_start_at_one'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SeatScore',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('score', models.BigIntegerField()),
                    ('score_im', models.BigIntegerField(blank=True, null=True)),
                    ('total', models.BigIntegerField()),
                    ('total_im', models.BigIntegerField(blank=True, null=True)),
                    ('moons', models.PositiveSmallIntegerField(default=0)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entry', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seat_scores', to='tournaments.entry')),
                    ('seat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='tournaments.seat')),
                ],
                options={
                    'verbose_name': 'score of a seat',
                    'verbose_name_plural': 'scores of seats',
                    'constraints': [
                        models.UniqueConstraint(fields=('entry', 'seat'), name='seat_has_one_score_for_an_entry'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SecondTyping',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('typed', models.JSONField(blank=True, null=True)),
                    ('revision', models.PositiveIntegerField()),
                    ('agreed', models.BooleanField()),
                    ('key', models.CharField(blank=True, max_length=128, null=True)),
                    ('by_as', models.CharField(blank=True, max_length=120)),
                    ('at', models.DateTimeField()),
                    ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='second_typings', to='tournaments.game')),
                ],
                options={
                    'verbose_name': 'second entry',
                    'verbose_name_plural': 'second entries',
                    'indexes': [
                        models.Index(fields=['game', 'number'], name='second_typing_by_its_hand'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('game', 'number', 'key'), name='second_typing_is_kept_once_under_its_key'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Ruling',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('stands', models.CharField(choices=[('first', 'First'), ('second', 'Second')], max_length=6)),
                    ('revision', models.PositiveIntegerField()),
                    ('reason', models.CharField(max_length=500)),
                    ('by_as', models.CharField(blank=True, max_length=120)),
                    ('at', models.DateTimeField()),
                    ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rulings', to='tournaments.secondtyping')),
                ],
                options={
                    'verbose_name': 'choice between two entries',
                    'verbose_name_plural': 'choices between two entries',
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('stands__in', ('first', 'second'))), name='ruling_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SitOut',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.CharField(choices=[('bye', 'Bye'), ('late', 'Late'), ('left', 'Left'), ('rest', 'Rest')], default='bye', max_length=4)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sit_outs', to='tournaments.entrant')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sit_outs', to='tournaments.event')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sit_outs', to='tournaments.round')),
                ],
                options={
                    'verbose_name': 'sit-out',
                    'verbose_name_plural': 'sit-outs',
                    'constraints': [
                        models.UniqueConstraint(fields=('round', 'entrant'), name='entrant_sits_out_once_in_a_round'),
                        models.CheckConstraint(condition=models.Q(('reason__in', ['bye', 'late', 'left', 'rest'])), name='sit_out_reason_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Sitting',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('from_hand', models.PositiveSmallIntegerField(default=1)),
                    ('to_hand', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sittings', to='tournaments.player')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.round')),
                    ('seat', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='sittings', to='tournaments.seat')),
                    ('substitute_for', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.player')),
                ],
                options={
                    'verbose_name': 'player at a seat',
                    'verbose_name_plural': 'players at seats',
                    'constraints': [
                        models.UniqueConstraint(fields=('seat', 'from_hand'), name='seat_has_one_sitting_from_a_hand'),
                        models.UniqueConstraint(condition=models.Q(('to_hand__isnull', True)), fields=('round', 'player'), name='player_has_one_open_sitting_in_a_round'),
                        models.CheckConstraint(condition=models.Q(('to_hand__isnull', True), ('to_hand__gte', models.F('from_hand')), _connector='OR'), name='sitting_ends_after_it_begins'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Snapshot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('content_hash', models.CharField(max_length=64)),
                    ('variant', models.CharField(max_length=60)),
                    ('variant_name', models.CharField(max_length=120)),
                    ('options', models.JSONField(default=dict)),
                    ('rules', models.JSONField()),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'rules snapshot',
                    'verbose_name_plural': 'rules snapshots',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'content_hash'), name='snapshot_is_kept_once_in_its_event'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='round',
                name='snapshot',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='tournaments.snapshot'),
            ),
            migrations.AddField(
                model_name='game',
                name='snapshot',
                field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='games', to='tournaments.snapshot'),
            ),
            migrations.CreateModel(
                name='Stage',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('name', models.CharField(blank=True, max_length=120)),
                    ('kind', models.CharField(choices=[('individual', 'Individual'), ('whist', 'Whist'), ('pairs', 'Pairs'), ('teams', 'Teams'), ('swiss', 'Swiss'), ('knockout', 'Knockout'), ('open', 'Open'), ('playoff', 'Playoff')], default='open', max_length=10)),
                    ('cut', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('cut_at', models.DateTimeField(blank=True, null=True)),
                    ('asked', models.JSONField(blank=True, null=True)),
                    ('kept', models.JSONField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stages', to='tournaments.event')),
                ],
                options={
                    'verbose_name': 'stage',
                    'verbose_name_plural': 'stages',
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'number'), name='stage_number_is_unique_in_its_event'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['individual', 'whist', 'pairs', 'teams', 'swiss', 'knockout', 'open', 'playoff'])), name='stage_kind_is_known'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='round',
                name='stage',
                field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='tournaments.stage'),
            ),
            migrations.AddField(
                model_name='playoff',
                name='stage',
                field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='playoff', to='tournaments.stage'),
            ),
            migrations.CreateModel(
                name='StageEntrant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entrant')),
                    ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='tournaments.stage')),
                ],
                options={
                    'verbose_name': 'entrant of a stage',
                    'verbose_name_plural': 'entrants of stages',
                    'constraints': [
                        models.UniqueConstraint(fields=('stage', 'entrant'), name='entrant_is_once_in_a_stage'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Table',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('code', models.CharField(max_length=24)),
                    ('batch', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.importbatch')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='tournaments.event')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='tournaments.round')),
                ],
                options={
                    'verbose_name': 'table',
                    'verbose_name_plural': 'tables',
                    'constraints': [
                        models.UniqueConstraint(fields=('round', 'number'), name='table_number_is_unique_in_its_round'),
                        models.UniqueConstraint(fields=('event', 'code'), name='table_code_is_unique_in_its_event'),
                        models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='table_numbers_start_at_one'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='sheetphoto',
                name='table',
                field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='photos', to='tournaments.table'),
            ),
            migrations.AddField(
                model_name='seat',
                name='table',
                field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='tournaments.table'),
            ),
            migrations.AddField(
                model_name='game',
                name='table',
                field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='game', to='tournaments.table'),
            ),
            migrations.CreateModel(
                name='TableLink',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('seed', models.CharField(max_length=43)),
                    ('token_digest', models.CharField(max_length=64)),
                    ('code_digest', models.CharField(max_length=64)),
                    ('made_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('used_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='tournaments.table')),
                ],
                options={
                    'verbose_name': 'table link',
                    'verbose_name_plural': 'table links',
                    'constraints': [
                        models.UniqueConstraint(fields=('seed',), name='link_seed_is_unique'),
                        models.UniqueConstraint(fields=('token_digest',), name='link_token_is_unique'),
                        models.UniqueConstraint(fields=('code_digest',), name='link_code_is_unique'),
                        models.UniqueConstraint(condition=models.Q(('revoked_at__isnull', True)), fields=('table',), name='table_has_one_link_that_is_not_revoked'),
                        models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('made_at'))), name='link_expires_after_it_is_made'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='entry',
                name='link',
                field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.tablelink'),
            ),
            migrations.CreateModel(
                name='Token',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('digest', models.CharField(max_length=64)),
                    ('scope', models.CharField(choices=[('read', 'Read'), ('enter', 'Enter'), ('manage', 'Manage')], max_length=6)),
                    ('made_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('club', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='tournaments.club')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'access token',
                    'verbose_name_plural': 'access tokens',
                    'constraints': [
                        models.UniqueConstraint(fields=('digest',), name='token_digest_is_unique'),
                        models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'enter', 'manage'])), name='token_scope_is_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='UndoneHand',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('round', models.PositiveIntegerField()),
                    ('table', models.PositiveIntegerField()),
                    ('day', models.DateField(blank=True, null=True)),
                    ('number', models.PositiveIntegerField()),
                    ('hands', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('state', models.CharField(max_length=8)),
                    ('players', models.JSONField(default=list)),
                    ('revisions', models.JSONField(default=list)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='undone_hands', to='tournaments.importbatch')),
                    ('club', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.snapshot')),
                ],
                options={
                    'verbose_name': 'undone hand of an import',
                    'verbose_name_plural': 'undone hands of imports',
                },
            ),
            migrations.CreateModel(
                name='Upload',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('content', models.BinaryField()),
                    ('holds', models.CharField(choices=[('hands', 'Hands'), ('totals', 'Totals')], db_default='hands', default='hands', max_length=6)),
                    ('variant', models.CharField(blank=True, max_length=120)),
                    ('day', models.DateField(blank=True, null=True)),
                    ('heads', models.JSONField(default=list)),
                    ('sample', models.JSONField(default=list)),
                    ('plan', models.JSONField(blank=True, null=True)),
                    ('given', models.JSONField(default=dict)),
                    ('added', models.JSONField(default=list)),
                    ('mends', models.JSONField(default=dict)),
                    ('rows_done', models.PositiveIntegerField(default=0)),
                    ('rows_total', models.PositiveIntegerField(default=0)),
                    ('error', models.TextField(blank=True)),
                    ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='upload', to='tournaments.importbatch')),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                    ('column_map', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.columnmap')),
                ],
                options={
                    'verbose_name': 'uploaded file',
                    'verbose_name_plural': 'uploaded files',
                },
            ),
            migrations.CreateModel(
                name='AuditLine',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveBigIntegerField()),
                    ('at', models.DateTimeField()),
                    ('actor', models.CharField(max_length=80)),
                    ('act', models.CharField(max_length=60)),
                    ('subject', models.CharField(max_length=160)),
                    ('facts', models.JSONField(default=dict)),
                    ('digest', models.CharField(max_length=64)),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='audit_lines', to='tournaments.club')),
                ],
                options={
                    'verbose_name': 'audit line',
                    'verbose_name_plural': 'audit lines',
                    'constraints': [models.UniqueConstraint(fields=('club', 'number'), name='audit_number_is_unique_in_its_club')],
                },
            ),
            migrations.AddConstraint(
                model_name='sheetphoto',
                constraint=models.UniqueConstraint(fields=('table', 'number'), name='photo_number_is_unique_at_its_table'),
            ),
            migrations.AddConstraint(
                model_name='seat',
                constraint=models.UniqueConstraint(fields=('table', 'number'), name='seat_number_is_unique_at_its_table'),
            ),
            migrations.AddIndex(
                model_name='game',
                index=models.Index(fields=['event', 'snapshot', 'hands_counted'], name='hands_of_an_event_by_rules'),
            ),
            migrations.AddIndex(
                model_name='entry',
                index=models.Index(condition=models.Q(('link__isnull', False)), fields=['link'], name='entry_by_its_link'),
            ),
            migrations.AddConstraint(
                model_name='entry',
                constraint=models.UniqueConstraint(fields=('hand', 'revision'), name='revision_is_unique_in_its_hand'),
            ),
            migrations.AddConstraint(
                model_name='entry',
                constraint=models.UniqueConstraint(fields=('hand', 'key'), name='idempotency_key_is_unique_in_its_hand'),
            ),
            migrations.AddConstraint(
                model_name='entry',
                constraint=models.CheckConstraint(condition=models.Q(('source__in', ['host', 'link', 'api', 'import'])), name='entry_source_is_known'),
            ),
        ]),
        migrations.RunPython(compress_with_lz4, migrations.RunPython.noop),
    ]

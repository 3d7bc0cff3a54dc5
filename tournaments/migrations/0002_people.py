"""People: invitations, claims, merges, erasures, notices; names that the public reads."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns
from tournaments.migrations._create_tables import CreateTables
from tournaments.random_uuid import RandomUUID

CONTRACTS = {
    "player.account_is_one_player_of_a_club": "0.2.0 stores no account of a player",
}


def fill_new_columns(apps, schema_editor):
    """Show every name in full, as before."""
    players = apps.get_model("tournaments", "Player")
    players.objects.filter(name="").update(public_name=models.F("player_id"))
    players.objects.exclude(name="").update(public_name=models.F("name"))


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='ClubLogo',
                fields=[
                    ('club', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='logo', serialize=False, to='tournaments.club')),
                    ('png', models.BinaryField()),
                ],
                options={
                    'verbose_name': 'logo of a club',
                    'verbose_name_plural': 'logos of clubs',
                },
            ),
            migrations.CreateModel(
                name='Erasure',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ('asked_at', models.DateTimeField()),
                    ('erased_at', models.DateTimeField(blank=True, null=True)),
                    ('declined_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'erasure of a person',
                    'verbose_name_plural': 'erasures of persons',
                },
            ),
            migrations.CreateModel(
                name='FormerSlug',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60)),
                    ('changed_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name': 'former address of a club',
                    'verbose_name_plural': 'former addresses of clubs',
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ('role', models.CharField(choices=[('player', 'Player'), ('host', 'Host'), ('director', 'Director'), ('owner', 'Owner')], max_length=10)),
                    ('name', models.CharField(blank=True, default='', max_length=120)),
                    ('email', models.EmailField(blank=True, default='', max_length=254)),
                    ('seed', models.CharField(max_length=43)),
                    ('token_digest', models.CharField(max_length=64)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('opened_at', models.DateTimeField(blank=True, null=True)),
                    ('accepted_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'invitation',
                    'verbose_name_plural': 'invitations',
                },
            ),
            migrations.CreateModel(
                name='Notice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ('kind', models.CharField(max_length=40)),
                    ('key', models.CharField(max_length=120)),
                    ('facts', models.JSONField()),
                    ('path', models.CharField(blank=True, default='', max_length=500)),
                    ('created_at', models.DateTimeField()),
                    ('read_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'notice',
                    'verbose_name_plural': 'notices',
                },
            ),
            migrations.CreateModel(
                name='NotificationChoice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=40)),
                    ('by_mail', models.BooleanField()),
                    ('as_notice', models.BooleanField()),
                ],
                options={
                    'verbose_name': 'notification choice',
                    'verbose_name_plural': 'notification choices',
                },
            ),
            migrations.CreateModel(
                name='PlayerClaim',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ('state', models.CharField(choices=[('pending', 'Pending'), ('confirmed', 'Confirmed'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')], default='pending', max_length=9)),
                    ('created_at', models.DateTimeField()),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'claim of a player',
                    'verbose_name_plural': 'claims of players',
                },
            ),
            migrations.CreateModel(
                name='PlayerMerge',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ('moved', models.JSONField()),
                    ('audit_number', models.PositiveBigIntegerField(default=0)),
                    ('merged_at', models.DateTimeField()),
                    ('undone_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'merge of two players',
                    'verbose_name_plural': 'merges of players',
                },
            ),
            migrations.CreateModel(
                name='SetupLink',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('token_digest', models.CharField(max_length=64)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('used_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'set-up link',
                    'verbose_name_plural': 'set-up links',
                },
            ),
            migrations.AddField(
                model_name='erasure',
                name='asked_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='erasure',
                name='club',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='erasures', to='tournaments.club'),
            ),
            migrations.AddField(
                model_name='erasure',
                name='decided_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='erasure',
                name='player',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='erasures', to='tournaments.player'),
            ),
            migrations.AddField(
                model_name='formerslug',
                name='club',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='former_slugs', to='tournaments.club'),
            ),
            migrations.AddField(
                model_name='invitation',
                name='accepted_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='invitation',
                name='club',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='tournaments.club'),
            ),
            migrations.AddField(
                model_name='invitation',
                name='created_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='invitation',
                name='player',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='invitations', to='tournaments.player'),
            ),
            migrations.AddField(
                model_name='notice',
                name='club',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club'),
            ),
            migrations.AddField(
                model_name='notice',
                name='user',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='notificationchoice',
                name='club',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club'),
            ),
            migrations.AddField(
                model_name='notificationchoice',
                name='user',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notification_choices', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='playerclaim',
                name='club',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='tournaments.club'),
            ),
            migrations.AddField(
                model_name='playerclaim',
                name='decided_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='playerclaim',
                name='player',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='tournaments.player'),
            ),
            migrations.AddField(
                model_name='playerclaim',
                name='user',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='playermerge',
                name='club',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merges', to='tournaments.club'),
            ),
            migrations.AddField(
                model_name='playermerge',
                name='merged_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='playermerge',
                name='source',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merges', to='tournaments.player'),
            ),
            migrations.AddField(
                model_name='playermerge',
                name='target',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.player'),
            ),
            migrations.AddField(
                model_name='playermerge',
                name='undone_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddConstraint(
                model_name='setuplink',
                constraint=models.UniqueConstraint(fields=('token_digest',), name='setup_token_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='erasure',
                constraint=models.UniqueConstraint(fields=('public_id',), name='erasure_id_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='erasure',
                constraint=models.UniqueConstraint(condition=models.Q(('declined_at__isnull', True), ('erased_at__isnull', True)), fields=('player',), name='player_has_one_pending_erasure'),
            ),
            migrations.AddConstraint(
                model_name='formerslug',
                constraint=models.UniqueConstraint(fields=('slug',), name='former_slug_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='invitation',
                constraint=models.UniqueConstraint(fields=('public_id',), name='invitation_id_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='invitation',
                constraint=models.UniqueConstraint(fields=('seed',), name='invitation_seed_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='invitation',
                constraint=models.UniqueConstraint(fields=('token_digest',), name='invitation_token_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='invitation',
                constraint=models.UniqueConstraint(condition=models.Q(('accepted_at__isnull', True), ('revoked_at__isnull', True)), fields=('player',), name='player_has_one_pending_invitation'),
            ),
            migrations.AddConstraint(
                model_name='invitation',
                constraint=models.CheckConstraint(condition=models.Q(('role__in', ['player', 'host', 'director', 'owner'])), name='invited_role_is_known'),
            ),
            migrations.AddConstraint(
                model_name='invitation',
                constraint=models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='invitation_expires_after_it_is_made'),
            ),
            migrations.AddConstraint(
                model_name='invitation',
                constraint=models.CheckConstraint(condition=models.Q(('accepted_at__isnull', True), ('revoked_at__isnull', True), _connector='OR'), name='invitation_is_accepted_or_revoked'),
            ),
            migrations.AddIndex(
                model_name='notice',
                index=models.Index(condition=models.Q(('read_at__isnull', True)), fields=['user', 'created_at'], name='notices_not_read'),
            ),
            migrations.AddConstraint(
                model_name='notice',
                constraint=models.UniqueConstraint(fields=('public_id',), name='notice_id_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='notice',
                constraint=models.UniqueConstraint(fields=('user', 'kind', 'key'), name='notice_is_written_once'),
            ),
            migrations.AddConstraint(
                model_name='notificationchoice',
                constraint=models.UniqueConstraint(fields=('club', 'user', 'kind'), name='account_chooses_once_for_a_kind_in_a_club'),
            ),
            migrations.AddConstraint(
                model_name='playerclaim',
                constraint=models.UniqueConstraint(fields=('public_id',), name='claim_id_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='playerclaim',
                constraint=models.UniqueConstraint(condition=models.Q(('state', 'pending')), fields=('club', 'user'), name='account_has_one_pending_claim_in_a_club'),
            ),
            migrations.AddConstraint(
                model_name='playerclaim',
                constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'confirmed', 'rejected', 'withdrawn'])), name='claim_state_is_known'),
            ),
            migrations.AddConstraint(
                model_name='playermerge',
                constraint=models.UniqueConstraint(fields=('public_id',), name='merge_id_is_unique'),
            ),
            migrations.AddConstraint(
                model_name='playermerge',
                constraint=models.UniqueConstraint(condition=models.Q(('undone_at__isnull', True)), fields=('source',), name='player_is_merged_once'),
            ),
            migrations.AddConstraint(
                model_name='playermerge',
                constraint=models.CheckConstraint(condition=models.Q(('source', models.F('target')), _negated=True), name='merge_is_of_two_players'),
            ),
        ]),
        migrations.RemoveIndex(
            model_name='outbox',
            name='outbox_still_to_send',
        ),
        AddColumns([
            migrations.AddField(
                model_name='club',
                name='colour',
                field=models.CharField(blank=True, db_default='', default='', max_length=7),
            ),
            migrations.AddField(
                model_name='club',
                name='delete_after',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='club',
                name='event_creators',
                field=models.CharField(choices=[('directors', 'Directors'), ('owners', 'Owners')], db_default='directors', default='directors', max_length=9),
            ),
            migrations.AddField(
                model_name='club',
                name='exported_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='club',
                name='logo_digest',
                field=models.CharField(blank=True, db_default='', default='', max_length=64),
            ),
            migrations.AddField(
                model_name='club',
                name='names_policy',
                field=models.CharField(choices=[('full', 'Full'), ('initial', 'Initial'), ('nickname', 'Nickname'), ('number', 'Number')], db_default='full', default='full', max_length=8),
            ),
            migrations.AddField(
                model_name='club',
                name='names_version',
                field=models.PositiveBigIntegerField(db_default=0, default=0),
            ),
            migrations.AddField(
                model_name='club',
                name='requires_second_factor',
                field=models.BooleanField(db_default=False, default=False),
            ),
            migrations.AddField(
                model_name='event',
                name='archived_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='membership',
                name='joined_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='outbox',
                name='about',
                field=models.CharField(blank=True, db_default='', default='', max_length=80),
            ),
            migrations.AddField(
                model_name='outbox',
                name='claimed_until',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='outbox',
                name='key',
                field=models.CharField(blank=True, db_default='', default='', max_length=120),
            ),
            migrations.AddField(
                model_name='outbox',
                name='parked',
                field=models.BooleanField(db_default=False, default=False),
            ),
            migrations.AddField(
                model_name='outbox',
                name='took_ms',
                field=models.PositiveIntegerField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='player',
                name='erased_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='player',
                name='is_active',
                field=models.BooleanField(db_default=True, default=True),
            ),
            migrations.AddField(
                model_name='player',
                name='nickname',
                field=models.CharField(blank=True, db_default='', default='', max_length=60),
            ),
            migrations.AddField(
                model_name='player',
                name='public_name',
                field=models.CharField(db_default='…', max_length=120),
            ),
            migrations.AddField(
                model_name='player',
                name='shown_as',
                field=models.CharField(blank=True, choices=[('full', 'Full'), ('initial', 'Initial'), ('nickname', 'Nickname'), ('number', 'Number')], db_default='', default='', max_length=8),
            ),
            migrations.AddField(
                model_name='publication',
                name='is_redacted',
                field=models.BooleanField(db_default=False, default=False),
            ),
            migrations.AddField(
                model_name='publication',
                name='names_version',
                field=models.PositiveBigIntegerField(db_default=0, default=0),
            ),
            migrations.AddField(
                model_name='token',
                name='name',
                field=models.CharField(blank=True, db_default='', default='', max_length=60),
            ),
            migrations.AddField(
                model_name='token',
                name='used_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
        ]),
        migrations.AddField(
            model_name='outbox',
            name='user',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='player',
            name='merged_into',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='merged_players', to='tournaments.player'),
        ),
        migrations.AddField(
            model_name='membership',
            name='public_id',
            field=models.UUIDField(db_default=RandomUUID(), default=uuid.uuid4, editable=False),
        ),
        migrations.AddField(
            model_name='token',
            name='public_id',
            field=models.UUIDField(db_default=RandomUUID(), default=uuid.uuid4, editable=False),
        ),
        migrations.AlterField(
            model_name='outbox',
            name='club',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club'),
        ),
        migrations.AddIndex(
            model_name='outbox',
            index=models.Index(condition=models.Q(('parked', False), ('sent_at__isnull', True)), fields=['due_at'], name='outbox_still_to_send'),
        ),
        migrations.AddIndex(
            model_name='outbox',
            index=models.Index(fields=['about'], name='outbox_by_subject'),
        ),
        migrations.RunPython(fill_new_columns, migrations.RunPython.noop, elidable=False),
        migrations.AddConstraint(
            model_name='club',
            constraint=models.CheckConstraint(condition=models.Q(('names_policy__in', ['full', 'initial', 'nickname', 'number'])), name='names_policy_of_a_club_is_known'),
        ),
        migrations.AddConstraint(
            model_name='club',
            constraint=models.CheckConstraint(condition=models.Q(('event_creators__in', ['directors', 'owners'])), name='event_creators_of_a_club_are_known'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('public_id',), name='membership_id_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='outbox',
            constraint=models.UniqueConstraint(condition=models.Q(('key', ''), _negated=True), fields=('kind', 'key', 'user'), name='message_is_written_once'),
        ),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.UniqueConstraint(fields=('club', 'user'), name='account_is_one_player_of_a_club'),
        ),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.CheckConstraint(condition=models.Q(('public_name', ''), _negated=True), name='player_has_a_public_name'),
        ),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.CheckConstraint(condition=models.Q(('shown_as', ''), ('shown_as__in', ['full', 'initial', 'nickname', 'number']), _connector='OR'), name='names_policy_of_a_player_is_known'),
        ),
        migrations.AddConstraint(
            model_name='token',
            constraint=models.UniqueConstraint(fields=('public_id',), name='token_id_is_unique'),
        ),
    ]

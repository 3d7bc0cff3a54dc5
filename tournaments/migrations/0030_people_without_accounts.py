import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns
from tournaments.migrations._create_tables import CreateTables


def _key():
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')


def _to(model, related_name='+'):
    return models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name=related_name, to=model)


def _emptied(model):
    return models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=model)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0029_games_of_several_challenges'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddColumns([
            migrations.AddField(
                model_name='player',
                name='fills_in',
                field=models.BooleanField(db_default=False, default=False),
            ),
        ]),
        migrations.AddField(
            model_name='outbox',
            name='player',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.player'),
        ),
        migrations.AddConstraint(
            model_name='outbox',
            constraint=models.UniqueConstraint(condition=models.Q(models.Q(('key', ''), _negated=True), ('player__isnull', False)), fields=('kind', 'key', 'player'), name='message_to_a_player_is_written_once'),
        ),
        CreateTables([
            migrations.CreateModel(
                name='Contact',
                fields=[
                    ('id', _key()),
                    ('email', models.EmailField(blank=True, default='', max_length=254)),
                    ('consent_at', models.DateTimeField(blank=True, null=True)),
                    ('consent_as', models.CharField(blank=True, default='', max_length=120)),
                    ('new_email', models.EmailField(blank=True, default='', max_length=254)),
                    ('stopped', models.JSONField(default=list)),
                    ('refusals', models.PositiveSmallIntegerField(default=0)),
                    ('refusal', models.CharField(blank=True, default='', max_length=200)),
                    ('club', _to('tournaments.club')),
                    ('consent_by', _emptied(settings.AUTH_USER_MODEL)),
                    ('player', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='contact', to='tournaments.player')),
                ],
                options={'verbose_name': 'contact of a player', 'verbose_name_plural': 'contacts of players'},
            ),
            migrations.CreateModel(
                name='PersonalLink',
                fields=[
                    ('id', _key()),
                    ('seed', models.CharField(max_length=43)),
                    ('token_digest', models.CharField(max_length=64)),
                    ('made_at', models.DateTimeField()),
                    ('used_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('club', _to('tournaments.club')),
                    ('made_by', _emptied(settings.AUTH_USER_MODEL)),
                    ('player', _to('tournaments.player', 'personal_links')),
                ],
                options={
                    'verbose_name': 'personal link',
                    'verbose_name_plural': 'personal links',
                    'constraints': [
                        models.UniqueConstraint(fields=('seed',), name='personal_link_seed_is_unique'),
                        models.UniqueConstraint(fields=('token_digest',), name='personal_link_token_is_unique'),
                        models.UniqueConstraint(condition=models.Q(('revoked_at__isnull', True)), fields=('player',), name='player_has_one_personal_link_that_is_not_revoked'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='FillInRequest',
                fields=[
                    ('id', _key()),
                    ('seed', models.CharField(max_length=43)),
                    ('token_digest', models.CharField(max_length=64)),
                    ('asked_at', models.DateTimeField()),
                    ('asked', models.JSONField(default=list)),
                    ('filled_at', models.DateTimeField(blank=True, null=True)),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('asked_by', _emptied(settings.AUTH_USER_MODEL)),
                    ('club', _to('tournaments.club')),
                    ('filled_by', _emptied('tournaments.player')),
                    ('meeting', _to('tournaments.meeting', 'fill_in_requests')),
                ],
                options={
                    'verbose_name': 'request for a fill-in',
                    'verbose_name_plural': 'requests for fill-ins',
                    'constraints': [
                        models.UniqueConstraint(fields=('seed',), name='fill_in_seed_is_unique'),
                        models.UniqueConstraint(fields=('token_digest',), name='fill_in_token_is_unique'),
                        models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True), ('filled_at__isnull', True)), fields=('meeting',), name='evening_has_one_open_fill_in_request'),
                    ],
                },
            ),
        ]),
    ]

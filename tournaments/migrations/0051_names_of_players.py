import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0050_result_winner'),
    ]

    operations = [
        migrations.AddField(
            model_name='upload',
            name='named',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.CreateModel(
            name='PlayerAlias',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('name', models.CharField(max_length=120)),
                ('folded', models.CharField(max_length=240)),
                ('is_confirmed', models.BooleanField()),
                ('newest', models.PositiveBigIntegerField()),
                ('made_as', models.CharField(max_length=20)),
                ('made_at', models.DateTimeField()),
                ('club', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                ('player', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='aliases', to='tournaments.player')),
            ],
            options={
                'verbose_name': 'other name of a player',
                'verbose_name_plural': 'other names of players',
                'constraints': [models.UniqueConstraint(fields=('public_id',), name='alias_id_is_unique'), models.UniqueConstraint(fields=('club', 'folded', 'is_confirmed'), name='alias_is_that_of_one_player'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('folded', ''), _negated=True)), name='alias_has_a_name')],
            },
        ),
    ]

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0032_fill_sort_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='OpeningValue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('first', models.PositiveIntegerField()),
                ('date', models.DateField()),
                ('value', models.BigIntegerField()),
                ('games', models.PositiveIntegerField(blank=True, null=True)),
                ('wins', models.PositiveIntegerField(blank=True, null=True)),
                ('hands', models.PositiveIntegerField(blank=True, null=True)),
                ('penalty', models.BigIntegerField(default=0)),
                ('reason', models.CharField(max_length=500)),
                ('by_as', models.CharField(blank=True, max_length=120)),
                ('at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_reason', models.CharField(blank=True, max_length=500)),
                ('withdrawn_as', models.CharField(blank=True, max_length=120)),
                ('club', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                ('entrant', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='opening_values', to='tournaments.entrant')),
                ('event', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='opening_values', to='tournaments.event')),
            ],
            options={
                'verbose_name': 'value from before',
                'verbose_name_plural': 'values from before',
                'constraints': [models.UniqueConstraint(fields=('event', 'number'), name='opening_value_number_is_unique_in_its_event'), models.CheckConstraint(condition=models.Q(('penalty__gte', 0)), name='opening_value_penalty_is_not_negative'), models.CheckConstraint(condition=models.Q(('first__gte', 1), ('first__lte', models.F('number'))), name='opening_value_is_added_with_itself_or_an_earlier_one')],
            },
        ),
    ]

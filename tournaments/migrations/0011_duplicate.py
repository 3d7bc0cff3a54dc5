import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0010_matches'),
    ]

    operations = [
        migrations.CreateModel(
            name='Deal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('seed', 'Seed'), ('file', 'File')], max_length=4)),
                ('sealed', models.BinaryField()),
                ('secret', models.TextField(blank=True, db_default='', default='')),
                ('commitment', models.CharField(max_length=64)),
                ('made_at', models.DateTimeField()),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deals', to='tournaments.event')),
            ],
            options={
                'verbose_name': 'deal',
                'verbose_name_plural': 'deals',
                'constraints': [models.CheckConstraint(condition=models.Q(('source__in', ['seed', 'file'])), name='deal_source_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Board',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('dealer', models.CharField(max_length=1)),
                ('round', models.PositiveIntegerField(blank=True, null=True)),
                ('hands', models.JSONField(blank=True, null=True)),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                ('deal', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='boards', to='tournaments.deal')),
                ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='boards', to='tournaments.event')),
            ],
            options={
                'verbose_name': 'board',
                'verbose_name_plural': 'boards',
                'constraints': [
                    models.UniqueConstraint(fields=('event', 'number'), name='board_number_is_unique_in_its_event'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='board_numbers_start_at_one'),
                ],
            },
        ),
        migrations.AddField(
            model_name='hand',
            name='board',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.board'),
        ),
    ]

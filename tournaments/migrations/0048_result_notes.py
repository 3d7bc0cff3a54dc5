import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0047_address_of_sent_mails'),
    ]

    operations = [
        migrations.CreateModel(
            name='ResultNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('about', models.CharField(max_length=40)),
                ('words', models.CharField(max_length=500)),
                ('state', models.CharField(choices=[('open', 'Open'), ('answered', 'Answered')], default='open', max_length=8)),
                ('at', models.DateTimeField()),
                ('answer', models.CharField(blank=True, default='', max_length=500)),
                ('answered_as', models.CharField(blank=True, default='', max_length=120)),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('club', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club')),
                ('event', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='result_notes', to='tournaments.event')),
                ('player', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='result_notes', to='tournaments.player')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['event'], name='result_notes_still_open')],
                'constraints': [models.UniqueConstraint(fields=('event', 'number'), name='result_note_number_is_unique_in_its_event'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'answered'])), name='result_note_state_is_known')],
            },
        ),
    ]

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0035_sheet_of_an_upload'),
    ]

    operations = [
        migrations.CreateModel(
            name='PublicationPack',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content', models.BinaryField()),
            ],
            options={
                'verbose_name': 'pack of publications',
                'verbose_name_plural': 'packs of publications',
            },
        ),
        migrations.AddField(
            model_name='publication',
            name='pack',
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name='publication',
            index=models.Index(condition=models.Q(('pack__isnull', True)), fields=['published_at'], name='publications_not_packed'),
        ),
        migrations.AddField(
            model_name='publicationpack',
            name='club',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.club'),
        ),
        migrations.AddField(
            model_name='publicationpack',
            name='event',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.event'),
        ),
        migrations.AddField(
            model_name='publicationpack',
            name='season',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.season'),
        ),
    ]

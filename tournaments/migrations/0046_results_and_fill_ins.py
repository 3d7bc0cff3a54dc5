from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0045_evenings_that_gather'),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='result_as',
            field=models.CharField(blank=True, db_default='', default='', max_length=12),
        ),
        migrations.AddField(
            model_name='fillinrequest',
            name='wanted',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0052_last_imports'),
    ]

    operations = [
        migrations.AddField(
            model_name='upload',
            name='reads_hidden',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='upload',
            name='hidden',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name='importproblem',
            name='places',
            field=models.JSONField(db_default=[], default=list),
        ),
    ]

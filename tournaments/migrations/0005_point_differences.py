from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0004_tokens'),
    ]

    operations = [
        migrations.AddField(
            model_name='aggregate',
            name='difference',
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='contribution',
            name='difference',
            field=models.BigIntegerField(default=0),
        ),
    ]

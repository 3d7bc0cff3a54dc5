# The production image. The package index is the builder's own: pass a pip.conf with
#   docker build --secret id=pip_conf,src=/path/to/pip.conf .
# or nothing for pip's default. Everything is checked against the hashes of requirements.txt.
FROM python:3.11.13-slim-bookworm

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STATIC_ROOT=/srv/static

WORKDIR /srv/blacklady
COPY requirements.txt .
RUN --mount=type=secret,id=pip_conf,target=/etc/pip.conf \
    pip install --no-cache-dir --require-hashes -r requirements.txt

COPY . .
# The key is for this one command only; it reads no data and signs nothing.
RUN SECRET_KEY=only-to-collect STATIC_COLLECTED=1 python manage.py collectstatic --noinput --verbosity 0 \
    && useradd --system --home-dir /srv/blacklady blacklady \
    && mkdir -p var && chown blacklady var

USER blacklady
EXPOSE 8000
CMD ["python", "manage.py", "web", "--host", "0.0.0.0", "--port", "8000", "--workers", "2"]

"""One settings file, configured by the environment.

Without any environment Concord runs embedded: SQLite and Celery's queue in ``var/``, served on
http://127.0.0.1:8000. A ``SITE_URL`` that starts with https makes it a production site: secure
cookies, HSTS, redirect to https, and a ``SECRET_KEY`` of its own are then demanded.
"""

import os
import re
import secrets
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from whitenoise.compress import Compressor

from config import languages

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("VAR_DIR", BASE_DIR / "var")).absolute()
VERSION = "0.1.0"


def _flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "1" if default else "0").strip().lower()
    if value not in {"0", "1", "true", "false", "yes", "no", ""}:
        raise ImproperlyConfigured(f"{name} is {value!r}; write 1 or 0.")
    return value in {"1", "true", "yes"}


def _secret_key() -> str:
    """From SECRET_KEY; embedded sites make one and keep it in var/."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    if SECURE_SITE:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. A site on https needs one of its own: "
            "python -c 'import secrets; print(secrets.token_urlsafe(64))'"
        )
    path = VAR_DIR / "secret_key"
    if not path.exists():
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"secret_key.{os.getpid()}")
        draft.write_text(secrets.token_urlsafe(64))
        draft.chmod(0o600)
        draft.replace(path)
    return path.read_text().strip()


def _listed(name: str) -> list[str]:
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def _count(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip() or str(default)
    if not value.isdigit():
        raise ImproperlyConfigured(f"{name} is {value!r}; write a whole number, 0 or more.")
    return int(value)


def _price(name: str) -> Decimal | None:
    value = os.environ.get(name, "").strip()
    if not value:
        return None
    try:
        price = Decimal(value)
    except InvalidOperation as error:
        raise ImproperlyConfigured(f"{name} is {value!r}; write a number like 0.15.") from error
    if not (price.is_finite() and price >= 0):
        raise ImproperlyConfigured(f"{name} is {value!r}; write a number, 0 or more.")
    return price


def _one_of(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = os.environ.get(name, default).strip().upper()
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; write one of {', '.join(allowed)}.")
    return value


def _database() -> dict:
    """PostgreSQL by DATABASE_URL; without it, SQLite in var/. The claim of a unit needs RETURNING
    and partial unique indexes, which not every database has."""
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{VAR_DIR / 'concord.sqlite3'}"
    if url.partition("://")[0] not in {"postgres", "postgresql", "sqlite"}:
        raise ImproperlyConfigured(
            "DATABASE_URL names no database that is known here; "
            "write it like postgres://user:password@host/name"
        )
    try:
        return dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)
    except dj_database_url.ParseError as error:
        raise ImproperlyConfigured(
            "DATABASE_URL cannot be read; write it like postgres://user:password@host/name, "
            "with special characters of the password percent-encoded"
        ) from error


SITE_URL = os.environ.get("SITE_URL", "http://127.0.0.1:8000").rstrip("/")
_site = urlsplit(SITE_URL)
if (
    _site.scheme not in {"http", "https"}
    or not re.fullmatch(r"(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?", _site.netloc, re.ASCII | re.I)
    or f"{_site.scheme}://{_site.netloc}" != SITE_URL
):
    raise ImproperlyConfigured(
        f"SITE_URL is {SITE_URL!r}; write it like https://concord.example.org, without a path"
    )
SECURE_SITE = _site.scheme == "https"

DEBUG = _flag("DEBUG")
SECRET_KEY = _secret_key()
ALLOWED_HOSTS = [
    _site.hostname,
    *(["127.0.0.1", "localhost", "[::1]"] if not SECURE_SITE else []),
    *_listed("ALLOWED_HOSTS"),
]
CSRF_TRUSTED_ORIGINS = [f"{_site.scheme}://{_site.netloc}"]

INSTALLED_APPS = [
    "accounts",
    "studies",
    "annotation",
    "scoring",
    "demo",
    "api",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "config.static_files.UsedStaticFiles",
    "csp",
    "django_htmx",
    # rest_framework itself is not here: its browsable pages and their files are not used.
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.GZipPages",
    "config.middleware.ContentPolicy",
    "config.middleware.NoNul",
    "config.middleware.Sessions",
    "config.middleware.BoothLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.middleware.SignedIn",
    "config.middleware.Notices",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# ---- data

DATABASES = {"default": _database()}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    DATABASES["default"]["ENGINE"] = "config.sqlite3"
    # IMMEDIATE and a long timeout: writers queue instead of failing with "database is locked".
    # FULL: an answer that was acknowledged survives a power cut.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "admin:login"

MEDIA_ROOT = Path(os.environ.get("MEDIA_ROOT", VAR_DIR / "media")).absolute()
MEDIA_URL = "/no-direct-media/"  # media go out through studies.views_media, by opaque address
FILE_UPLOAD_TEMP_DIR = None
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 5000
# Image-text models of the metrics: a directory, or an id on the hub and its revision. Nothing is
# fetched from the hub unless MODEL_DOWNLOADS says so.
IMAGE_TEXT_MODELS = {
    "clip": os.environ.get("CLIP_MODEL", "openai/clip-vit-large-patch14"),
    "pickscore": os.environ.get("PICKSCORE_MODEL", "yuvalkirstain/PickScore_v1"),
    "cure": os.environ.get("CURE_MODEL", "google/siglip2-so400m-patch14-384"),
    "caire": os.environ.get("CAIRE_MODEL", "google/siglip-so400m-patch16-256-i18n"),
}
IMAGE_TEXT_REVISIONS = {
    "clip": os.environ.get("CLIP_REVISION", "main"),
    "pickscore": os.environ.get("PICKSCORE_REVISION", "main"),
    "cure": os.environ.get("CURE_REVISION", "main"),
    "caire": os.environ.get("CAIRE_REVISION", "main"),
}
CAIRE_KB = os.environ.get("CAIRE_KB", "").strip()  # the folder that build_kb made
# ImageReward, where its own package is installed: its checkpoint and med_config.json.
IMAGEREWARD_MODEL = os.environ.get("IMAGEREWARD_MODEL", "").strip()
IMAGEREWARD_CONFIG = os.environ.get("IMAGEREWARD_CONFIG", "").strip()
MODEL_DEVICE = os.environ.get("MODEL_DEVICE", "cpu")
MODEL_DOWNLOADS = _flag("MODEL_DOWNLOADS")
# Whether addresses in an imported table may lead into a private network.
IMPORT_FROM_PRIVATE_ADDRESSES = _flag("IMPORT_FROM_PRIVATE_ADDRESSES")
# Called with study_id when a study under way has gained units.
STUDY_HAS_GROWN = "annotation.growth.open_places"

STATIC_URL = "/static/"
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT", VAR_DIR / "static")).absolute()
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "config.bundles.BundleFinder",
]
# Source maps are asked for by debuggers only: compressing them is most of a collectstatic.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# ---- language and time

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["config.formats"]  # dates where Django writes them by itself
LANGUAGES = languages.LANGUAGES
languages.introduce()
LOCALE_PATHS = [BASE_DIR / "locale"]

# ---- security

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = SECURE_SITE
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_SITE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE_SITE
SECURE_REFERRER_POLICY = "same-origin"
if _flag("BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# ---- API

# Per person and minute. Counted in each web process by itself: a brake, not an account.
API_RATES = {"requests": "600/min", "imports": "60/min"}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["api.permissions.MayUseStudies"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsers.BoundedJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["api.throttles.PerPerson"],
    "DEFAULT_PAGINATION_CLASS": "api.pages.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "api.problems.problem_response",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Concord",
    "VERSION": VERSION,
    "DESCRIPTION": (
        "Make studies, bring what is rated, launch. Sign in with `Authorization: Bearer <token>`; "
        "tokens are made under [API tokens](/account/tokens/). Refusals are problem documents "
        "(RFC 9457) whose `detail` says what to do."
    ),
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["api.permissions.MayUseStudies"],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "StudyState": "studies.models.Study.State",
        "ImportState": "studies.models.ImportUpload.State",
        "ImportKind": "studies.models.ImportUpload.Kind",
        "ItemKind": "studies.models.Item.Kind",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "persistAuthorization": False},
}

# ---- Prolific

PROLIFIC_API = (os.environ.get("PROLIFIC_API") or "https://api.prolific.com/api/v1").rstrip("/")
if not PROLIFIC_API.startswith(("https://", "http://127.0.0.1", "http://localhost")):
    # The token travels with every call.
    raise ImproperlyConfigured("PROLIFIC_API is no https address.")
PROLIFIC_TOKEN = os.environ.get("PROLIFIC_TOKEN", "").strip()
PROLIFIC_WEBHOOK_SECRETS = _listed("PROLIFIC_WEBHOOK_SECRET")  # one a workspace there
PROLIFIC_POLL_MINUTES = _count("PROLIFIC_POLL_MINUTES", 10)

# ---- chat models (docs/chat-models.md)

CHAT_BASE_URL = os.environ.get("CHAT_BASE_URL", "").strip()  # the one host that is contacted
CHAT_API_KEY = os.environ.get("CHAT_API_KEY", "").strip()
CHAT_JSON_SCHEMA = _flag("CHAT_JSON_SCHEMA", default=True)
CHAT_CONCURRENCY = max(_count("CHAT_CONCURRENCY", 4), 1)
CHAT_TIMEOUT = max(_count("CHAT_TIMEOUT", 120), 1)  # seconds
# A chat model on the worker's own machine: a directory, or an id on the hub.
CHAT_LOCAL_MODEL = os.environ.get("CHAT_LOCAL_MODEL", "").strip()
CHAT_LOCAL_REVISION = os.environ.get("CHAT_LOCAL_REVISION", "main").strip()
CHAT_PRICE_IN = _price("CHAT_PRICE_IN")  # a million tokens
CHAT_PRICE_OUT = _price("CHAT_PRICE_OUT")

# ---- queue

CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or "embedded://"
if "://" not in CELERY_BROKER_URL:
    raise ImproperlyConfigured("CELERY_BROKER_URL is no address; write it like redis://host/0")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
if CELERY_BROKER_URL.startswith("embedded"):
    QUEUE_DIR = VAR_DIR / "queue"
    (QUEUE_DIR / "control").mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR),
        "data_folder_out": str(QUEUE_DIR),
        "control_folder": str(QUEUE_DIR / "control"),
        "polling_interval": 0.3,
    }
else:
    # Above the longest step of a run, or Redis hands a message to a second worker.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 6 * 60 * 60}

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": _one_of("LOG_LEVEL", "WARNING", _LEVELS)},
    "loggers": {"concord": {"level": _one_of("LOG_LEVEL", "INFO", _LEVELS)}},
}

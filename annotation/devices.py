"""Whether somebody has come with a phone or a tablet, where a study needs a larger screen."""

import re

from django.http import HttpRequest

from studies.models import Study

# An iPad may call itself a Macintosh; it is then as large as it claims to be.
_HANDHELD = re.compile(
    r"iPhone|iPad|iPod|Android|Windows Phone|BlackBerry|Kindle|Silk/|Opera Mini"
    r"|\bMobile\b|\bTablet\b",
    re.IGNORECASE,
)


def is_handheld(request: HttpRequest) -> bool:
    """By what the browser says of itself: its hint if it sends one, else its name."""
    if request.headers.get("Sec-CH-UA-Mobile", "").strip() == "?1":
        return True
    return _HANDHELD.search(request.headers.get("User-Agent", "")) is not None


def screen_too_small(request: HttpRequest, devices: str) -> bool:
    """Whether this browser cannot take part by the study's rule on devices."""
    return devices == Study.Devices.COMPUTER and is_handheld(request)

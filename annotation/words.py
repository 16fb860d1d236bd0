"""Words that depend on what is rated: pictures, videos, sounds, or sets of them.

Whole sentences, one a medium, because languages bend the words around a noun. Those that every
screen says are looked up alone.
"""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext


def place_in_session(media: str, n: int, total: int) -> str:
    """The heading of a rating screen; ``media`` is image, video, audio or set."""
    sentence = {
        "image": gettext_noop("Picture %(n)d of %(total)d"),
        "video": gettext_noop("Video %(n)d of %(total)d"),
        "audio": gettext_noop("Sound %(n)d of %(total)d"),
        "set": gettext_noop("Set %(n)d of %(total)d"),
    }[media]
    return _(sentence) % {"n": n, "total": total}


def place_of_sent(media: str, n: int, total: int) -> str:
    """The heading of a screen that was sent and is looked at again."""
    sentence = {
        "image": _("Picture %(n)d of %(total)d, sent"),
        "video": _("Video %(n)d of %(total)d, sent"),
        "audio": _("Sound %(n)d of %(total)d, sent"),
        "set": _("Set %(n)d of %(total)d, sent"),
    }[media]
    return sentence % {"n": n, "total": total}


def to_be_rated(kind: str, name: int | str) -> str:
    """What a stimulus is called where it cannot be seen: describing it would be the answer."""
    sentence = {
        "image": gettext_noop("Picture %(name)s, to be rated"),
        "video": gettext_noop("Video %(name)s, to be rated"),
        "audio": gettext_noop("Sound %(name)s, to be rated"),
    }[kind]
    return _(sentence) % {"name": name}


def item_name(kind: str, letter: str = "") -> str:
    """An item of a set by the letter of its place on this screen; without one, alone."""
    if not letter:
        alone = {
            "image": gettext_noop("Picture"),
            "video": gettext_noop("Video"),
            "audio": gettext_noop("Sound"),
        }[kind]
        return _(alone)
    sentence = {
        "image": gettext_noop("Picture %(letter)s"),
        "video": gettext_noop("Video %(letter)s"),
        "audio": gettext_noop("Sound %(letter)s"),
    }[kind]
    return _(sentence) % {"letter": letter}


def rated(media: str, n: int) -> str:
    """The sentence of the end page."""
    sentence = {
        "image": ngettext(
            "You rated %(n)d picture. Thank you.", "You rated %(n)d pictures. Thank you.", n
        ),
        "video": ngettext(
            "You rated %(n)d video. Thank you.", "You rated %(n)d videos. Thank you.", n
        ),
        "audio": ngettext(
            "You rated %(n)d sound. Thank you.", "You rated %(n)d sounds. Thank you.", n
        ),
        "set": ngettext("You rated %(n)d set. Thank you.", "You rated %(n)d sets. Thank you.", n),
    }[media]
    return sentence % {"n": n}


def rated_so_far(media: str, n: int) -> str:
    """What somebody has sent who is about to stop."""
    sentence = {
        "image": ngettext(
            "You have rated %(n)d picture so far.", "You have rated %(n)d pictures so far.", n
        ),
        "video": ngettext(
            "You have rated %(n)d video so far.", "You have rated %(n)d videos so far.", n
        ),
        "audio": ngettext(
            "You have rated %(n)d sound so far.", "You have rated %(n)d sounds so far.", n
        ),
        "set": ngettext("You have rated %(n)d set so far.", "You have rated %(n)d sets so far.", n),
    }[media]
    return sentence % {"n": n}


def back_to_rating(media: str) -> str:
    return {
        "image": _("Go back to the pictures"),
        "video": _("Go back to the videos"),
        "audio": _("Go back to the sounds"),
        "set": _("Go back to the sets"),
    }[media]


def is_loading(media: str) -> str:
    sentence = {
        "image": gettext_noop("The picture is loading."),
        "video": gettext_noop("The video is loading."),
        "audio": gettext_noop("The sound is loading."),
        "set": gettext_noop("The set is loading."),
    }[media]
    return _(sentence)


def choose_among(kind: str) -> str:
    """A mark on something that is not on the screen."""
    return {
        "image": _("Choose among the pictures shown."),
        "video": _("Choose among the videos shown."),
        "audio": _("Choose among the sounds shown."),
    }[kind]


def choose_or_none(kind: str) -> str:
    return {
        "image": _("Choose the pictures, or “None of these”."),
        "video": _("Choose the videos, or “None of these”."),
        "audio": _("Choose the sounds, or “None of these”."),
    }[kind]


def none_and_some(kind: str) -> str:
    return {
        "image": _("Choose either pictures or “None of these”, not both."),
        "video": _("Choose either videos or “None of these”, not both."),
        "audio": _("Choose either sounds or “None of these”, not both."),
    }[kind]


def share_a_place(kind: str, n: int, place: int) -> str:
    """Several tiles on one place of a ranking."""
    if n == 2:
        sentence = {
            "image": _("Two pictures share place %(place)d."),
            "video": _("Two videos share place %(place)d."),
            "audio": _("Two sounds share place %(place)d."),
        }[kind]
    else:
        sentence = {
            "image": ngettext(
                "%(n)d picture shares place %(place)d.", "%(n)d pictures share place %(place)d.", n
            ),
            "video": ngettext(
                "%(n)d video shares place %(place)d.", "%(n)d videos share place %(place)d.", n
            ),
            "audio": ngettext(
                "%(n)d sound shares place %(place)d.", "%(n)d sounds share place %(place)d.", n
            ),
        }[kind]
    return sentence % {"n": n, "place": place}


def place_all(kind: str, left: str) -> str:
    """Tiles without a place; ``left`` are their letters."""
    sentence = {
        "image": _("Place every picture. Left: %(left)s."),
        "video": _("Place every video. Left: %(left)s."),
        "audio": _("Place every sound. Left: %(left)s."),
    }[kind]
    return sentence % {"left": left}


def listed(letters: Iterable[str]) -> str:
    """The letters of items, one after the other: "A, C"."""
    return pgettext("between letters in a list", ", ").join(letters)


def skip_reasons(kind: str, *, with_sound: bool) -> list[tuple[str, str]]:
    """What can be the problem with an item, as value and words. Value and order are for good."""
    moving = kind in {"video", "audio"}
    load = _("It does not load") if kind == "image" else _("It does not load or play")
    unwilling = {
        "image": _("I do not want to look at this"),
        "video": _("I do not want to watch this"),
        "audio": _("I do not want to listen to this"),
    }[kind]
    reasons = [
        ("not_loading", load, True),
        ("black", _("I see only black or grey"), kind != "audio"),
        ("stutter", _("It stops or stutters"), moving),
        ("no_sound", _("No sound"), moving and with_sound),
        ("unwilling", unwilling, True),
        ("other", _("Something else"), True),
    ]
    return [(value, words) for value, words, fits in reasons if fits]

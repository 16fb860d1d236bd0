"""Where the links and pictures of a document lead on the site."""

from __future__ import annotations

from django.urls import reverse

from guide.contents import document, picture, title_of


def link(address: str) -> str:
    """``runs.md#starting-one`` is that document's page; other sites and parts of the page stay.

    Empty where a document names a file that the site does not show.
    """
    if address.startswith(("#", "https://", "http://", "mailto:")):
        return address
    file, mark, anchor = address.partition("#")
    name = file.removesuffix(".md")
    if file == name or document(name) is None:
        return ""
    return f"{reverse('guide:page', args=[name])}{mark}{anchor}"


def titled(file: str) -> str:
    """The title of a document; a file that is none keeps its name."""
    path = document(file.removesuffix(".md"))
    return file if path is None else title_of(path)


def image(address: str) -> str:
    """``img/words.png`` is served by the site; empty for a picture that is not there."""
    name = address.removeprefix("img/")
    return "" if picture(name) is None else reverse("guide:picture", args=[name])

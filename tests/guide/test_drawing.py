"""Documents as HTML: safe under the site's policy, with anchors that links elsewhere know."""

from guide.drawing import anchor_of, draw


def html(text: str, link=lambda address: address, image=lambda address: address) -> str:
    return draw(text, link=link, image=image).html


def test_html_in_a_document_is_shown_and_not_run():
    drawn = html('<script>alert(1)</script>\n\nSee <b onclick="x()">this</b>.')
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn
    assert "<b" not in drawn


def test_addresses_that_would_run_are_no_links():
    assert "href" not in html("[here](javascript:alert(1))")
    assert "<img" not in html("![x](javascript:alert(1))")


def test_a_link_that_leads_nowhere_is_its_words():
    drawn = html("[the code](../config/settings.py)", link=lambda address: "")
    assert "the code" in drawn
    assert "href" not in drawn


def test_columns_that_are_aligned_carry_no_style():
    drawn = html("| what | n |\n| --- | --: |\n| a | 1 |\n")
    assert "style" not in drawn
    assert '<td class="number">1</td>' in drawn
    assert "<td>a</td>" in drawn
    assert drawn.startswith('<div class="table" tabindex="0"><table>')


def test_headings_have_the_anchors_that_code_hosts_give_them():
    drawn = draw("# All\n\n## What's `new`?\n\n## Same\n\n## Same\n", link=str, image=str)
    assert [(part.anchor, part.title) for part in drawn.sections] == [
        ("whats-new", "What's new?"),
        ("same", "Same"),
        ("same-1", "Same"),
    ]
    assert '<h2 id="same-1">Same</h2>' in drawn.html
    assert anchor_of("A table: items, or units") == "a-table-items-or-units"


def test_code_stays_as_it_is():
    assert "a &lt; b &amp;&amp; c" in html("```sh\na < b && c\n```")


def test_a_link_that_names_a_file_is_named_by_its_title():
    drawn = draw(
        "See [runs.md](runs.md) and [how they end](runs.md).",
        link=str,
        image=str,
        titled=lambda file: "Runs of metrics",
    )
    assert '<a href="runs.md">Runs of metrics</a>' in drawn.html
    assert '<a href="runs.md">how they end</a>' in drawn.html


def test_code_scrolls_by_keys():
    assert html("```sh\nls\n```").startswith('<pre tabindex="0"><code')

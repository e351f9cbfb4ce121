"""What surrounds a translated page's text: its words, its tooltips, and where its menu leads."""

from fairfl_book.site.page_frames import Frame
from fairfl_book.translation.sentences import using

WORDS = {"Search": "搜索", "Next": "下一页", "1. Boats & ferries": "1. 船与渡船", "Up": "向上"}
OWN = {"index.html", "01_boats.html"}


def framed(page, name="01_boats.html"):
    frame = Frame(WORDS, "zh", name, OWN)
    with using("zh"):
        return frame.of(page), frame


def test_words_and_tooltips_are_translated_outside_the_text():
    page = '<nav><a title="Next" href="#">\n Search </a></nav><article><p title="Next">Search</p></article>'
    made, frame = framed(page)
    assert made == '<nav><a title="下一页" href="#">\n 搜索 </a></nav><article><p title="下一页">Search</p></article>'
    assert frame.left == []


def test_what_has_no_translation_stays_and_is_reported():
    made, frame = framed('<p title="Left">Lost &copy; found</p><article title="Inside">Text</article>')
    assert made == '<p title="Left">Lost &copy; found</p><article title="Inside">Text</article>'
    assert frame.left == ["Left", "Lost © found", "Inside"]


def test_everything_else_is_kept_to_the_letter():
    page = """<!DOCTYPE html><!-- Search --><script>a < b && "<nav>Search";</script><svg viewBox="0 0 1 1"><title>Up</title>
<text>Search</text></svg><img alt='' src=a.png><br/>&lt;x&gt; <p CLASS=a>"""
    assert framed(page)[0] == page


def test_the_menu_leads_to_translated_pages_and_marks_english_ones():
    made, _ = framed(
        '<a class="x" href="../01_boats.html">1. Boats &amp; ferries</a><a href="../02_seas.html#s">2. Seas</a>'
        '<a href="../index.html#top">Up</a><a href="../01_boats.html" hreflang="en">English</a><a href="https://a.org/b.html">Up</a>'
    )
    assert made == (
        '<a aria-current="page" class="x" href="01_boats.html">1. 船与渡船</a><a hreflang="en" href="../02_seas.html#s">2. Seas</a>'
        '<a href="index.html#top">向上</a><a href="../01_boats.html" hreflang="en">English</a><a href="https://a.org/b.html">向上</a>'
    )


def test_companions_are_named_by_their_chapter():
    made, _ = framed('<a href="../more/02_seas_more.html">2. What is a sea? The companion</a>')
    assert made == '<a hreflang="en" href="../more/02_seas_more.html">第 2 章补篇</a>'

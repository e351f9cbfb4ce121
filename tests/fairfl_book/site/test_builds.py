"""The site builds from the stored outputs, every warning an error, with no network and without KaTeX."""

import re

import pytest

pytest.importorskip("myst_nb", reason="the site's packages are not installed (pip install -e '.[book]')")

import site_links
from fairfl_book import book_paths
from fairfl_book.exercises import solutions
from fairfl_book.site import build, how_to, languages, page_frames
from fairfl_book.translation.sentences import framed

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
BOOK = book_paths.find()
NAME = re.compile(r"API|English|(?:fairfl|reproductions)[\w.]*|\.\w+|[\W\d]+")  # words of no language


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build.build(BOOK, folder / "html", folder, folder / "nowhere")
    return folder / "html"


def test_every_chapter_is_a_page_and_the_front_page_lists_them_in_order(html):
    names = BOOK.executed()
    article = (html / "index.html").read_text(encoding="utf-8").partition('<section id="chapters"')[2]
    assert list(dict.fromkeys(re.findall(r'href="(\d\d_\w+)\.html"', article.partition("</section>")[0]))) == names
    assert all((html / f"{name}.html").exists() for name in names)


def test_links_lead_somewhere_and_pictures_have_words(html):
    unbuilt = re.compile(r"_static/vendor/(katex|minisearch)")  # fetched by make book, not needed to build
    assert [problem for problem in site_links.problems(html) if not unbuilt.search(problem)] == []


def test_nothing_is_fetched_from_a_network(html):
    assert list(site_links.outside(html)) == []


def test_solutions_are_folded_and_no_widget_is_dead(html):
    pages = {path.stem: path.read_text(encoding="utf-8") for path in html.glob("[0-9]*.html")}
    for name, page in pages.items():
        folded = page.count("<summary>One solution</summary>")
        assert folded == len(solutions.of_chapter(BOOK, name)) and page.count("<details") == page.count("</details>")
    assert '<details class="answer">\n<summary>One solution</summary>' in pages["04_mgda"]
    assert not any("jupyter.widget" in page for page in pages.values())
    assert 'class="lab-touch" id="lab-cell-' in pages["04_mgda"] and 'data-lab="Hull"' in pages["04_mgda"]


def test_the_pages_made_from_data_are_there(html):
    text = {
        name: (html / name).read_text(encoding="utf-8")
        for name in ("glossary.html", "notation.html", "bibliography.html", "api/fairfl.rules.html")
    }
    assert 'id="term-rate"' in text["glossary.html"] and '<span lang="zh">速率</span>' in text["glossary.html"]
    assert "McMahan" in text["bibliography.html"] and re.search(
        r'Chapters? <a [^>]*href="\d\d_\w+\.html" title="\d', text["bibliography.html"]
    )
    assert 'id="fairfl.rules.AdaFed"' in text["api/fairfl.rules.html"]
    assert re.search(r"katex\.min\.js", text["notation.html"])


def test_the_home_page_is_one_of_its_own(html):
    page = (html / "index.html").read_text(encoding="utf-8")
    chapter = (html / "04_mgda.html").read_text(encoding="utf-8")
    assert "bd-sidebar-secondary" in chapter and "bd-sidebar-secondary" not in page, "no contents beside the band"
    buttons = re.findall(r'<a class="[^"]*\bbutton\b[^"]*" href="([^"]+)"', page)
    assert [link.partition("#")[0] for link in buttons] == ["00_start_here.html", "playground.html", "install.html"]
    assert 'id="lab-front"' in page and page.count('<li data-chapter="') == len(BOOK.executed())
    assert page.count("The fairfl authors") == 1 and re.search(r'class="logo__image', page)


def test_mentions_of_formulas_lead_to_them(html):
    page = (html / "04_mgda.html").read_text(encoding="utf-8")
    assert 'href="#equation-8">(8)</a>' in page and page.count('id="equation-8"') == 1
    more = (html / "more" / "04_mgda_more.html").read_text(encoding="utf-8")
    assert 'href="#equation-c1">(C1)</a>' in more and re.search(r'href="\.\./04_mgda\.html#equation-\d', more)


def test_every_script_is_a_page_that_links_the_reference(html):
    scripts = how_to.scripts(BOOK.root)
    for script in scripts:
        page = (html / "how_to" / f"{script.name}.html").read_text(encoding="utf-8")
        linked = set(re.findall(r'href="\.\./api/[\w.]+\.html#([\w.]+)"', page))
        assert set(script.names) <= linked and script.names, script.name
    front = (html / "index.html").read_text(encoding="utf-8")
    assert 'href="how_to/index.html"' in front and 'href="api/index.html">API</a>' in " ".join(front.split())


def test_translated_chapters_say_their_language_and_link_both_ways(html):
    english, chinese = ((html / f"{at}00_start_here.html").read_text(encoding="utf-8") for at in ("", "zh/"))
    assert '<html lang="en"' in english and '<html lang="zh-CN"' in chinese
    assert 'href="zh/00_start_here.html" hreflang="zh-CN" lang="zh-CN">简体中文</a>' in english
    assert 'href="../00_start_here.html" hreflang="en" lang="en">English</a>' in chinese
    assert "<h1>0. 从这里开始" in chinese and "<summary>第 1 步提示，共 3 步</summary>" in chinese
    assert "无人付出代价：两个损失都下降。" in chinese, "the lab's words"
    assert "<title>0. 从这里开始 &#8212; 公平联邦学习</title>" in chinese
    assert re.search(r'href="#reference-\d" [^>]*>Wang et al., 2021</a>', chinese), "citations lead to their lines"


def test_the_chinese_cover_lists_every_chapter_by_its_chinese_title(html):
    cover = (html / "zh" / "index.html").read_text(encoding="utf-8").partition("<article")[2]
    rows = re.findall(r'<strong><a [^>]*href="(?:\.\./)?(\d\d_\w+)\.html"[^>]*>(?:<[^>]+>)*([^<]*)', cover)
    assert [name for name, _ in rows] == BOOK.executed()
    assert all(re.search("[\u4e00-\u9fff]", title) for _, title in rows)


def test_what_surrounds_a_chinese_page_is_in_chinese(html):
    """Except the titles of English pages below the chapters, such as those of the reference."""
    titles = languages.titles(html.parent / "source")["zh"]
    for page in (html / "zh").glob("*.html"):
        frame = page_frames.Frame(
            {**framed("zh"), **titles}, "zh", page.name, {one.name for one in page.parent.glob("*")}
        )
        frame.of(page.read_text(encoding="utf-8"))
        english = [words for words in dict.fromkeys(frame.left) if not re.search("[\u4e00-\u9fff]", words)]
        below = {script.question.removeprefix("How do I ").rstrip("?") for script in how_to.scripts(BOOK.root)}
        assert [one for one in english if one not in below and not NAME.fullmatch(one)] == [], page.name

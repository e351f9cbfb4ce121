"""The labs one can touch, on a page from disk without a network: every handle by mouse, by finger and by keyboard.

It needs no built site. $CHROMIUM names the browser; $FAIRFL_SCREENSHOTS a folder for pictures to look at.
"""

import re

import numpy as np
import pytest
from fairfl_book.build import lab_images, node
from lab_page import centre, hold

pytestmark = pytest.mark.site

LABS = {lab.name: lab for lab in lab_images.every()}
# What a reader sees outside a panel, or at its edge where it would be cut; a stroke's half width is allowed.
OUTSIDE = """() => [...document.querySelectorAll('.panels svg')].flatMap(svg => {
  const room = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text, polygon, rect, path, line, .knob')].map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
    .filter(([, r]) => r.width + r.height && (r.left < room.left - 2.5 || r.right > room.right + 2.5 || r.top < room.top - 2.5 || r.bottom > room.bottom + 2.5))
    .map(([what]) => what);
})"""
SMALLEST = """() => Math.min(...[...document.querySelectorAll('.panels text')].map(text =>
  parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getBoundingClientRect().width / text.ownerSVGElement.viewBox.baseVal.width))"""


# The two ends of the line along which a handle moves, on the screen; null for one that moves about a plane.
ENDS = """handle => {
  const [x, y, ...other] = handle.dataset.track.split(" ").map(Number), screen = handle.ownerSVGElement.getScreenCTM();
  return other.length ? [[x, y], other].map(([x, y]) => { const p = new DOMPoint(x, y).matrixTransform(screen); return [p.x, p.y]; }) : null;
}"""


def at_end(handle, end):
    """The transform of a handle that stands at the ``end``, 0 or 1, of the line along which it moves."""
    x, y = handle.get_attribute("data-track").split()[2 * end :][:2]
    return f"translate({x} {y})"


def dragged_to(handle, n):
    """Where the handle number ``n`` of a page is dragged, one place after the other, each so that it has to move: (place, end), where
    end is 0 or 1 if a handle that moves along a line has to be at that end of it then."""
    if not (ends := handle.evaluate(ENDS)):
        room = handle.locator("xpath=ancestor::*[@data-panel]").bounding_box()
        for x, y in ((0.5, 0.5), (0.2, 0.7), (1.6, -0.4), (-0.5, 1.5), (0.6, 0.3 + 0.05 * n)):  # some far outside
            yield (room["x"] + x * room["width"], room["y"] + y * room["height"]), None
        return
    start, way = np.array(ends[0]), np.subtract(ends[1], ends[0])
    beside, over = 20 * np.array([-way[1], way[0]]) / np.hypot(*way), 1 + 150 / np.hypot(*way)
    share = (centre(handle) - start) @ way / (way @ way)
    for t, end in ((0.25 if share > 0.5 else 0.75, None), (over, 1), (1 - over, 0), (0.4, None), (0.7, None)):
        yield tuple(start + t * way + beside), end


@pytest.mark.parametrize("width", [360, 690, 1024])
@pytest.mark.parametrize("name", LABS)
def test_every_handle_follows_the_mouse(opened, name, width):
    one = opened(LABS[name], width=width, height=1400)  # a handle at the end of its way stays in sight
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    one.page.wait_for_function(f"({SMALLEST})() >= 13")  # words grow once the page has measured its panels
    for n, handle in enumerate(one.handles()):
        handle.scroll_into_view_if_needed()
        for place, end in dragged_to(handle, n):
            before, at = one.shown(), handle.get_attribute("transform")
            one.page.mouse.move(*hold(handle))
            one.page.mouse.down()
            one.page.mouse.move(*place, steps=3)
            held = handle.get_attribute("transform")
            one.page.mouse.up()
            assert held != at and handle.get_attribute("transform") == held
            assert end is None or held == at_end(handle, end)
            assert one.shown() != before and one.page.evaluate(OUTSIDE) == []
            one.note()
    assert one.shows_its_states()
    one.look(f"{width}-dragged")


@pytest.mark.parametrize("name", LABS)
def test_every_handle_follows_the_keyboard_and_says_where_it_is(opened, name):
    one = opened(LABS[name])
    for handle in one.handles():
        along = handle.evaluate(ENDS)
        if along:  # away from its ends, where some keys rightly do nothing
            one.page.mouse.move(*hold(handle))
            one.page.mouse.down()
            one.page.mouse.move(*np.mean(along, axis=0))
            one.page.mouse.up()
        handle.focus()
        for key in ("ArrowRight", "ArrowUp", "Shift+ArrowLeft", "Shift+ArrowDown", *(("End", "Home") if along else ())):
            before, said = one.shown(), handle.get_attribute("aria-valuetext")
            one.page.keyboard.press(key)
            assert one.shown() != before and handle.get_attribute("aria-valuetext") != said
            one.note()
            if key in ("End", "Home"):
                low, now, high = (handle.get_attribute(f"aria-value{name}") for name in ("min", "now", "max"))
                end = key == "End"
                assert now == (low, high)[end] and handle.get_attribute("transform") == at_end(handle, end)
        assert handle.evaluate("e => e === document.activeElement") and handle.get_attribute("aria-label")
    assert one.shows_its_states()
    live = one.page.locator("[aria-live]")
    one.page.wait_for_function("document.querySelector('[aria-live]').textContent.length > 20")
    [words] = node.each("(state) => view.words(view.compute(state))", [[one.state()]], {"{ view }": one.lab.view})
    assert words["figures"] in live.text_content()


@pytest.mark.parametrize("name", LABS)
def test_a_finger_drags_a_handle_and_the_page_stays(opened, name):
    one = opened(LABS[name], width=390, has_touch=True, is_mobile=True)
    handle = one.handles()[0]
    handle.scroll_into_view_if_needed()
    before, scrolled, (x, y) = one.shown(), one.page.evaluate("scrollY"), centre(handle)
    finger = one.context.new_cdp_session(one.page)
    touch = lambda kind, points: finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch("touchStart", [{"x": x, "y": y}])
    for step in range(1, 6):
        touch("touchMove", [{"x": x - 8 * step, "y": y + 12 * step}])
    touch("touchEnd", [])
    one.page.wait_for_timeout(200)
    assert one.shown() != before and one.shows_its_states()
    assert one.page.evaluate("scrollY") == scrolled


@pytest.mark.parametrize("n", range(3))
def test_of_handles_that_overlap_the_nearest_is_taken(opened, n):
    tips = "0.5,0.5;0.6,0.5;0.55,0.6;-1,-1"  # nearer to each other than their halos; later ones lie on top
    one = opened(LABS["Hull"], fragment=f"#lab=Hull&clients=3&tips={tips}")
    where = lambda: [handle.get_attribute("transform") for handle in one.handles()]
    before = where()
    one.page.mouse.move(*centre(one.handles()[n]))
    one.page.mouse.down()
    one.page.mouse.move(200, 400, steps=2)
    assert [a != b for a, b in zip(before, where())] == [k == n for k in range(3)]
    one.page.mouse.up()


@pytest.mark.parametrize("aside, taken", [(0, 1), (10, 2)])
def test_of_handles_on_one_place_each_is_taken_by_its_ring(opened, aside, taken):
    # The server's dot stands on the second tip.
    one = opened(LABS["TwoClients"], fragment="#lab=TwoClients&weight=0&tips=1,0;-1.6,1.2")
    where = lambda: [handle.get_attribute("transform") for handle in one.handles()]
    before = where()
    assert before[1] == before[2]
    x, y = centre(one.handles()[1])
    one.page.mouse.move(x + aside, y)
    one.page.mouse.down()
    one.page.mouse.move(x + aside + 60, y + 30, steps=2)
    one.page.mouse.up()
    after = where()
    assert after[taken] != before[taken] and (after[1] == after[2]) == (taken == 1)
    assert one.state()["weight"] == 0 if taken == 1 else one.state()["tips"][1] == [-1.6, 1.2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("name", LABS)
def test_every_control_at_both_ends(opened, name, width, scheme):
    one = opened(LABS[name], width=width, color_scheme=scheme)
    height = one.page.locator("div.fairfl-lab").bounding_box()["height"]
    one.look(f"{width}-{scheme}-start")
    buttons = one.page.locator(".controls button, .try button")
    for n in range(buttons.count()):
        buttons.nth(n).click()
        assert one.page.evaluate(OUTSIDE) == []
        one.note()
        one.look(f"{width}-{scheme}-{re.sub(r'[^a-z0-9]+', '-', buttons.nth(n).inner_text().lower())}")
        for slider in one.page.locator("input[type=range]:enabled").all():
            for key in ("Home", "End"):
                slider.focus()
                one.page.keyboard.press(key)
                assert one.page.evaluate(OUTSIDE) == []
                one.note()
                one.look(f"{width}-{scheme}-{n}-{key.lower()}")
    assert one.shows_its_states()
    if width > 620:
        assert abs(one.page.locator("div.fairfl-lab").bounding_box()["height"] - height) < 45, "the page below jumps"


@pytest.mark.parametrize("name", LABS)
def test_the_address_holds_the_state_and_reset_the_start(opened, name):
    one = opened(LABS[name])
    one.page.locator(".try button").first.click()
    one.handles()[-1].focus()
    one.page.keyboard.press("Shift+ArrowDown")
    assert one.shows_its_states()
    shown, address = one.shown(), one.page.url
    assert f"#lab={name}&" in address
    again = opened(LABS[name], fragment=f"#{address.partition('#')[2]}")
    assert again.shown() == shown
    again.page.locator(".reset").click()
    assert again.shown() == opened(LABS[name]).shown() and again.state() == LABS[name].start
    assert opened(LABS[name], fragment="#lab=Nobody&tips=9").shown() == again.shown()


@pytest.mark.parametrize("name", LABS)
def test_a_button_moves_the_picture_gently_and_ends_where_it_says(opened, name):
    one = opened(LABS[name], reduced_motion="no-preference")
    one.page.locator(".try button").first.click()
    one.page.wait_for_timeout(800)
    assert one.shows_its_states()


@pytest.mark.parametrize("name", LABS)
def test_without_scripts_the_still_stands(opened, browser, tmp_path, name):
    file = opened(LABS[name]).file
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("svg[role=img]").is_visible() and page.locator("svg[role=img] text").count() > 5
    context.close()

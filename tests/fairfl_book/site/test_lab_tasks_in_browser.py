"""The labs' tasks on a page from disk: every goal reached by keyboard and by mouse, what is said and when. It needs no built site."""

import pytest
from fairfl_book import labs
from fairfl_book.build import lab_images, node
from lab_goals import GOALS, KEYS
from lab_page import hold

pytestmark = pytest.mark.site

LABS = {lab.name: lab for lab in lab_images.every()}
RESTED = 600  # milliseconds, by the page's clock, after which a lab has noticed where it rests
# A point of a panel, on the screen.
ON_SCREEN = """([panel, x, y]) => {
  const p = new DOMPoint(x, y).matrixTransform(document.querySelector(`svg[data-panel="${panel}"]`).getScreenCTM());
  return [p.x, p.y];
}"""


def stage(one):
    one.page.evaluate(f"new Promise(done => setTimeout(done, {RESTED}))")
    return one.page.locator(".task").get_attribute("data-stage")


def guess(one, right=True):
    [n] = node.each("() => view.task.right", [[]], {"{ view }": one.lab.view})
    buttons = one.page.locator(".guesses button")
    chosen = buttons.nth(n if right else (n + 1) % buttons.count())
    chosen.click()
    return chosen


def focused(one, what):
    """What the keyboard goes to for ``what`` in KEYS."""
    name, _, option = what.partition(": ")
    if name == "try":
        return one.page.locator(".try").get_by_role("button", name=option, exact=True)
    control = one.page.locator(f'[data-control="{name}"]')
    if control.count():
        return control.get_by_role("button", name=option, exact=True) if option else control.locator("input")
    return one.page.locator(f'[data-handle="{name}"]')


@pytest.mark.parametrize("name", LABS)
def test_the_keyboard_reaches_the_goal(opened, name):
    one = opened(LABS[name])
    task = one.page.locator(".task")
    assert not task.locator(".goal, .explain").filter(visible=True).count()
    first = task.locator(".guesses button").first
    first.focus()
    one.page.keyboard.press("Enter")
    assert first.get_attribute("aria-pressed") == "true" and first.evaluate("e => e === document.activeElement")
    assert stage(one) == "do" and not task.locator(".explain").is_visible()  # nothing is said about the guess
    height = one.page.locator(".panels").bounding_box()["y"]
    for what, key, times in KEYS[name]:
        assert task.get_attribute("data-stage") == "do"
        focused(one, what).focus()
        for _ in range(times):
            one.page.keyboard.press(key)
    assert stage(one) == "explain" and task.locator(".explain").is_visible()
    assert one.page.locator(".panels").bounding_box()["y"] == height, "the picture moves under a finger"
    spoken = one.page.locator("[aria-live]").text_content()
    assert task.locator(".explain").inner_text()[-40:] in spoken
    one.look("1024-task")


@pytest.mark.parametrize("name", LABS)
def test_the_mouse_reaches_the_goal(opened, name):
    lab = LABS[name]
    goal = lab.at(**GOALS[name][0])
    one = opened(lab, width=390)
    guess(one, right=False)
    for control, value in GOALS[name][0].items():
        kind, box = lab.controls[control], one.page.locator(f'[data-control="{control}"]')
        if isinstance(kind, labs.Several):
            for option in set(value) ^ set(kind.start):
                box.get_by_role("button", name=option, exact=True).click()
        elif box.locator("input").count():
            track, share = box.locator("input").bounding_box(), (value - kind.low) / (kind.high - kind.low)
            room = track["width"] - 16  # the knob's width
            box.locator("input").click(position={"x": 8 + share * room, "y": track["height"] / 2})
        elif box.count():
            box.get_by_role("button", name=str(value), exact=True).click()
    [targets] = node.each("(state) => view.handles(view.compute(state))", [[goal]], {"{ view }": lab.view})
    for target in targets:
        handle = one.page.locator(f'[data-handle="{target["name"]}"]')
        handle.scroll_into_view_if_needed()
        x, y = one.page.evaluate(ON_SCREEN, [target["panel"], *target["at"]])
        here = hold(handle)
        if abs(here[0] - x) + abs(here[1] - y) > 3:
            one.page.mouse.move(*here)
            one.page.mouse.down()
            one.page.mouse.move(round(x), round(y), steps=3)  # to a whole pixel, as a mouse does
            one.page.mouse.up()
    assert stage(one) == "explain"
    assert one.page.locator(".explain .bad").inner_text().startswith("✗")
    one.look("390-task")


def test_a_finger_that_only_passes_the_goal_has_not_reached_it(opened):
    one = opened(LABS["LocalEpochs"])
    guess(one)
    knob = one.page.locator('[data-handle="epochs"]')
    knob.focus()
    one.page.keyboard.press("End")
    one.page.keyboard.press("Home")
    assert stage(one) == "do"


def test_nothing_is_noticed_before_a_guess(opened):
    one = opened(LABS["Verdicts"])
    for what, key, _ in KEYS["Verdicts"]:
        focused(one, what).focus()
        one.page.keyboard.press(key)
    assert stage(one) == "predict"


def test_a_task_can_be_skipped_and_comes_back(opened):
    one = opened(LABS["Hull"])
    fold = one.page.locator(".steps button")
    shown = one.page.locator(".guesses")
    fold.click()
    assert fold.get_attribute("aria-expanded") == "false" and not shown.is_visible()
    assert fold.evaluate("e => e === document.activeElement")
    one.page.keyboard.press("Enter")
    assert fold.get_attribute("aria-expanded") == "true" and shown.is_visible()


def test_a_page_with_a_task_of_its_own_shows_the_lab_without_one(browser, tmp_path):
    file = tmp_path / "front.html"
    file.write_text(f'<meta charset="utf-8">{LABS["TwoClients"].page("front", task=False)}', encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    page.locator(".try button").first.click()
    page.wait_for_function("document.querySelector('[aria-live]').textContent")
    assert not page.locator(".task").count()
    page.close()


def test_the_link_holds_the_state(opened):
    one = opened(LABS["TwoClients"])
    one.page.locator('[data-handle="tip2"]').focus()
    one.page.keyboard.press("Shift+ArrowRight")
    one.page.evaluate(
        """navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; 0"""
    )
    stage(one)  # the lab has said how it stands
    link = one.page.locator(".copy-link")
    words = link.inner_text()
    link.click()
    copied = one.page.evaluate("window.copied")
    assert link.inner_text() != words and one.page.locator("[aria-live]").text_content() == link.inner_text()
    again = opened(LABS["TwoClients"], fragment=f"#{copied.partition('#')[2]}")
    assert again.shown() == one.shown() and one.state()["tips"][1] != LABS["TwoClients"].start["tips"][1]


def test_where_a_page_may_not_copy_the_address_bar_has_the_link(opened):
    one = opened(LABS["TwoClients"])
    one.page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); 0")
    one.page.locator(".copy-link").click()
    assert "#lab=TwoClients&" in one.page.url and "address" in one.page.locator(".copy-link").inner_text()

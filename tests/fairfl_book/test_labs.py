"""The labs one can touch: what they compute, say and store, in Python and, where node is, in the JavaScript that draws them."""

import html
import itertools
import json
import random
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from fairfl_book import figures, labs
from fairfl_book.build import lab_images, node
from fairfl_book.labs import javascript

LABS = {lab.name: lab for lab in lab_images.every()}
MOST = 200  # combinations of ends that are tried
# Random states in which the drawing is compared with Python, which asks AllRules for up to 50 directions in each.
STATES = {"AllRules": 400}
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


def drawn_at_random(lab, rng):
    """A state with every control anywhere in its range; points, rounded within their reach, at times coincide, vanish or lie opposite
    one another."""
    state = {}
    for name, control in lab.controls.items():
        if isinstance(control, labs.Several):
            state[name] = [one for one in control.options if rng.uniform() < 0.5]
        elif isinstance(control, labs.Points):
            turns, K = rng.uniform(0, 2 * np.pi, len(control.start)), len(control.start)
            # Rounding to hundredths may not take a point beyond its reach.
            radii = (control.reach - 0.01) * np.sqrt(rng.uniform(size=K))
            points = radii[:, None] * np.stack([np.cos(turns), np.sin(turns)], 1)
            j, k = rng.integers(K, size=2)
            points[j] *= rng.choice([1, 1, 1, 0])
            points[k] = points[j] * rng.choice([1, -1, 0.5]) if rng.uniform() < 0.2 else points[k]
            state[name] = (np.trunc(100 * points) / 100).tolist()  # rounded, a point at the rim would lie outside
        elif isinstance(control, labs.Choice):
            state[name] = str(rng.choice(control.options))
        else:
            steps = rng.integers(round((control.high - control.low) / control.step) + 1)
            state[name] = type(control.start)(round(control.low + steps * control.step, 6))
    return state


def ends(lab):
    """The start, what each button sets, every control at its ends, and all combinations of ends."""
    yield from ({}, *lab.tries.values())
    yield from ({name: end} for name, control in lab.controls.items() for end in control.ends)
    every = list(itertools.product(*(control.ends for control in lab.controls.values())))
    for chosen in random.Random(0).sample(every, min(MOST, len(every))):
        yield dict(zip(lab.controls, chosen))


@pytest.mark.parametrize("name", LABS)
def test_numbers_and_words_at_every_end(name):
    lab = LABS[name]
    for state in ends(lab):
        words = lab.words(lab.numbers(**state))
        assert words and not any("nan" in line or "inf" in line.lower().split() for line in words), (state, words)


@needs_node
@pytest.mark.parametrize("name", LABS)
def test_the_drawing_computes_what_python_computes(name):
    lab, rng = LABS[name], np.random.default_rng(0)
    states = [{**lab.start, **state} for state in ends(lab)] + [
        drawn_at_random(lab, rng) for _ in range(STATES.get(name, 1000))
    ]
    for state, theirs in zip(states, node.call(lab.view, [["view.compute", state] for state in states])):
        for key, ours in lab.compute(**state).items():
            if key not in FREE.get(name, lambda numbers: ())(theirs):
                assert apart(ours, theirs[key]) < 1e-9, (state, key, ours, theirs[key])


def apart(ours, theirs):
    """How far two results are from one another, in their largest number: infinitely, if their shapes or words differ."""
    if isinstance(ours, dict):
        return max((apart(one, theirs[key]) for key, one in ours.items()), default=0.0)
    if isinstance(ours, str | bool | None):
        return 0.0 if ours == theirs else np.inf
    if isinstance(ours, list | tuple) and not all(isinstance(one, int | float) for one in ours):
        return max(map(apart, ours, theirs), default=0.0) if len(ours) == len(theirs) else np.inf
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    return np.abs(ours - theirs).max(initial=0) if ours.shape == theirs.shape else np.inf


def dependent(numbers):
    """Weights are not the only ones with their direction where gradients depend on one another."""
    parallel = [abs(g[0] * h[1] - g[1] * h[0]) < 1e-6 for g, h in itertools.combinations(numbers["G"], 2)]
    unique = np.count_nonzero(np.abs(numbers["multipliers"]) > 1e-12) <= 2 and not any(parallel)
    return () if unique else ("weights", "multipliers")


def collinear(numbers):
    """Weights of three rows on one line are not the only ones with their mixture."""
    rows = np.array(numbers["H"])
    (a, b), (c, d) = rows[1:] - rows[0]
    return ("weights", "free", "enough") if abs(a * d - b * c) < 1e-6 else ()


def large(numbers):
    """Weights beyond 10 are compared where the picture puts them, between 0 and 1: their rounding errors grow with them."""
    return ("weights", "rates") if max(*numbers["weights"], *numbers["rates"]) > 10 else ()


# Lab → the numbers that are not determined in a state, so that two solvers may differ.
FREE = {"Box": collinear, "FairRates": large, "Hull": dependent}


@needs_node
@pytest.mark.parametrize("name", LABS)
def test_pictures_and_words_of_the_drawing_hold_at_every_end(name):
    """Nothing is drawn at no place; labels stay inside; the words name clients and end as sentences."""
    lab = LABS[name]
    states = [{**lab.start, **state} for state in ends(lab)]
    function = """(state) => {
      const n = view.compute(state), heights = view.heights?.(n) ?? {};
      const panels = view.panels.map((panel) => ({ ...panel, height: heights[panel.name] ?? panel.height }));
      return [view.draw(n), view.words(n), view.handles(n), panels];
    }"""
    for state, (drawn, words, handles, panels) in zip(
        states, node.each(function, [[s] for s in states], {"{ view }": lab.view})
    ):
        assert set(drawn) == {panel["name"] for panel in panels} and handles
        assert not re.search("NaN|Infinity|undefined|null", json.dumps([drawn, words])), state
        assert (
            words["lines"]
            and all(line.endswith(".") for line in words["lines"])
            and words["tone"] in ("good", "bad", "soft")
        )
        for panel in panels:
            for x, y in re.findall(r'<text x="([-\d.]+)" y="([-\d.]+)"', drawn[panel["name"]]):
                assert 0 <= float(x) <= panel["width"] and 10 <= float(y) <= panel["height"], state


@needs_node
@pytest.mark.parametrize("name", LABS)
def test_a_lab_glides_between_any_two_states(name):
    """On the way from one picture to another the numbers are blends, which no state has: they have to be drawable all the same."""
    lab, rng = LABS[name], np.random.default_rng(3)
    states = [{**lab.start, **state} for state in itertools.islice(ends(lab), 8)]
    states += [drawn_at_random(lab, rng) for _ in range(6)]
    # every button from every other, each end from the start and back, and some of all
    first = states[: len(lab.tries) + 1]
    pairs = list(itertools.permutations(first, 2)) + [pair for s in states for pair in ((lab.start, s), (s, lab.start))]
    pairs += [tuple(states[i] for i in rng.integers(len(states), size=2)) for _ in range(12)]
    glide = """(from, to) => {
      const a = view.compute(from), b = view.compute(to);
      return [0, 0.05, 0.95].map((t) => {
        const numbers = blend(a, b, t);
        try {
          const held = view.handles(numbers).flatMap((one) => [...one.at, one.now, ...(one.range ?? [])]);
          const wrong = JSON.stringify(view.draw(numbers, 1)).match(/.{0,80}(NaN|Infinity|undefined|null)/);
          return wrong ? wrong[0] : held.every(Number.isFinite) ? "" : "a handle nowhere";
        } catch (error) { return error.stack; }
      });
    }"""
    imports = {"{ view }": lab.view, "{ blend }": "lab"}
    for pair, wrong in zip(pairs, node.each(glide, [list(pair) for pair in pairs], imports)):
        assert not any(wrong), (pair, wrong)


@needs_node
@pytest.mark.parametrize("name", LABS)
def test_the_still_is_the_drawings_own(name):
    for which, still in lab_images.draw(LABS[name]).items():
        assert still == LABS[name].still(which), "run python -m fairfl_book.build.lab_images"


@needs_node
def test_the_drawings_colours_are_the_figures():
    [clients] = node.each("() => CLIENTS", [[]], {"{ CLIENTS }": "palette"})
    assert clients == [figures.COLOURS[name] for name in ("blue", "orange", "green", "purple", "sky", "vermilion")]


@needs_node
@pytest.mark.parametrize("name", LABS)
def test_a_state_goes_into_an_address_and_back(name):
    lab, rng = LABS[name], np.random.default_rng(1)
    states = [lab.start, *(drawn_at_random(lab, rng) for _ in range(50))]
    there = "(spec, state) => read(spec, write(spec, state))"
    assert node.each(there, [[lab.spec(), state] for state in states], {"{ read, write }": "address"}) == states
    fragments = ["", "#another-section", "#lab=Nobody&clients=2", f"#lab={name}&clients=99&rule=nonsense&tips=1;2&%"]
    read = node.each(
        "(spec, fragment) => read(spec, fragment)", [[lab.spec(), f] for f in fragments], {"{ read }": "address"}
    )
    assert read == [None, None, None, lab.start]


@pytest.mark.parametrize("name", LABS)
def test_the_bundle_imports_nothing_and_names_nothing_twice(name):
    bundle = javascript.bundle(LABS[name].view)
    assert (
        "import " not in re.sub(r"//.*|/\*.*?\*/", "", bundle)
        and bundle.count("export ") == bundle.count("export default") == 1
    )
    names = re.findall(r"^(?:const|let|function) (\w+)", bundle, flags=re.MULTILINE)
    assert len(names) == len(set(names)) and {"mount", "host", "view"} <= set(names)


@needs_node
@pytest.mark.parametrize("name", LABS)
def test_the_bundle_is_one_sound_module(name, tmp_path):
    """A browser refuses it if two of its modules have one name, in the middle of a list of constants, too."""
    (file := tmp_path / "bundle.mjs").write_text(javascript.bundle(LABS[name].view), encoding="utf-8")
    done = subprocess.run([node.find(), "--check", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_module_gives_what_it_imports_another_name():
    """A bundle drops the lines of imports, and a name given there with them."""
    for path in sorted(Path(str(javascript.FOLDER)).glob("*.js")):
        imports = re.findall(r"^import [^;]*;.*", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert not any(
            " as " in one or not re.fullmatch(r'import \{[\w,\s]*\} from "\./\w+\.js";', one) for one in imports
        ), path.name


@pytest.mark.parametrize("name", LABS)
def test_the_page_reads_without_scripts_and_ends_no_element_early(name):
    page = LABS[name].page("lab-here")
    assert page.count("</script>") == page.count("</style>") - 1 == 1 and "https://" not in page.replace(
        "http://www.w3.org", ""
    )
    still = LABS[name].still()
    assert (
        still in page
        and html.unescape(re.search('aria-label="([^"]+)"', still)[1]) == LABS[name].output()[0]["text/plain"]
    )
    assert len(still) < 20_000 and "var(" not in still


@pytest.mark.parametrize("name", LABS)
def test_the_picture_is_stored_with_its_words(name, capsys, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw, metadata: shown.append((data, metadata)))
    LABS[name].picture()
    [(data, metadata)] = shown
    assert set(data) == {"image/svg+xml", "text/plain"} and metadata["image/svg+xml"]["alt"] == data["text/plain"]
    assert len(data["text/plain"].split()) > 10
    assert capsys.readouterr().out == "\n".join(LABS[name].words(LABS[name].numbers())) + "\n"
    LABS[name].picture(words=False)
    assert len(shown) == 2 and not capsys.readouterr().out


@pytest.mark.parametrize("name", LABS)
def test_the_widget_hands_the_readers_state_to_python(name):
    pytest.importorskip("anywidget", reason="anywidget is not installed (the extra lab brings it)")
    lab = type(LABS[name])()
    assert lab.state == lab.start
    widget = lab.widget()
    moved = drawn_at_random(lab, np.random.default_rng(2))
    widget.set_state({"state": moved})  # as the page sends it
    assert lab.state == moved and lab.numbers(**lab.state)
    assert "0x" not in repr(widget) and len(widget.get_state()["_esm"]) < 75_000
    begun = lab.widget(**moved)
    assert begun.state == begun.spec["start"] == moved


def test_refusals_teach():
    with pytest.raises(ValueError, match=r"4 points \(x, y\), each at most 2.0"):
        labs.Hull().numbers(tips=[[3, 0]] * 4)
    with pytest.raises(ValueError, match="Did you mean 'FedMGDA'"):
        labs.Hull().spec(rule="FedMGDB")

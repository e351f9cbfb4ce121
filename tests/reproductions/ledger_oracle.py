"""The ledger computed once more, from the files in ``data`` and the declarations, by code that imports neither package.

``test_ledger_oracle`` compares every verdict, line and headline with the package's. Written from what the docstrings and chapter 12
say, with NumPy and SciPy alone.
"""

import csv
import tomllib
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import ceil, inf, isnan, nan, sqrt
from pathlib import Path

import numpy as np
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
RESULTS, PAPERS = ROOT / "data" / "results", ROOT / "data" / "papers"
DECLARED = ROOT / "reproductions"
FIXED = {"root of std": 0.15, "variance": 20.0, "angle": 1.0, "KL": 0.01, "Jain": 0.01, "Gini": 0.01}
TAILS = ("worst 5 %", "best 5 %", "worst 10 %", "best 10 %", "CVaR 10 %", "5th percentile", "95th percentile")
WHY = {
    "ours": "ours too few",
    "theirs": "theirs too few",
    "margin": "near the margin",
    "settings": "settings not printed",
}


@cache
def rows_of(path):
    if not path.exists():
        return ()
    with open(path, newline="", encoding="utf-8") as file:
        return tuple(csv.DictReader(file))


@cache
def table(name):
    given = tomllib.loads((DECLARED / "tables" / f"{name}.toml").read_text(encoding="utf-8"))
    given["name"] = name
    given["of"] = {m: of["of"] if isinstance(of, dict) else of for m, of in given["columns"].items()}
    given["row"] = {row["label"]: row for row in given["rows"]}
    return given


@cache
def tables():
    return tuple(sorted(path.stem for path in (DECLARED / "tables").glob("*.toml")))


# Runs ---------------------------------------------------------------------------------------------------------------


@cache
def clients(name):
    """(row, seed) → accuracies and test sizes, as counts of correct answers where they are counts."""
    found = defaultdict(list)
    for line in rows_of(RESULTS / f"{name}.clients.csv"):
        found[line["row"], int(line["seed"])].append((float(line["accuracy"]) / 100, float(line["test_size"])))
    out = {}
    for key, pairs in found.items():
        a, n = np.array(pairs).T
        counts = np.round(a * n)
        out[key] = np.where(abs(a * n - counts) <= 1e-6 * n, counts / n, a), n
    return out


@cache
def lines(name):
    """(row, seed) → the line of ``name``'s runs, reprinted rows included; columns as numbers."""
    t, out = table(name), {}
    for line in rows_of(RESULTS / f"{name}.csv"):
        if line["row"] in t["row"] and "reprints" not in t["row"][line["row"]]:
            numbers = {m: float(line[m]) for m in t["of"] if line.get(m) not in (None, "")}
            out[line["row"], int(line["seed"])] = {"numbers": numbers, "failed": line["failed"], "key": line["key"]}
    for label, row in t["row"].items():
        if "reprints" in row:
            other, _, there = row["reprints"].partition(": ")
            for (mark, seed), line in lines(other).items():
                if mark == there:
                    final = finals(other)[mark, seed]
                    out[label, seed] = line | {"numbers": {m: measure(of, *final) for m, of in t["of"].items()}}
    return out


@cache
def finals(name):
    out = {}
    for (label, seed), line in lines(name).items():
        row = table(name)["row"][label]
        if "reprints" in row:
            other, _, there = row["reprints"].partition(": ")
            out[label, seed] = finals(other)[there, seed]
        elif not line["failed"]:
            out[label, seed] = clients(name)[label, seed]
    return out


def measure(of, a, n):
    a = 100 * a
    std = sqrt(((a - a.mean()) ** 2).mean())
    if of.startswith("client "):
        return a[int(of.split()[1])]
    if of in ("worst 5 %", "best 5 %", "worst 10 %", "best 10 %"):
        count = max(1, ceil(int(of.split()[1]) / 100 * len(a) - 1e-9))
        return np.sort(a)[:count].mean() if of.startswith("worst") else np.sort(a)[-count:].mean()
    return {
        "mean": a.mean(),
        "std": std,
        "variance": std**2,
        "root of std": sqrt(std),
        "pooled": (a * n).sum() / n.sum(),
    }[of]


# Cells --------------------------------------------------------------------------------------------------------------


@cache
def printed(name):
    t, out = table(name), defaultdict(dict)
    for line in rows_of(PAPERS / "published_results.csv"):
        same = (line["paper"], line["table"]) == (t["paper"], t["table"]) and line["setup"].startswith(
            t.get("setup", "")
        )
        if same and t.get("dataset", "") in ("", line["dataset"]):
            out[line["algorithm"], line["hyperparameters"]][line["metric"]] = line["value"], line["spread"]
    return dict(out)


def margin(name, metric):
    t = table(name)
    of = t["of"][metric]
    fixed = FIXED.get(of, 2.0 if of in TAILS else 1.0)
    values = [row[metric][0] for row in printed(name).values() if metric in row]
    if t.get("margins", "rows") == "fixed" or len(values) < 4:
        return fixed
    gaps = [abs(float(a) - float(b)) for i, a in enumerate(values) for b in values[:i]]
    return max(np.percentile(gaps, 10), max(unit(value) for value in values))


def unit(value):
    return 10.0 ** -len(value.partition(".")[2])


def welch(parts):
    """The half width of the 90 % interval for a sum of (variance, factor, degrees of freedom)."""
    total = sum(v * f for v, f, _ in parts)
    if total <= 0:
        return 0.0
    below = sum((v * f) ** 2 / d for v, f, d in parts)
    return stats.t.ppf(0.95, total**2 / below if below else inf) * sqrt(total)


def called(gap, half, m):
    return "equivalent" if gap - half >= -m and gap + half <= m else "different" if abs(gap) - half > m else "undecided"


def judged(name, label, metric, value, spread):
    """(word, what is lacking, difference) of a row's runs beside one printed number."""
    t, row, m = table(name), table(name)["row"][label], margin(name, metric)
    runs = [line for (mark, _), line in lines(name).items() if mark == label]
    settings, seeds = bool(row.get("underspecified") or t.get("underspecified")), t.get("published_seeds", 5)
    if any(line["failed"] for line in runs):
        word = "undecided" if settings or len(runs) < 2 else "different"
        return word, "" if word == "different" else "settings" if settings else "ours", nan
    if not runs:
        return "not run", "", nan
    x = np.array([line["numbers"][metric] for line in runs])
    n, gap, rounding = len(x), x.mean() - float(value), unit(value) / 2
    split = table(row["reprints"].partition(": ")[0]) if "reprints" in row else t
    one = not (split.get("split_per_seed") or split.get("split_given"))
    theirs_one = t.get("published_split") == "one" and not one
    v = x.var(ddof=1) if n > 1 else nan
    if spread:
        w = float(spread) ** 2 * (seeds / (seeds - 1) if t.get("spread") == "population" else 1)
        ours_more, theirs_more = (1 if one and w > v else 0), (1 if theirs_one and v > w else 0)
        parts = [(v, 1 / n - ours_more + theirs_more, n - 1), (w, 1 / seeds + ours_more - theirs_more, seeds - 1)]
        left = [(w, 1 / seeds - theirs_more, seeds - 1)] + [(v, 1, inf)] * theirs_more
    else:
        parts = [(v, 1 / n + (1 if theirs_one else 1 / seeds), n - 1)]
        left = [(v, 1 if theirs_one else 1 / seeds, inf)] if n > 1 else []
    for_ever = welch(left) + rounding  # the half width that very many runs of ours would leave
    lacks = (
        "ours"
        if called(gap, for_ever, m) != "undecided"
        else "theirs"
        if for_ever > m
        else "margin"
        if n > 1
        else "ours"
    )
    if settings:
        return "undecided", "settings", gap
    if n < 2:
        return "undecided", lacks, gap
    if one and not spread:
        return "undecided", "ours", gap
    word = called(gap, welch(parts) + rounding, m)
    return word, lacks if word == "undecided" else "", gap


@cache
def cells(name):
    """Every printed cell of the declared rows: row, metric, value, spread, word, lacking, difference, keys."""
    t, out = table(name), []
    for label, row in t["row"].items():
        found = (
            printed(name).get((row.get("algorithm", ""), row.get("hyperparameters", "")), {})
            if row.get("algorithm")
            else {}
        )
        keys = tuple(sorted(line["key"] for (mark, _), line in lines(name).items() if mark == label))
        for metric in t["of"]:
            if metric in found:
                out.append((label, metric, *found[metric], *judged(name, label, metric, *found[metric]), keys))
    return out


# Tables -------------------------------------------------------------------------------------------------------------


def rank(pairs):
    theirs, ours = [float(value) for value, _ in pairs], [float(value) + gap for value, gap in pairs]
    return stats.spearmanr(theirs, ours).statistic if min(len(set(theirs)), len(set(ours))) > 2 else nan


def miss(name, known):
    in_points = [abs(c[6]) for c in known if table(name)["of"][c[1]] not in FIXED]
    return np.median(in_points) if in_points else nan


def orders(name, known):
    found = [rank([(c[2], c[6]) for c in known if c[1] == metric]) for metric in table(name)["of"]]
    return [value for value in found if not isnan(value)]


def pairs(name):
    """(equivalent, judged) among the rows minus FedAvg, ours beside logs or print."""
    t, runs = table(name), lines(name)
    there = [
        label for label in t["row"] if any(mark == label and not line["failed"] for (mark, _), line in runs.items())
    ]
    base = "FedAvg" if "FedAvg" in there else there[0]
    logs = defaultdict(dict)
    for line in rows_of(PAPERS / "fedfv_finals.csv"):
        if line["table"] in (name, t.get("reading_of", "")):
            for of in line:
                logs[line["row"], of][line["seed"]] = line[of]
    words = []
    for label, row in t["row"].items():
        if label == base or not row.get("algorithm") or not t["row"][base].get("algorithm"):
            continue
        both = sorted(seed for mark, seed in runs if mark == label and not runs[mark, seed]["failed"])
        both = [seed for seed in both if (base, seed) in runs and not runs[base, seed]["failed"]]
        for metric, of in t["of"].items():
            d = np.array([runs[label, seed]["numbers"][metric] - runs[base, seed]["numbers"][metric] for seed in both])
            mine, theirs = (
                printed(name).get((r["algorithm"], r.get("hyperparameters", "")), {}).get(metric)
                for r in (row, t["row"][base])
            )
            seeds, rounding, n = t.get("published_seeds", 5), 0.0, len(d)
            if n < 2:
                continue
            if any(logs[label, of].values()) and any(logs[base, of].values()):
                log = np.array([float(logs[label, of][s]) - float(logs[base, of][s]) for s in logs[label, of]])
                gap, parts = (
                    d.mean() - log.mean(),
                    [(d.var(ddof=1), 1 / n, n - 1), (log.var(ddof=1), 1 / len(log), len(log) - 1)],
                )
            elif mine and theirs and seeds > 1:
                gap, rounding = d.mean() - (float(mine[0]) - float(theirs[0])), (unit(mine[0]) + unit(theirs[0])) / 2
                more = seeds / (seeds - 1) if t.get("spread") == "population" else 1
                parts = [(d.var(ddof=1), 1 / n, n - 1)] + [
                    (float(s) ** 2 * more, 1 / seeds, seeds - 1) for _, s in (mine, theirs) if s
                ]
                if len(parts) < 3:
                    parts = [(d.var(ddof=1), 1 / n + 1 / seeds, n - 1)]
            else:
                continue
            left_out = row.get("underspecified") or t.get("underspecified")
            words.append("undecided" if left_out else called(gap, welch(parts) + rounding, margin(name, metric)))
    return f"{words.count('equivalent')}/{len(words)}" if words else ""


def line(name):
    """A table's line in ``fairfl-reproduce tables``; "" without runs."""
    known = [c for c in cells(name) if not isnan(c[6])]
    if not known:
        return ""
    seeds = [
        sum(m == label and not run["failed"] for (m, _), run in lines(name).items()) for label in {c[0] for c in known}
    ]
    words, order = Counter(c[4] for c in known), orders(name, known)
    wrong = [
        judged(name, one[0], one[1], other[2], other[3])[0]
        for one, other in permutations(known, 2)
        if one[1] == other[1] and (one[2], one[3]) != (other[2], other[3])
    ]
    span = lambda low, high, between: low if low == high else f"{low}{between}{high}"
    parts = (
        span(str(min(seeds)), str(max(seeds)), "–"),
        "" if isnan(miss(name, known)) else f"{miss(name, known):.2f}",
        span(f"{min(order):.2f}", f"{max(order):.2f}", " to ") if order else "",
        pairs(name),
        f"{100 * words['equivalent'] / len(known):.0f} %",
        f"{100 * wrong.count('equivalent') / len(wrong):.0f} %" if wrong else "",
    )
    counts = " ".join(f"{words[word]:2}" for word in ("equivalent", "different", "undecided"))
    return "{:40} {:>4} {:>5}  {:13} {:>6} {:>5} {:>5}  {}".format(name, *parts, counts)


@cache
def counted():
    """The cells that are counted, by published table: no second readings, but reprinted rows and rows that a reading fills in."""
    recorded = [name for name in tables() if lines(name)]
    main = {}
    for name in recorded:
        t = table(name)
        if not t.get("reading_of") or t.get("fills_in"):
            main.setdefault(t["reading_of"] if t.get("fills_in") else name, {})
    for name in main:
        main[name] = {c[:2]: c for c in cells(name)} if name in recorded else {}
    for name in recorded:
        t = table(name)
        held = main.get(t.get("reading_of"))
        for c in cells(name) if held is not None else ():
            if c[7] and "reprints" in t["row"][c[0]] or t.get("fills_in") and not (c[:2] in held and held[c[:2]][7]):
                held[c[:2]] = c
    return main


def headline():
    near = both = 0
    for name, held in counted().items():
        known = [c for c in held.values() if not isnan(c[6])]
        order = orders(name, known)
        near += miss(name, known) <= 1
        both += bool(miss(name, known) <= 1 and order and min(order) >= 0.8 - 1e-9)
    return (
        f"{len(counted())} published tables rerun: in {near}, half of the numbers are within a point of print; in {both} of these, "
        "the rows are also in the printed order (rank correlation 0.8 or more in every column)"
    )


def cells_headline():
    once = {}
    for c in (c for held in counted().values() for c in held.values()):
        same = c[7], c[1], c[2]
        if c[7] and (same not in once or c[3] and not once[same][3]):
            once[same] = c
    words, lacks = (Counter(c[i] for c in once.values()) for i in (4, 5))
    told = ", ".join(f"{words[w]} {w}" for w in ("equivalent", "different", "undecided", "not run") if words[w])
    why = ", ".join(f"{lacks[w]} {name}" for w, name in WHY.items() if lacks[w])
    return f"{len(once)} published cells rerun, in {len(counted())} tables: {told} ({why})"


# Claims -------------------------------------------------------------------------------------------------------------


def place(label, name):
    head, mark, tail = label.partition(": ")
    return (head, tail) if mark and head in tables() else (name, label)


def column(name, label, of):
    """seed → a row's measure in its final accuracies, or its line's share of training losses that rose."""
    if of != "losses that rose":
        return {s: measure(of, *f) for (m, s), f in finals(name).items() if m == label}
    metric = next(m for m, what in table(name)["of"].items() if what == of)
    return {s: run["numbers"][metric] for (m, s), run in lines(name).items() if m == label and not run["failed"]}


def effect(test, labels):
    """(table, a value a seed, diverged runs) of one contrast, from the first of its tables that has both rows."""
    for name in test["tables"]:
        where = [place(label, name) for label in labels]
        by = [column(t, label, test["of"]) for t, label in where]
        seeds = sorted(set.intersection(*map(set, by)))
        values = tuple(contrast(test, where, [column[seed] for column in by]) for seed in seeds)
        failed = sum(bool(run["failed"]) for (m, _), run in lines(name).items() if m == test.get("row"))
        if values or failed:
            return name, values, failed
    return "", (), 0


def contrast(test, where, numbers):
    if "over" not in test:
        return numbers[0] - numbers[1] if len(numbers) > 1 else numbers[0]
    settings = [float(Fraction(str(table(t)["row"][label]["settings"][test["over"]]))) for t, label in where]
    numbers = np.round(numbers, 9)
    return stats.spearmanr(settings, numbers).statistic if len(set(numbers)) > 1 else 0.0


def p_above(values, bound):
    """The p-value of "the mean is at most ``bound``"."""
    gap, error = np.mean(values) - bound, np.std(values, ddof=1) / sqrt(len(values))
    if error < 1e-12:
        return 0.5 if abs(gap) < 1e-12 else float(gap < 0)
    return stats.t.sf(gap / error, len(values) - 1)


def p_values(values, expect, m):
    if expect == "equal":
        low, high = p_above(values, -m), p_above(values, m)
        return max(low, 1 - high), min(1.0, 2 * min(1 - low, high))
    p = p_above(np.array(values) if expect == "greater" else -np.array(values), -m)
    return p, 1 - p


def holm(p):
    out, largest = [1.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[i]))
        out[i] = largest
    return out


def printed_effect(test, labels):
    for name in test["tables"]:
        numbers = []
        where = [place(label, name) for label in labels]
        for t, label in where:
            row = table(t)["row"][label]
            held = printed(t).get((row.get("algorithm", ""), row.get("hyperparameters", "")), {})
            metric = next((m for m, of in table(t)["of"].items() if of == test["of"]), None)
            numbers.append(float(held[metric][0]) if metric in held else nan)
        if not any(map(isnan, numbers)):
            return contrast(test, where, numbers)
    return nan


def together(words):
    return "fails" if "fails" in words else words[0] if len(set(words)) == 1 else "undecided"


def compared(test):
    """The rows of each contrast of a test: all of a trend, a row and another one, or a row alone."""
    if "over" in test:
        return [test["rows"]]
    return [(test["row"], other) for other in test["against"]] if "against" in test else [(test["row"],)]


@cache
def claims(paper):
    """id → (word, whether print says otherwise, what an undecided one lacks)."""
    given = tomllib.loads((DECLARED / "claims" / f"{paper}.toml").read_text(encoding="utf-8"))["claims"]
    found = {}
    for one in given:
        found[one["id"]] = [
            {"test": test, "labels": labels, "effect": effect(test, labels), "p": None}
            for test in one.get("tests", [])
            for labels in compared(test)
        ]
    everything = [each for group in found.values() for each in group]
    decided = [each for each in everything if len(each["effect"][1]) > 1 and not each["effect"][2]]
    raw = [p_values(each["effect"][1], each["test"]["expect"], each["test"].get("margin", 0)) for each in decided]
    for each, supports, opposes in zip(decided, holm([p for p, _ in raw]), holm([p for _, p in raw])):
        each["p"] = supports, opposes
    for each in everything:
        _, values, failed = each["effect"]
        if failed:
            each["word"] = "fails" if failed > 1 else "undecided"
        elif each["p"]:
            each["word"] = "holds" if each["p"][0] <= 0.05 else "fails" if each["p"][1] <= 0.05 else "undecided"
        else:
            each["word"] = "undecided" if values else "not run"
    return {one["id"]: (*word_of(one, found[one["id"]]), otherwise(one, found[one["id"]])) for one in given}


def word_of(one, group):
    if "by_construction" in one or "not_run" in one:
        return ("by construction" if "by_construction" in one else "not run"), ""
    readings = defaultdict(list)
    for each in group:
        readings[each["test"].get("reading", "")].append(each)
    words = {reading: together([each["word"] for each in held]) for reading, held in readings.items()}
    kinds = set(words.values())
    lost = any(table(name).get("underspecified") for each in group for name in each["test"]["tables"])
    if len(kinds) > 1 and ({"holds", "fails"} <= kinds or "holds" in kinds and apart(list(readings.values()))):
        return "depends", ""
    word = kinds.pop() if len(kinds) == 1 else "undecided"
    if word in ("holds", "fails") and any(
        table(each["effect"][0]).get("underspecified") for each in group if each["effect"][0]
    ):
        word = "undecided"
    if word != "undecided":
        return word, ""
    few = any(len(each["effect"][1]) < 2 and not each["effect"][2] for each in group)
    return word, "settings" if lost else "runs" if few else "settings" if len(set(words.values())) > 1 else "seeds"


def apart(readings):
    return any(
        a["word"] == "holds" != b["word"]
        and min(len(a["effect"][1]), len(b["effect"][1])) > 1
        and stats.ttest_ind(a["effect"][1], b["effect"][1], equal_var=False).pvalue <= 0.05
        for one in readings
        for other in readings
        for a, b in zip(one, other)
    )


def otherwise(one, group):
    for each in group:
        test = each["test"]
        if test.get("reading", "") == one["tests"][0].get("reading", ""):
            value, m = printed_effect(test, each["labels"]), test.get("margin", 0)
            sign = {"greater": 1, "smaller": -1, "equal": 0}[test["expect"]]
            if not isnan(value) and not (abs(value) <= m if sign == 0 else sign * value > -m):
                return True
    return False

"""Tests of the report's own statistics, relations and formulas: `python3 test.py`."""

import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path

import claims
import stats
from rows import Row, compute


def row(values, **keys):
    return Row(keys, "f", values)


class Statistics(unittest.TestCase):
    def test_t_points_are_those_of_tables(self):
        for freedom, point in ((1, 12.7062), (4, 2.7764), (9, 2.2622), (29, 2.0452), (200, 1.9719)):
            self.assertAlmostEqual(stats.t_point(freedom), point, 4)

    def test_the_interval_of_students_ten_subjects(self):
        gains = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
        self.assertAlmostEqual(stats.mean(gains) - stats.half_width(gains), 0.7001, 3)

    def test_ranks_share_ties(self):
        self.assertEqual(stats.ranks([5, 1, 5, 9]), [2.5, 1, 2.5, 4])
        self.assertAlmostEqual(stats.correlation([1, 2, 3, 4], [10, 8, 3, 1]), -1)

    def test_formulas(self):
        lines = [{"a": "2", "b": "3", "s": "x"}, {"a": "4", "b": "1", "s": ""}]
        self.assertEqual(compute("sum(a * b) / sum(b)", lines), 2.5)
        self.assertEqual(compute("max((a + b)**2) - count(1)", lines), 23)
        with self.assertRaises(ValueError):
            compute("a", lines)


class Relations(unittest.TestCase):
    up, noise = [1.0, 1.1, 0.9, 1.0], [0.5, -0.6, 0.4, -0.5]

    def judge(self, rows, known=(), **relation):
        return claims.judge(rows, relation, list(known))

    def test_a_difference_inside_its_interval_is_none(self):
        self.assertEqual(self.judge([row(self.up)], above=0), "agrees")
        self.assertEqual(self.judge([row(self.up)], below=0), "differs")
        self.assertEqual(self.judge([row(self.noise)], below=0), "none")
        self.assertEqual(self.judge([row(self.up), row(self.noise)], above=0), "none")

    def test_order_is_paired_by_seed(self):
        a, b = row([1, 5, 9], rule="a"), row([2, 6, 10.1], rule="b")
        self.assertEqual(self.judge([a, b], order=["a", "b"], along="rule"), "agrees")
        self.assertEqual(self.judge([a, b], order=["b", "a"], along="rule"), "differs")

    def test_trends_and_published_values(self):
        line = [row([1, 1.1], x="1"), row([2, 2.1], x="2"), row([3, 3.1], x="10")]
        self.assertEqual(self.judge(line, rises="x"), "agrees")
        self.assertEqual(self.judge(line, falls="x"), "differs")
        known = [row([1.0], x="1"), row([2.0], x="2"), row([4.0], x="10")]
        self.assertEqual(self.judge(line[:2], known, near="published"), "none")
        self.assertEqual(self.judge(line, known, correlated=0.99), "agrees")

    def test_a_magnitude_is_met_within_a_tenth_interval_included(self):
        exact = row([9.5], x="1")
        self.assertEqual(self.judge([exact], near=10.0), "agrees")
        self.assertEqual(self.judge([exact], near=[10.0, 12.0]), "agrees")
        self.assertEqual(self.judge([exact], near=11.0), "differs")
        self.assertEqual(self.judge([exact], near={"1": -9.0}), "differs")
        self.assertEqual(self.judge([row([7.0, 12.0], x="1")], near=9.5), "none")

    def test_the_most_is_above_every_other(self):
        rows = [row([1.0, 2.0], app="a"), row([3.0, 4.1], app="b"), row([5.0, 6.0], app="c")]
        self.assertEqual(self.judge(rows, most="c", along="app"), "agrees")
        self.assertEqual(self.judge(rows, most="b", along="app"), "differs")
        self.assertEqual(self.judge(rows, least="a", along="app"), "agrees")

    def test_a_rank_needs_every_rival(self):
        rows = [row([1.0, 1.1], rule="a"), row([3.0, 3.1], rule="b"), row([5.0, 5.1], rule="c")]
        claim = {"published": "a first", "rows": {}, "is": {"above": 0}, "verdict": "agrees (sign)",
                 "compare": {"column": "rule", "of": "*", "to": "a", "as": "difference"}}
        self.assertIn("claims a rank", claims.check(claim, rows, [])[3])
        self.assertIn("over 3 entries", claims.check(claim | {"ranks": 4}, rows, [])[3])
        self.assertEqual(claims.check(claim | {"ranks": 3}, rows, [])[::3], ("agrees (sign)", None))
        self.assertEqual(claims.check(claim | {"ranks": 3, "magnitude": [2.0, 4.0]}, rows, [])[0], "agrees (magnitude)")
        self.assertEqual(claims.check(claim | {"ranks": 3, "is": {"below": 0}}, rows, [])[0], "differs, unexplained")

    def test_changes_are_paired_and_in_percent(self):
        of, to = row([8, 16], rule="new", x="1"), row([10, 20], rule="old", x="1")
        change = claims.against([of, to], {"column": "rule", "of": "new", "to": "old"})
        self.assertAlmostEqual(change[0].mean, -20)
        with self.assertRaises(ValueError):
            claims.against([row([1, 2, 3], rule="new"), row([1, 2], rule="old")], {"column": "rule", "of": "new", "to": "old"})


def script():
    """`run` as a module."""
    loader = importlib.machinery.SourceFileLoader("run_script", str(Path(__file__).with_name("run")))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_script", loader))
    loader.exec_module(module)
    return module


CLAIM = """
[[claims]]
published = "a takes 12 % more than b"
rows = { rule = ["a", "b"] }
compare = { column = "rule", of = "a", to = "b" }
is = { above = 0 }
verdict = "agrees (sign)"
"""


class Refusals(unittest.TestCase):
    """What `run --check` refuses of a figure with two rows."""

    def wrong(self, claims=CLAIM, published="", title=None, text="A paper, by Author: 12 % more than the 7 of b"):
        run = script()
        with tempfile.TemporaryDirectory() as folder:
            shared, figure = Path(folder) / "shared", Path(folder) / "figure"
            for made in (shared / "seeds", shared / "papers", figure):
                made.mkdir(parents=True)
            (shared / "seeds/1.txt").write_text(text)
            (shared / "papers/author_table.csv").write_text("rule,value\na,8.5\n")
            run.SHARED = shared
            (figure / "figure.toml").write_text('source = "A paper"\nwhere = "Fig. 1"\nquestion = "Which?"\n[picture]\nx = "x"\n'
                                                'x_label = "x"\nseries = "rule"\nnames = { f = "f" }\n' + claims)
            values = " ".join(["2"] * 10), " ".join(["1"] * 10)
            (figure / "rows.csv").write_text("rule,x,figure,mean,half_width,seeds,values\n" +
                                             f"a,1,f,2,0,10,{values[0]}\nb,1,f,1,0,10,{values[1]}\n")
            if published:
                (figure / "published.csv").write_text(published)
            made = run.Figure(figure)
            made.check(draw=True)
            if title:
                path = figure / "picture.svg"
                path.write_text(path.read_text().replace("<title>Fig. 1: ours", f"<title>{title}", 1))
            return made.check(draw=False)[1]

    def test_what_follows_is_let_pass(self):
        self.assertEqual(self.wrong(), [])
        self.assertEqual(self.wrong(published="rule,x,figure,value\na,1,f,8.5\n"), [])

    def test_a_rank_over_fewer_entries_than_the_source_ranks(self):
        first = CLAIM.replace("a takes 12 % more than b", "a takes longest")
        self.assertIn("claims a rank", self.wrong(first)[0])
        self.assertIn("a rank over 2 entries; the source ranks 3", self.wrong(first + "ranks = 3\n")[0])
        self.assertEqual(self.wrong(first + "ranks = 2\n"), [])

    def test_a_reason_without_a_run(self):
        less = CLAIM.replace("above = 0", "below = 0").replace("agrees (sign)", "differs") + 'why = "b was slow that day"\n'
        self.assertIn("make it a claim", self.wrong(less)[0])
        # A claim of the same words whose rows say otherwise is none either.
        test = CLAIM.replace("published", "text").replace("a takes 12 % more than b", "b was slow that day")
        test = test.replace('verdict = "agrees (sign)"\n', "")
        self.assertEqual(self.wrong(less + test), [])
        self.assertIn("the rows say", self.wrong(less + test.replace("above = 0", "below = 0"))[0])
        self.assertIn("differs, unexplained", self.wrong(less.partition("why")[0])[0])

    def test_a_published_number_that_is_in_no_source(self):
        self.assertIn("13 is not in the source", self.wrong(CLAIM.replace("12", "13"))[0])
        self.assertIn("9.25 is not in the source", self.wrong(published="rule,x,figure,value\na,1,f,9.25\n")[0])
        self.assertIn("40 is not in the source", self.wrong(CLAIM + "magnitude = 40.0\n")[0])

    def test_a_picture_that_is_titled_published_and_shows_none(self):
        wrong = self.wrong(title="Fig. 1: ours beside the published values")
        self.assertIn("titled published and shows no published value", wrong[0])


unittest.main()

"""Comparisons, pictures and pages."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import nodeorder as no

JOBS = pd.DataFrame({"job": range(1, 41), "submit": range(0, 400, 10), "run": [90] * 40, "nodes": [3, 9, 5, 16] * 10})


def test_orderings_are_ranked(torus: no.Topology) -> None:
    found = torus.compare(["row-major", "hilbert", "snake"])
    assert found.table["rank"].tolist() == [1, 2, 3]
    assert found.table["mean_log"].is_monotonic_increasing
    assert found.best.label == found.table["ordering"][0] == "hilbert"
    weights = 1 / found.curves.index.to_series()
    for label, mean in found.table.set_index("ordering")["mean_log"].items():
        assert mean == pytest.approx((found.curves[label] * weights).sum() / weights.sum())
    assert found.curves[["hilbert"]].equals(torus.mpc("hilbert"))
    assert [order.label for order in found.orders] == ["row-major", "hilbert", "snake"]


def test_the_orderings_that_suit_are_compared(torus: no.Topology) -> None:
    found = torus.compare()
    assert set(found.table["ordering"]) <= set(torus.orderings()) and len(found.table) > 3


def test_a_page_is_written(tmp_path: Path, torus: no.Topology) -> None:
    files = torus.compare(["hilbert", "snake"]).save(tmp_path / "out")
    names = {Path(file).name for file in files}
    assert {"index.html", "mpc.csv", "table.csv", "summary.json"} <= names
    assert names == {file.name for file in (tmp_path / "out").iterdir()}
    page = (tmp_path / "out" / "index.html").read_text()
    assert "nodeorder compare torus:8x8 --order hilbert --order snake --seed 1" in page
    assert page.rstrip().endswith("</html>")


def test_a_trace_is_replayed_and_scheduled(torus: no.Topology) -> None:
    summary = torus.compare(["hilbert", "random"], trace=JOBS, model="fixed", alloc=["first-fit:1"]).summary()
    assert summary["workload"]["allocators"] == ["first-fit:1"]
    assert [row["ordering"] for row in summary["workload"]["rows"]] == ["hilbert", "random"]
    assert summary["schedules"]["policy"] == "easy"
    assert "schedules" not in torus.compare(["hilbert", "random"], trace=JOBS, policy="none").summary()


def test_a_notebook_shows_the_summary(torus: no.Topology) -> None:
    html = torus.compare(["hilbert", "snake"])._repr_html_()
    assert "<strong>hilbert</strong> keeps the nodes of a job closest together" in html
    assert html.count("<table") == 1 and html.count("<svg") == 1
    table = torus.compare(["hilbert", "snake"]).table
    assert html.count("<th>") == 8 < len(table.columns)


def test_a_notebook_draws_five_curves() -> None:
    machine = no.topology("torus:4x4")
    html = machine.compare([machine.order("random", label=f"r{i}") for i in range(9)])._repr_html_()
    drawing = html[html.index("<svg") : html.index("</svg>")]
    assert sum(f">r{i}<" in drawing for i in range(9)) == 5


def test_a_notebook_shows_curves(torus: no.Topology) -> None:
    assert "<svg" in (torus.mpc(["hilbert", "snake"])._repr_html_() or "")
    assert "<svg" not in (torus.mpc("hilbert", sizes=[2, 9])._repr_html_() or "")


def test_curves_have_the_colours_of_the_page(tmp_path: Path, torus: no.Topology) -> None:
    found = torus.compare(["random", "hilbert", "snake"])
    axes = found.plot()
    colours = {line.get_label(): line.get_color() for line in axes.get_lines()}
    # By the order in which they were given, whatever their rank: Okabe and Ito's blue, vermilion and green.
    assert colours == {"random": "#0072b2", "hilbert": "#d55e00", "snake": "#009e73"}
    markers = {line.get_label(): line.get_marker() for line in axes.get_lines()}
    assert markers == {"random": "o", "hilbert": "s", "snake": "^"}
    svg = next(file for file in found.save(tmp_path) if file.endswith("mpc-full.svg"))
    assert all(colour in Path(svg).read_text() for colour in colours.values())
    plt.close("all")


def test_curves_and_machines_draw_themselves(torus: no.Topology) -> None:
    axes = torus.mpc(["hilbert", "snake"]).draw()
    assert [line.get_label() for line in axes.get_lines()] == ["hilbert", "snake"]
    for machine in (torus, no.topology("mesh:3x4x5"), no.topology("fat-tree:k=4"), no.topology("torus:7")):
        axes = machine.plot("random")
        assert len(axes.collections[0].get_offsets()) == len(machine)
        plt.close("all")
    assert torus.order("hilbert").plot().get_title() == "hilbert on torus:8x8"
    plt.close("all")


def test_many_curves_all_look_different() -> None:
    machine = no.topology("torus:4x4")
    axes = machine.mpc([machine.order("random", label=f"r{i}") for i in range(9)]).draw()
    looks = {(line.get_color(), str(line._dash_pattern), line.get_marker()) for line in axes.get_lines()}
    assert len(looks) == 9
    plt.close("all")

"""Pages of stored reports: what is on disk is shown, whenever it changes."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.in_process import ORIGIN, open_app
from support.reports import small_report
from support.variants import variants

import teahouse as th
from teahouse.core.game import Game, non_default_options
from teahouse.core.options import option_texts
from teahouse.lab.report import Report
from teahouse.lab.stored import lab_folder, store_report

NAME = th.games()[0]
OTHER = next(game for game in variants(NAME) if non_default_options(game))


def store(report: Report, folder: str, at: int) -> Path:
    """Store a report as `teahouse report` does, with a time of change; return its file."""
    stored = lab_folder() / f"{report.game.name}-{folder}"
    stored.mkdir(parents=True, exist_ok=True)
    settings = {"game": report.game.name, "options": report.game.options}
    (stored / "lab.json").write_text(json.dumps(settings))
    store_report(report, stored)
    os.utime(stored / "report.json", (at, at))
    return stored / "report.json"


def test_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    report = small_report(NAME)
    with open_app(str(tmp_path / "teahouse.db")) as client:
        client.base_url = ORIGIN

        def page(game: Game, status: int = 200) -> str:
            response = client.get(
                f"/lab/{game.name}", params=option_texts(non_default_options(game))
            )
            assert response.status_code == status, response.text
            return response.text

        assert f"teahouse report {NAME}" in page(report.game)
        store(replace(report, plan=("First.",)), "one", 1)
        assert "<li>First.</li>" in page(report.game)
        store(replace(report, plan=("Second.",)), "two", 2)
        assert "<li>Second.</li>" in page(report.game)
        assert "<li>First.</li>" not in page(report.game)
        assert "There is no report" in page(OTHER)
        other = replace(small_report(NAME), game=OTHER, openings=(), heatmaps=(), games=())
        store(replace(other, plan=("Other.",)), "other", 3)
        assert "<li>Other.</li>" in page(OTHER)
        assert "Reports with other options" in page(OTHER)
        listed = page(report.game)
        assert "<li>Second.</li>" in listed
        assert "Reports with other options" in listed
        first = client.get(f"/lab/{NAME}")
        again = client.get(f"/lab/{NAME}", headers={"If-None-Match": first.headers["ETag"]})
        assert again.status_code == 304
        store(report, "two", 4).write_text("{")
        assert "cannot be read" in page(report.game, 500)
        assert client.get(f"/lab/{NAME}?nonsense=1").status_code == 422
        assert client.get("/lab/chess").status_code == 404
        assert client.get(f"/lab/{NAME}?" + "&".join(f"o{n}=1" for n in range(99))).is_client_error
        for path, kind in (("/lab.css", "text/css"), ("/lab.js", "text/javascript")):
            assert client.get(path).headers["Content-Type"].startswith(kind)

"""Install a trained network in a game's folder, with its card.

    python tools/network_card.py oolong runs/oolong/network.onnx match.json …

The card, `networks/OPTIONS.json`, says how the network was trained (from its metadata) and how
strong it is: results of `teahouse arena GAME network:file=… OPPONENT --json`. Matches that differ
only in their seeds are one result, with the Wilson interval of all their games.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import teahouse as th
from teahouse.core.files import split_settings
from teahouse.core.options import option_texts, parse_options
from teahouse.search.arena.ratings import wilson
from teahouse.search.networks import FOLDER, load_network


def read_match(path: Path) -> dict[str, Any]:
    """Return the result of the network in a match with one opponent."""
    match = json.loads(path.read_text(encoding="utf-8"))
    (pair,) = match["pairs"]
    if not pair["player"].startswith("network:"):
        raise SystemExit(f"{path}: the first player must be the network")
    settings = parse_options(split_settings(pair["player"].partition(":")[2], "file"))
    settings.pop("file", None)
    own = match["players"][0]
    return {
        "opponent": pair["opponent"],
        **{name: float(value) for name, value in settings.items()},
        "games": pair["games"],
        **{name: round(pair[name], 3) for name in ("value", "low", "high")},
        "simulations": round(own["simulations"]),
    }


def pool(matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the matches, with those of the same opponent and budget as one."""
    pooled: dict[tuple[Any, ...], dict[str, Any]] = {}
    for match in matches:
        budget = "seconds" if "seconds" in match else "simulations"
        key = (match["opponent"], match[budget], match.get("threads"))
        if key not in pooled:
            pooled[key] = match
            continue
        first = pooled[key]
        games = first["games"] + match["games"]
        means = {
            name: (first[name] * first["games"] + match[name] * match["games"]) / games
            for name in ("value", "simulations")
        }
        score = wilson(means["value"], games)
        pooled[key] = {
            **first,
            "games": games,
            **{name: round(getattr(score, name), 3) for name in ("value", "low", "high")},
            "simulations": round(means["simulations"]),
        }
    return list(pooled.values())


def main() -> None:
    """Copy the network and write its card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("network", type=Path)
    parser.add_argument("matches", type=Path, nargs="*")
    parser.add_argument("-o", "--option", action="append", default=[])
    parser.add_argument("--remark", help="what else there is to say about its training")
    arguments = parser.parse_args()
    game = th.load(arguments.game, **parse_options(arguments.option))
    network = load_network(game, arguments.network)
    options = network.metadata["options"]
    folder = Path(str(th.__file__)).parent / "games" / game.name / FOLDER
    folder.mkdir(exist_ok=True)
    model = arguments.network.read_bytes()
    name = options or "default"
    card: dict[str, Any] = {
        "game": game.name,
        "options": option_texts(game.options),
        "sha256": network.hash,
        "bytes": len(model),
        "minutes": float(network.metadata.get("minutes", 0)),
    }
    for key in ("trained", "version", "seed", "updates", "settings"):
        if key in network.metadata:
            value = network.metadata[key]
            card[key] = value if key in ("trained", "version") else json.loads(value)
    if arguments.remark:
        card["remark"] = arguments.remark
    card["strength"] = pool([read_match(path) for path in arguments.matches])
    (folder / f"{name}.onnx").write_bytes(model)
    text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    print(folder / f"{name}.json")


if __name__ == "__main__":
    main()

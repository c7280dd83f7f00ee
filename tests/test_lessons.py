"""Lessons: broken ones fail with the name of the step; `teahouse learn` teaches all of them."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import teahouse as th
from teahouse.conformance.checks import CheckError
from teahouse.conformance.teaching import check_lesson
from teahouse.core import coach as coaching
from teahouse.core.coach import coach
from teahouse.core.lesson import FILE, Lesson, Step, lesson_minutes, parse_lesson, read_lesson
from teahouse.core.packages import builtin_games, game_text
from teahouse.terminal.commands import command_line
from teahouse.terminal.lesson_ui import LessonUI

GAME = builtin_games()[0]
Data = dict[str, Any]
Change = Callable[[Data], Any]
every_game = pytest.mark.parametrize("name", builtin_games())


def lesson_of(name: str) -> Lesson:
    lesson = read_lesson(name)
    assert lesson is not None
    return lesson


def toml(value: Any) -> str:
    """Return a value as TOML; strings are written as in JSON."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def changed(change: Change) -> str:
    """Return the text of a good lesson after a change of its data."""
    data = tomllib.loads(game_text(GAME, FILE) or "")
    change(data)
    return "\n".join(f"{key} = {toml(value)}" for key, value in data.items())


@every_game
def test_every_game_of_this_package_has_a_lesson(name: str) -> None:
    assert lesson_minutes(name) == lesson_of(name).minutes


def test_an_unchanged_lesson_passes() -> None:
    check_lesson(GAME, changed(lambda data: None))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda step: step["right"][0].update(moves=["nonsense"]), "'nonsense' is not legal"),
        (lambda step: step["right"][0].update(replies="nonsense"), "Illegal move 'nonsense'"),
        (lambda step: step.update(position="nonsense"), "A position must end"),
        (lambda step: step.update(position="continue"), "exactly one right move"),
        (lambda step: step.update(played="nonsense"), "Illegal move 'nonsense'"),
        (lambda step: step.update(options="nonsense=1"), "Unknown option 'nonsense'"),
        (lambda step: step.update(right=[]), "no right move"),
        (lambda step: step.update(wrong=[], otherwise=""), "add `otherwise`"),
        (lambda step: step.update(nonsense=1), "unknown keys: nonsense"),
        (lambda step: step.update(say=3), "say must be of type str"),
        (lambda step: step.pop("ask"), "ask is missing"),
        (lambda step: step.update(rules=["Z99"]), "unknown rules Z99"),
        (lambda step: step.update(say="So much. " * 30), "`say` has 60 words, more than 45"),
        (lambda step: step.update(ask="No full stop"), "`ask` is no sentence"),
    ],
)
def test_a_broken_step_fails_with_its_name(change: Change, reason: str) -> None:
    index = 1
    name = lesson_of(GAME).steps[index].name
    with pytest.raises(CheckError) as failed:
        check_lesson(GAME, changed(lambda data: change(data["steps"][index])))
    assert reason in str(failed.value)
    assert f"step {index + 1} ({name})" in str(failed.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data["steps"].clear(), "no [[steps]]"),
        (lambda data: data.update(steps=data["steps"][:5]), "5 steps, not 6 to 10"),
        (lambda data: data.update(steps=2 * data["steps"]), "steps, not 6 to 10"),
        (lambda data: data["steps"][0].update(say="Words. " * 40), "words before the first move"),
        (lambda data: data["steps"][1].update(name=data["steps"][0]["name"]), "two steps have"),
        (lambda data: data.pop("left_out"), "neither teaches nor leaves out"),
        (lambda data: data["left_out"].update(Z99="unknown"), "unknown rules: Z99"),
        (
            lambda data: data["left_out"].update({data["steps"][0]["rules"][0]: "taught"}),
            "teaches rules that it leaves out",
        ),
        (lambda data: data.update(first_game="nonsense=1"), "Unknown option 'nonsense'"),
        (lambda data: data.update(minutes=99), "minutes must be 1 to 10"),
    ],
)
def test_a_broken_lesson_fails(change: Change, reason: str) -> None:
    with pytest.raises(CheckError) as failed:
        check_lesson(GAME, changed(change))
    assert reason in str(failed.value)


def test_a_file_that_is_not_toml_fails_with_its_line() -> None:
    with pytest.raises(CheckError, match="line 1"):
        check_lesson(GAME, "minutes = = 3")


def lines(lesson: Lesson, answer: Callable[[Step], str]) -> str:
    """Follow a lesson line by line with a given answer to each step; return what was printed."""
    typed = (line for step in lesson.steps for line in ("?", "nonsense", answer(step)))
    out = io.StringIO()
    ui = LessonUI(lesson, lambda prompt: next(typed, None), out)
    assert ui.run()
    return " ".join(out.getvalue().split())


@every_game
def test_lessons_in_the_terminal(name: str) -> None:
    lesson = lesson_of(name)
    printed = lines(lesson, lambda step: step.shown_move)
    for step in lesson.steps:
        assert step.say in printed
        assert step.ask in printed
        assert f"Right! {step.answer(step.shown_move).say}" in printed
    assert lesson.farewell in printed
    skipped = lines(lesson, lambda step: "skip")
    assert "Right!" not in skipped


@every_game
def test_wrong_moves_in_the_terminal(name: str) -> None:
    lesson = lesson_of(name)
    step = next(
        step
        for step in lesson.steps
        if any(not step.answer(move).right for move in step.position.legal)
    )
    wrong = next(move for move in step.position.legal if not step.answer(move).right)
    typed = iter([wrong, wrong, "show", "help", "rules", "quit"])
    out = io.StringIO()
    ui = LessonUI(lesson, lambda prompt: next(typed, None), out)
    assert not ui.run(step.number)
    printed = " ".join(out.getvalue().split())
    assert printed.count(f"Not yet. {step.answer(wrong).say}") == 2
    assert "try again or type show" in printed
    assert f"type {step.shown_move}" in printed
    assert f"teahouse learn {name} --step {step.number}" in printed


def test_the_command_teaches_and_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    run = CliRunner().invoke
    command = command_line(["learn"])
    typed = "".join(f"{step.shown_move}\n" for step in lesson_of(GAME).steps)
    done = run(command, ["learn", GAME], input=f"{typed}yes\n?\nquit\n")
    assert done.exit_code == 0
    assert "Coach: " in done.output
    assert "Goodbye" in done.output
    assert run(command, ["learn", GAME], input="").exit_code == 0
    late = run(command, ["learn", GAME, "--step", "11"])
    assert isinstance(late.exception, th.OptionError)
    assert "steps 1 to" in str(late.exception)


def test_a_game_without_a_coach_repeats_moves_and_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coaching, "optional_module", lambda name, part: None)
    start = th.load(GAME).start()
    move = start.legal[0]
    after = start.play(move)
    said = coach(start, [move], after.player)
    assert said.remarks == (f"{start.describe(move)}.",)
    assert said.advice == after.scene.prompt
    with pytest.raises(th.IllegalMove):
        coach(start, ["nonsense"], 0)


def test_a_continued_step_shows_the_move_before() -> None:
    lessons = [lesson_of(name) for name in builtin_games()]
    continued = [
        (before, step)
        for lesson in lessons
        for before, step in zip(lesson.steps, lesson.steps[1:], strict=False)
        if step.position == before.line(before.shown_move)[-1]
    ]
    assert continued
    for before, step in continued:
        assert step.played is not None
        position, move = step.played
        assert position.play(move) == step.position
        assert position.ply >= before.position.ply


def test_the_parser_keeps_the_order_of_answers() -> None:
    step = parse_lesson(GAME, changed(lambda data: None)).steps[1]
    assert [answer.right for answer in step.answers] == sorted(
        (answer.right for answer in step.answers), reverse=True
    )

"""Checks of `lesson.toml` and `coach.py`."""

from __future__ import annotations

from collections import Counter

from teahouse.conformance.checks import STUDIED, CheckError, UsesDefault, check, require
from teahouse.conformance.samples import sample
from teahouse.conformance.studying import RULE, required_text
from teahouse.core.catalog import load
from teahouse.core.game import Game
from teahouse.core.lesson import FILE, Lesson, LessonError, Step, parse_lesson
from teahouse.core.packages import game_text, optional_module

MIN_STEPS, MAX_STEPS = 6, 10
MAX_MINUTES = 10
MAX_WORDS_BEFORE_FIRST_MOVE = 40
MAX_NAME_WORDS = 6
MAX_SAY_WORDS = 45
MAX_ASK_WORDS = 25
MAX_ANSWER_WORDS = 45
MAX_FAREWELL_WORDS = 60
MAX_COACH_WORDS = 60


@check(STUDIED, every_variant=False)
def lesson(game: Game) -> None:
    """`lesson.toml` teaches the game in 6 to 10 steps that can be played."""
    text = game_text(game.name, FILE)
    if text is None:
        raise UsesDefault(f"There is no {FILE}: players learn the game from its rules page.")
    check_lesson(game.name, text)


def check_lesson(name: str, text: str) -> None:
    """Raise `CheckError` with the step and the reason unless a lesson can be played."""
    try:
        found = parse_lesson(name, text)
    except LessonError as error:
        raise CheckError(str(error)) from None
    count = len(found.steps)
    require(MIN_STEPS <= count <= MAX_STEPS, f"{FILE} has {count} steps, not 6 to 10.")
    require(1 <= found.minutes <= MAX_MINUTES, f"{FILE}: minutes must be 1 to {MAX_MINUTES}.")
    _require_sentences(found.farewell, MAX_FAREWELL_WORDS, f"{FILE}: the farewell")
    first = found.steps[0]
    words = sum(len(part.split()) for part in (first.name, first.say, first.ask))
    require(
        words <= MAX_WORDS_BEFORE_FIRST_MOVE,
        f"{FILE}: there are {words} words before the first move, more than"
        f" {MAX_WORDS_BEFORE_FIRST_MOVE}.",
    )
    name_of_two, times = Counter(step.name for step in found.steps).most_common(1)[0]
    require(times == 1, f"{FILE}: two steps have the name {name_of_two!r}.")
    for step in found.steps:
        _require_texts(step)
    _require_rules(name, found)


def _require_texts(step: Step) -> None:
    """Raise `CheckError` if a text of a step is no sentence or too long."""
    where = f"{FILE}, step {step.number} ({step.name})"
    require(len(step.name.split()) <= MAX_NAME_WORDS, f"{where}: its name is too long.")
    _require_sentences(step.say, MAX_SAY_WORDS, f"{where}: `say`")
    _require_sentences(step.ask, MAX_ASK_WORDS, f"{where}: `ask`")
    for answer in step.answers:
        _require_sentences(answer.say, MAX_ANSWER_WORDS, f"{where}: the answer to {answer.moves}")
    if step.otherwise:
        _require_sentences(step.otherwise, MAX_ANSWER_WORDS, f"{where}: `otherwise`")


def _require_sentences(text: str, limit: int, what: str) -> None:
    count = len(text.split())
    require(count <= limit, f"{what} has {count} words, more than {limit}.")
    require(text.endswith((".", "!", "?")), f"{what} is no sentence: {text!r}.")


def _require_rules(name: str, found: Lesson) -> None:
    """Raise `CheckError` unless each numbered rule is taught or named as left out."""
    page = required_text(load(name), "rules.md", "write the rules for players")
    numbers = set(RULE.findall(page))
    taught = {rule for step in found.steps for rule in step.rules}
    for step in found.steps:
        unknown = sorted(set(step.rules) - numbers)
        require(
            not unknown,
            f"{FILE}, step {step.number} ({step.name}): unknown rules {', '.join(unknown)}.",
        )
    unknown = sorted(set(found.left_out) - numbers)
    require(not unknown, f"{FILE} leaves out unknown rules: {', '.join(unknown)}.")
    both = sorted(taught & set(found.left_out))
    require(not both, f"{FILE} teaches rules that it leaves out: {', '.join(both)}.")
    missing = sorted(numbers - taught - set(found.left_out))
    require(not missing, f"{FILE} neither teaches nor leaves out: {', '.join(missing)}.")


@check(STUDIED)
def coach(game: Game) -> None:
    """`coach.py` says sentences about moves, and about what to do in every position."""
    own = optional_module(game.name, "coach")
    if own is None:
        raise UsesDefault("There is no coach.py: the coach of a first game repeats the prompts.")
    for position, move in sample(game, seed=15):
        if position.over:
            continue
        _require_sentences(own.advise(position), MAX_COACH_WORDS, f"The advice at {position}")
        for viewer in range(len(game.players)):
            remark = own.remark(position, move, viewer)
            if remark:
                _require_sentences(remark, MAX_COACH_WORDS, f"The remark on {move} at {position}")

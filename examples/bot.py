"""A bot account in 30 lines: it accepts every challenge, and wins at once where it can.

Run `python examples/bot.py http://localhost:8000 th_…` to wait for challenges, or add the name of a
game with two players for a rated game against level 1. docs/bots.md says how to get a token.
"""

import random
import sys

import teahouse as th
from teahouse import client as tc


def choose(position: th.Position) -> str:
    futures = {move: position.play(move) for move in position.legal}
    wins = [move for move, after in futures.items() if position.player in after.winners]
    return random.choice(wins or position.legal)


def play(table: tc.BlockingTable) -> None:
    for position in table.turns():
        table.play(choose(position))
    print(table.url, table.result_text, flush=True)


with tc.Client(sys.argv[1], token=sys.argv[2]) as client:
    for game in sys.argv[3:]:
        seats, clock = (tc.Person(), tc.HouseBot(level=1)), tc.Realtime(seconds=300, increment=5)
        play(client.create_table(game, seats, time_control=clock, rated=True))
    for event in client.events(accepts=th.games()) if len(sys.argv) == 3 else ():
        if isinstance(event, tc.ChallengeReceived):
            client.accept(event.challenge.id)
        elif isinstance(event, tc.GameStarted):
            play(client.join(event.table, event.secrets))

"""A bot account in 30 lines: it accepts every challenge, and wins at once where it can.

python examples/bot.py http://localhost:8000 th_…          waits for challenges
python examples/bot.py http://localhost:8000 th_… GAME     plays one game against level 1
"""

import random
import sys

from teahouse import Position
from teahouse.client import BlockingTable, ChallengeReceived, Client, GameStarted, HouseBot, Person


def choose(position: Position) -> str:
    futures = {move: position.play(move) for move in position.legal}
    wins = [move for move, after in futures.items() if position.player in after.winners]
    return random.choice(wins or position.legal)


def play(table: BlockingTable) -> None:
    for position in table.turns():
        table.play(choose(position))
    print(table.url, table.result_text, flush=True)


with Client(sys.argv[1], token=sys.argv[2]) as client:
    for game in sys.argv[3:]:
        play(client.create_table(game, [Person(), HouseBot(level=1)]))
    for event in client.events() if len(sys.argv) == 3 else ():
        if isinstance(event, ChallengeReceived):
            client.accept(event.challenge.id)
        elif isinstance(event, GameStarted):
            play(client.join(event.table, event.secrets))

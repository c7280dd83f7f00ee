"""Time to draw a record as an animated WebP image: python benchmarks/moving_pictures.py"""

import random
import time

import teahouse as th
from teahouse.draw.raster import animated_image

MOVES, WIDTH = 41, 720


def random_record(name: str) -> th.Record:
    """Return the first random game that lasts long enough, up to that move."""
    game = th.load(name)
    for seed in range(100):
        record, source = th.Record.new(game, seed), random.Random(seed)
        while len(record.moves) < MOVES and not record.position.over:
            record.play(source.choice(record.position.legal))
        if len(record.moves) == MOVES:
            break
    return record


def main() -> None:
    print(f"| game, {MOVES} moves, {WIDTH} pixels wide | CPU seconds | kB |\n|---|---|---|")
    for name in th.games():
        record = random_record(name)
        begin = time.process_time()
        drawn = animated_image(record, "webp", width=WIDTH)
        print(f"| {name} | {time.process_time() - begin:.1f} | {len(drawn) // 1000:,} |")


if __name__ == "__main__":
    main()

"""When memory is searched for what nobody needs, so that nobody has to wait for it.

Python looks through everything it holds whenever that has grown by a quarter. With a thousand
tables this takes some tenths of a second, in which no move is told and no board is drawn. Hardly
anything is found: what is no longer needed is freed at once, but for a few objects that refer to
each other, such as those of a socket that was closed.
"""

import gc

COLLECT_SECONDS = 600
"""How often everything should be looked through with `gc.collect`."""
NEVER = 1_000_000_000


def calm() -> None:
    """From now on look through young objects alone, and never through those that are here now."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, NEVER)

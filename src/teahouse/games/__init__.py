"""One folder for each game, all with the same files; `teahouse.core.catalog` finds them."""

import sys
from types import ModuleType

from teahouse.core import catalog


class _Games(ModuleType):
    """Makes the package callable: `teahouse.games` is both this package and a public function."""

    def __call__(self) -> list[str]:
        return catalog.games()


sys.modules[__name__].__class__ = _Games

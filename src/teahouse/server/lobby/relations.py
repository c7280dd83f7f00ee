"""What the lobby looks up about visitors: accounts by name, ratings, blocks."""

from __future__ import annotations

from collections.abc import Sequence

from teahouse.core.game import Game
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.models import Visitor, account_key
from teahouse.server.moderation.rows import blocked_either_way
from teahouse.server.ratings.eligibility import check_rateable
from teahouse.server.ratings.pools import pool_of
from teahouse.server.ratings.scale import Rating
from teahouse.server.ratings.service import Ratings
from teahouse.server.storage.store import Store
from teahouse.server.web.errors import ApiError
from teahouse.session import events as ev


class Relations:
    """Looks up accounts and what is known about them."""

    def __init__(self, store: Store, ratings: Ratings) -> None:
        self._store = store
        self._ratings = ratings

    async def challenged(self, visitor: Visitor, request: ChallengeIn) -> Account | None:
        """Return the account that is challenged; raise `ApiError` if that is not possible."""
        name = request.to
        if name is None:
            return None
        if visitor.account is None:
            raise ApiError("sign_in_required", "Please sign in to challenge a player by name.")
        found = await self._store.read(lambda connection: account_rows.by_name(connection, name))
        if found is None:
            raise ApiError("not_found", "There is no account with this name.")
        if found.id == visitor.account.id:
            raise ApiError("own_challenge", "You cannot challenge yourself.")
        if found.suspended(self._store.now().wall):
            raise ApiError("suspended", f"{found.name} cannot play at the moment.")
        if account_key(found.id) in await self.hidden(visitor):
            raise ApiError("blocked", f"You and {found.name} do not play each other.")
        return found

    async def rating(self, visitor: Visitor, game: Game) -> Rating | None:
        """Return an account's rating in a game; None for guests and where nobody is rated."""
        pool = pool_of(game)
        if pool is None or visitor.account is None:
            return None
        return await self._ratings.rating_of(visitor.account.id, pool)

    async def hidden(self, visitor: Visitor) -> frozenset[str]:
        """Return the keys of those whom a visitor neither sees nor plays."""
        account = visitor.account
        if account is None:
            return frozenset()
        found = await self._store.read(
            lambda connection: blocked_either_way(connection, account.id)
        )
        return frozenset(account_key(one) for one in found)

    async def check_not_blocked(self, visitor: Visitor, others: Sequence[Visitor]) -> None:
        """Raise `ApiError` if a visitor does not see one of the others."""
        hidden = await self.hidden(visitor)
        if any(other.key in hidden for other in others):
            raise ApiError("not_found", "There is no such challenge.")

    def check_rated(self, request: ChallengeIn, game: Game, visitor: Visitor) -> None:
        """Raise `ApiError` if a rated challenge could not be rated with any opponent."""
        if not request.rated:
            return
        account = visitor.account
        bots = {bot.seat: bot.level for bot in request.bots}
        created = ev.Created(
            game=game.name,
            options=game.options,
            seats=tuple(
                ev.BotSeat(level=bots[seat])
                if seat in bots
                else ev.HumanSeat(kind="remote", account=account.id if account else None)
                for seat in range(len(game.players))
            ),
            time_control=request.time_control.spec(),
        )
        check_rateable(game, created, [account])

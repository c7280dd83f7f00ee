"""Add ratings, their changes, rated games, and columns for the games of a profile."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and columns; earlier tables get their game, and were not rated."""
    op.create_table(
        "ratings",
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("pool", sa.String(100), primary_key=True),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("deviation", sa.Double, nullable=False),
        sa.Column("volatility", sa.Double, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("updated", sa.Double, nullable=False),
    )
    op.create_index("ratings_by_pool", "ratings", ["pool", "rating"])
    op.create_table(
        "rating_changes",
        sa.Column("table_id", sa.String(10), primary_key=True),
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("pool", sa.String(100), nullable=False),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("rating_before", sa.Double, nullable=False),
        sa.Column("deviation_before", sa.Double, nullable=False),
        sa.Column("volatility_before", sa.Double, nullable=False),
        sa.Column("updated_before", sa.Double),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("deviation", sa.Double, nullable=False),
        sa.Column("volatility", sa.Double, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
    )
    op.create_index("rating_changes_by_account", "rating_changes", ["account_id", "pool", "time"])
    op.create_table(
        "rated_games",
        sa.Column("table_id", sa.String(10), primary_key=True),
        sa.Column("pool", sa.String(100)),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("body", sa.Text),
    )
    op.create_index("rated_games_by_pool", "rated_games", ["pool", "time", "table_id"])
    op.add_column("tables", sa.Column("game", sa.String(40)))
    op.add_column("tables", sa.Column("pool", sa.String(100)))
    op.add_column(
        "tables", sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column(
        "tables", sa.Column("listed", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_index("tables_to_rate", "tables", ["rated", "over"])
    op.add_column("table_seats", sa.Column("outcome", sa.String(5)))
    op.add_column("table_seats", sa.Column("against_level", sa.Integer))
    _name_games()


def _name_games() -> None:
    """Store the game of every table, which was in its summary only."""
    tables = sa.table(
        "tables", sa.column("id", sa.String), sa.column("summary"), sa.column("game", sa.String)
    )
    connection = op.get_bind()
    rows = connection.execute(sa.select(tables.c.id, tables.c.summary)).all()
    values = [{"table_id": row.id, "name": json.loads(row.summary).get("game")} for row in rows]
    if values:
        same = tables.c.id == sa.bindparam("table_id")
        connection.execute(tables.update().where(same).values(game=sa.bindparam("name")), values)


def downgrade() -> None:
    """Drop the tables and columns."""
    op.drop_column("table_seats", "against_level")
    op.drop_column("table_seats", "outcome")
    op.drop_index("tables_to_rate", "tables")
    for column in ("listed", "rated", "pool", "game"):
        op.drop_column("tables", column)
    for table in ("rated_games", "rating_changes", "ratings"):
        op.drop_table(table)

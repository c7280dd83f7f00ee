"""Add ratings, their changes, rated games, and columns for the games of a profile."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and columns; earlier games were played by guests, and not rated."""
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
    op.add_column(
        "tables", sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column(
        "tables", sa.Column("listed", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_index("tables_to_rate", "tables", ["rated", "over"])
    for column in (
        sa.Column("created", sa.Double),
        sa.Column("game", sa.String(40)),
        sa.Column("pool", sa.String(100)),
        sa.Column("outcome", sa.String(5)),
        sa.Column("against_level", sa.Integer),
    ):
        op.add_column("table_seats", column)
    op.create_index("table_seats_by_time", "table_seats", ["account_id", "created", "table_id"])


def downgrade() -> None:
    """Drop the tables and columns."""
    op.drop_index("table_seats_by_time", "table_seats")
    for column in ("against_level", "outcome", "pool", "game", "created"):
        op.drop_column("table_seats", column)
    op.drop_index("tables_to_rate", "tables")
    for column in ("listed", "rated"):
        op.drop_column("tables", column)
    for table in ("rated_games", "rating_changes", "ratings"):
        op.drop_table(table)

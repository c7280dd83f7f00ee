"""Add tournaments and their events."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "tournaments",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("creator", sa.String(10), nullable=False),
        sa.Column("moment", sa.Double, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text),
    )
    op.create_index("tournaments_by_moment", "tournaments", ["status", "moment"])
    op.create_index("tournaments_by_creator", "tournaments", ["creator", "status"])
    op.create_table(
        "tournament_events",
        sa.Column("tournament_id", sa.String(10), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "tournament_players",
        sa.Column("tournament_id", sa.String(10), primary_key=True),
        sa.Column("account_id", sa.String(10), primary_key=True),
    )
    op.create_index("tournaments_of_account", "tournament_players", ["account_id"])


def downgrade() -> None:
    """Drop the tables."""
    for name in ("tournament_players", "tournament_events", "tournaments"):
        op.drop_table(name)

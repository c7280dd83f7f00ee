"""Add checkpoints of tables with their moves, and the last known time.

Tables of older versions get their checkpoint when they are loaded for the first time.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("tables", sa.Column("checkpoint", sa.Text, nullable=True))
    op.add_column("server", sa.Column("time", sa.Double, nullable=False, server_default="0"))
    op.create_table(
        "moves",
        sa.Column("table_id", sa.String(10), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("ply", sa.Integer, primary_key=True),
        sa.Column("player", sa.Integer, nullable=False),
        sa.Column("move", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop what was added; the events are complete without it."""
    op.drop_table("moves")
    op.drop_column("server", "time")
    op.drop_column("tables", "checkpoint")

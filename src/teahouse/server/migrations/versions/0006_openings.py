"""Add the opening moves of finished games, as counts."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; the finished games of earlier versions are counted once they are found."""
    op.create_table(
        "opening_moves",
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("options", sa.String(64), primary_key=True),
        sa.Column("position", sa.String(12), primary_key=True),
        sa.Column("after", sa.String(12), primary_key=True),
        sa.Column("outcome", sa.Integer, primary_key=True),
        sa.Column("games", sa.Integer, nullable=False),
    )
    op.add_column(
        "tables", sa.Column("counted", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_index("tables_to_count", "tables", ["over", "counted"])


def downgrade() -> None:
    """Drop the counts."""
    op.drop_index("tables_to_count", "tables")
    op.drop_column("tables", "counted")
    op.drop_table("opening_moves")

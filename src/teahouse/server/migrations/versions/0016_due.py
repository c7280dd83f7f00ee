"""Add when something is due at a table without a player's doing."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("tables", sa.Column("due_uptime", sa.Double))
    op.add_column("tables", sa.Column("due_wall", sa.Double))


def downgrade() -> None:
    """Drop the columns."""
    op.drop_column("tables", "due_wall")
    op.drop_column("tables", "due_uptime")

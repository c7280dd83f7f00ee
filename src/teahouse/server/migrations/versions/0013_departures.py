"""Add accounts that are being deleted, until everything of them is gone."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "departures",
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("replaced_by", sa.String(10), nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("departures")

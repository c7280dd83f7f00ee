"""Add challenges of accounts that stay open while their challenger is away."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "challenges",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("account_id", sa.String(10), nullable=False),
        sa.Column("to_account_id", sa.String(10)),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("challenges")

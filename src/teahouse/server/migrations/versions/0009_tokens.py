"""Add the API tokens of accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "api_tokens",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(10), nullable=False, unique=True),
        sa.Column("account_id", sa.String(10), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("scopes", sa.String(80), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires", sa.Double),
        sa.Column("used", sa.Double),
    )
    op.create_index("api_tokens_by_account", "api_tokens", ["account_id"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("api_tokens")

"""Add passkeys and recovery codes."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "passkeys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("account_id", sa.String(10), nullable=False),
        sa.Column("rp_id", sa.String(255), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", sa.BigInteger, nullable=False),
        sa.Column("synced", sa.Boolean, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("used", sa.Double),
    )
    op.create_index("passkeys_by_account", "passkeys", ["account_id"])
    op.create_table(
        "recovery_codes",
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("code_hash", sa.String(64), primary_key=True),
        sa.Column("created", sa.Double, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("recovery_codes")
    op.drop_table("passkeys")

"""Add accounts, their sessions, devices and data, and the seats that accounts play."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; the games of earlier versions were played by guests."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("name_key", sa.String(80), nullable=False, unique=True),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("owner", sa.String(10)),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("suspended_until", sa.Double),
        sa.Column("deleted", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("password_hash", sa.Text),
    )
    op.create_index("accounts_by_owner", "accounts", ["owner"])
    op.create_table(
        "account_sessions",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(10), nullable=False, unique=True),
        sa.Column("account_id", sa.String(10), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("used", sa.Double, nullable=False),
        sa.Column("browser", sa.String(80), nullable=False),
    )
    op.create_index("account_sessions_by_account", "account_sessions", ["account_id"])
    op.create_table(
        "account_devices",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("account_id", sa.String(10), nullable=False),
        sa.Column("used", sa.Double, nullable=False),
    )
    op.create_index("account_devices_by_account", "account_devices", ["account_id"])
    op.create_table(
        "account_data",
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("updated", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "table_seats",
        sa.Column("table_id", sa.String(10), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.String(10), nullable=False),
    )
    op.create_index("table_seats_by_account", "table_seats", ["account_id", "table_id"])


def downgrade() -> None:
    """Drop the tables."""
    for table in ("table_seats", "account_data", "account_devices", "account_sessions", "accounts"):
        op.drop_table(table)

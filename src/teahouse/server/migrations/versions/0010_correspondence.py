"""Add conditional moves, vacations, notices, and e-mail that is to be sent."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "conditional_moves",
        sa.Column("table_id", sa.String(10), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.String(10)),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("lines", sa.Text, nullable=False),
    )
    op.create_table(
        "vacations",
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("started", sa.Double, primary_key=True),
        sa.Column("until", sa.Double, nullable=False),
    )
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.String(10), nullable=False),
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("mailed", sa.Boolean, nullable=False),
    )
    op.create_index("notices_by_key", "notices", ["account_id", "key"], unique=True)
    op.create_index("notices_by_time", "notices", ["created"])
    op.create_table(
        "notification_settings",
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("feed_hash", sa.String(64), unique=True),
        sa.Column("email", sa.Text),
        sa.Column("verified", sa.Boolean, nullable=False),
        sa.Column("verify_hash", sa.String(64)),
        sa.Column("verify_sent", sa.Double),
        sa.Column("unsubscribe_key", sa.String(64), nullable=False, unique=True),
        sa.Column("mail_kinds", sa.Text, nullable=False),
        sa.Column("mail_minutes", sa.Integer, nullable=False),
        sa.Column("mailed_at", sa.Double),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.String(10), nullable=False),
        sa.Column("recipient", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("unsubscribe_url", sa.Text),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("due", sa.Double, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in ("outbox", "notification_settings", "notices", "vacations", "conditional_moves"):
        op.drop_table(table)

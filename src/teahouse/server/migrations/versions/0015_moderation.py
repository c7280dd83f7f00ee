"""Add roles and reasons of suspensions, blocked and muted players, reports, operators' actions."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and create the tables."""
    op.add_column("accounts", sa.Column("suspended_because", sa.Text))
    op.add_column("accounts", sa.Column("role", sa.String(10)))
    op.create_table(
        "account_relations",
        sa.Column("account_id", sa.String(10), primary_key=True),
        sa.Column("other_id", sa.String(10), primary_key=True),
        sa.Column("relation", sa.String(10), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
    )
    op.create_index("relations_by_other", "account_relations", ["other_id"])
    op.create_table(
        "reports",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("reporter", sa.String(10)),
        sa.Column("subject", sa.String(10), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("reason", sa.String(20), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("quote", sa.Text, nullable=False),
        sa.Column("account_id", sa.String(10)),
        sa.Column("table_id", sa.String(10)),
        sa.Column("seat", sa.Integer),
        sa.Column("closed", sa.Double),
        sa.Column("closed_by", sa.Text),
    )
    op.create_index("reports_by_time", "reports", ["created"])
    op.create_table(
        "operator_actions",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("operator", sa.Text, nullable=False),
        sa.Column("action", sa.String(20), nullable=False),
        sa.Column("account_id", sa.String(10)),
        sa.Column("table_id", sa.String(10)),
        sa.Column("report_id", sa.String(10)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("until", sa.Double),
        sa.Column("name", sa.String(20)),
        sa.Column("answer", sa.Text),
        sa.Column("finished", sa.Boolean, nullable=False),
    )
    op.create_index("operator_actions_by_time", "operator_actions", ["created"])


def downgrade() -> None:
    """Drop the tables and the columns."""
    for table in ("operator_actions", "reports", "account_relations"):
        op.drop_table(table)
    op.drop_column("accounts", "role")
    op.drop_column("accounts", "suspended_because")

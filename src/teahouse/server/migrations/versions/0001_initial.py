"""Create the tables of version 0.1.0."""

import sqlalchemy as sa
from alembic import op

revision = "first"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "tables",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("hashes", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
        sa.Column("alarm", sa.Boolean, nullable=False),
        sa.Column("changed", sa.Double, nullable=False),
    )
    op.create_index("tables_alarm", "tables", ["alarm"])
    op.create_index("tables_over", "tables", ["over", "changed"])
    op.create_index("tables_number", "tables", ["number", "changed"])
    op.create_table(
        "events",
        sa.Column("table_id", sa.String(10), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("wall", sa.Double, nullable=False),
        sa.Column("open", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("wall", sa.Double, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    house = op.create_table("house", sa.Column("open", sa.Double, nullable=False))
    op.bulk_insert(house, [{"open": 0.0}])


def downgrade() -> None:
    """Drop the tables."""
    for table in ("house", "records", "events", "tables"):
        op.drop_table(table)

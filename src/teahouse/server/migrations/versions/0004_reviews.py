"""Add reviews of records, with the evaluation of each position."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "reviews",
        sa.Column("record_id", sa.String(10), sa.ForeignKey("records.id"), primary_key=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("method", sa.Integer, nullable=False),
        sa.Column("finished", sa.Boolean, nullable=False),
    )
    op.create_index("reviews_finished", "reviews", ["finished"])
    op.create_table(
        "evaluations",
        sa.Column("record_id", sa.String(10), sa.ForeignKey("reviews.record_id"), primary_key=True),
        sa.Column("ply", sa.Integer, primary_key=True),
        sa.Column("stage", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables; reviews can be computed again."""
    op.drop_table("evaluations")
    op.drop_table("reviews")

"""Add what several processes share: places, seeks and messages of the lobby, claimed reviews."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; a challenge may be a guest's, and a process claims a review.

    `server.oldest_schema` says which versions may run on this schema and later ones.
    """
    with op.batch_alter_table("challenges") as challenges:
        challenges.alter_column("account_id", existing_type=sa.String(10), nullable=True)
    op.add_column("server", sa.Column("oldest_schema", sa.String(32)))
    op.add_column("reviews", sa.Column("process", sa.String(20)))
    op.add_column("reviews", sa.Column("claimed", sa.Double))
    op.create_table(
        "lobby_visitors",
        sa.Column("visitor", sa.String(80), primary_key=True),
        sa.Column("seen", sa.Double, nullable=False),
    )
    op.create_table(
        "lobby_messages",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("visitor", sa.String(80), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("lobby_messages_by_visitor", "lobby_messages", ["visitor"])
    op.create_table(
        "seeks",
        sa.Column("visitor", sa.String(80), primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("pace", sa.String(20), nullable=False),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("deviation", sa.Double, nullable=False),
        sa.Column("since", sa.Double, nullable=False),
        sa.Column("refused", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("account_id", sa.String(10)),
        sa.Column("process", sa.String(20), nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables, and the challenges of guests."""
    for name in ("seeks", "lobby_messages", "lobby_visitors"):
        op.drop_table(name)
    op.drop_column("reviews", "claimed")
    op.drop_column("reviews", "process")
    op.drop_column("server", "oldest_schema")
    op.execute("DELETE FROM challenges WHERE account_id IS NULL")
    with op.batch_alter_table("challenges") as challenges:
        challenges.alter_column("account_id", existing_type=sa.String(10), nullable=False)

"""The command `teahouse`, also as `python -m teahouse`."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while its modules are imported prints one line too."""
    try:
        from teahouse.terminal import commands

        commands.main()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()

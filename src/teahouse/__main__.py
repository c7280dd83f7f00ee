"""`python -m teahouse`: the same as the command `teahouse`."""

from teahouse.terminal.commands import main

if __name__ == "__main__":
    main()

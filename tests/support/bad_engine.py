"""A UGI engine that misbehaves in the way that its argument names; run as a script.

It knows no game: a legal first move is given as second argument, and played always.
"""

import os
import subprocess
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
MOVE = sys.argv[2] if len(sys.argv) > 2 else "0000"


def say(line: str) -> None:
    print(line, flush=True)


def hang() -> None:
    while True:
        time.sleep(60)


def ignore_terminate() -> None:
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def answer_go() -> None:
    if MODE in ("hang", "stubborn"):
        hang()
    if MODE == "flood":
        while True:
            say("info string " + "x" * 1000)
    if MODE == "long line":
        while True:
            sys.stdout.write("x" * 10_000)
    if MODE == "flood errors":
        while True:
            sys.stderr.write("x" * 10_000)
    if MODE == "garbage":
        sys.stdout.buffer.write(bytes(range(256)) * 20 + b"\nbestmove \xff\xfe\x00\n")
        sys.stdout.buffer.flush()
        return
    if MODE == "die":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    if MODE == "close":
        os.close(1)
        hang()
    if MODE == "illegal":
        say("bestmove z99")
    elif MODE == "empty":
        say("bestmove")
    else:
        say("info depth 1 nodes 7 score cp 0 pv " + MOVE)
        say(f"bestmove {MOVE} ponder {MOVE}")


def main() -> None:
    if MODE == "mute":
        hang()
    if MODE == "stubborn":
        ignore_terminate()
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(f"child {child.pid}", file=sys.stderr, flush=True)
    if MODE == "slow start":
        time.sleep(0.3)
    if MODE == "deaf":
        os.close(0)
        hang()
    for line in sys.stdin:
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if word == "ugi":
            say("id name Bad Engine")
            say("option name Some Thing type string default <empty>")
            say("ugiok")
        elif word == "isready":
            if MODE == "premature":
                say("bestmove z99")
            say("readyok")
        elif word == "go":
            answer_go()
        elif word == "query":
            say("response true")  # the game is over, and it is always the first player's turn
        elif word == "quit" and MODE != "never quits":
            return


if __name__ == "__main__":
    main()

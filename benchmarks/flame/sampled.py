"""
Run a command of exitgate and keep where its time goes: a process of `flame.py`, never imported.

    python sampled.py SAMPLES exitgate-words...

`SAMPLES` gets a line for each sample: the frames from the outermost in, joined by ``;``.
"""

import os
import signal
import sys

#: Seconds of processor time between samples; most kernels give no more than 250 a second.
BETWEEN = 0.001
stacks = []


def sample(_signal, frame):
    stack = []
    while frame is not None:
        code = frame.f_code
        stack.append((code.co_filename, code.co_name))
        frame = frame.f_back
    stacks.append(stack)


def name(file, function):
    for mark in ("/exitgate/", "/site-packages/", "/lib/python"):
        if mark in file:
            file = file.rpartition(mark)[2]
            break
    return f"{file.removesuffix('.py')}:{function}".replace(";", ",")


def end(code):
    signal.setitimer(signal.ITIMER_PROF, 0)
    with open(destination, "w", encoding="utf-8") as file:
        for stack in stacks:
            file.write(";".join(name(*frame) for frame in reversed(stack)) + "\n")
    leave(code)


destination = sys.argv[1]
sys.argv = ["exitgate", *sys.argv[2:]]
leave, os._exit = os._exit, end
signal.signal(signal.SIGPROF, sample)
signal.setitimer(signal.ITIMER_PROF, BETWEEN, BETWEEN)

from exitgate.cli.main import main  # noqa: E402

end(main())

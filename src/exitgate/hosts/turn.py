"""The end of one turn as a host tells it."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.waiting import Task


class Turn(Value):
    """
    What a host's payload says, in one form for all hosts.

    Args:
        session: The host's id of the session, or the empty text.
        root: Folder of the project: an absolute path that exists.
        message: What the agent said last; None where the payload does not say.
        prompt: What the user asked, where the payload says; else None.
        prompt_id: The host's id of the user's prompt, the same for all stops until the next one;
            the empty text where there is none.
        stamp: The host's time of this very event, or the empty text.
        active: Whether the agent continues because it was held back, as the host says; None where it
            does not say.
        held: How often the host says it was held back since the last prompt; 0 where it does not say.
        waiting: What runs in the background and may wake the agent.
        transcript: Path of the session's transcript, or None.
        gathered: Whether the message holds all that was said since the user's prompt, at every stop anew.
        aside: Why this is not an end of a turn to decide on, or the empty text: an agent below the
            agent, another event, an interrupt.
    """

    __slots__ = (
        "active", "aside", "gathered", "held", "message", "prompt", "prompt_id", "root", "session", "stamp",
        "transcript", "waiting",
    )  # fmt: skip

    def __init__(
        self,
        session: str,
        root: str,
        message: str | None = None,
        prompt: str | None = None,
        prompt_id: str = "",
        stamp: str = "",
        active: bool | None = None,
        held: int = 0,
        waiting: tuple[Task, ...] = (),
        transcript: str | None = None,
        aside: str = "",
        gathered: bool = False,
    ) -> None:
        self.session = session
        self.root = root
        self.message = message
        self.prompt = prompt
        self.prompt_id = prompt_id
        self.stamp = stamp
        self.active = active
        self.held = held
        self.waiting = waiting
        self.transcript = transcript
        self.aside = aside
        self.gathered = gathered


class Reply(Value):
    """
    What is answered.

    Args:
        out: The one JSON object for stdout, plain values.
        err: For stderr, line ends included: what the user should see of a host that shows nothing else.
    """

    __slots__ = ("err", "out")

    def __init__(self, out: dict[str, object] | None = None, err: str = "") -> None:
        self.out: dict[str, object] = {} if out is None else out
        self.err = err


#: Leaves the host alone.
NOTHING = Reply()

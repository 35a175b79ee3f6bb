"""A plain JSON object and typed reads of its members, for values that came from elsewhere."""

from __future__ import annotations

from exitgate.core.model.value import is_number, is_whole
from exitgate.core.system.quick_json import LazyJson, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import TypeVar

    #: A JSON value: None, a bool, a number, a text, an array or an object.
    Json = object
    Default = TypeVar("Default", default=None)


_ARRAY = (list, tuple)


class Packed(LazyJson):
    """
    An array or object as its JSON text, read when it is first asked for.

    Typed reads see what it holds. It is equal to another of the same text.

    Args:
        raw: The text, ASCII, as `exitgate.core.system.quick_json.dumps` writes it.
    """

    __slots__ = ("_read", "raw")

    def __init__(self, raw: bytes | memoryview) -> None:
        self.raw = raw
        self._read: Json = None

    @classmethod
    def of(cls, value: Json) -> Packed:
        """Return an array or object packed; one that is packed as it is."""
        return value if isinstance(value, cls) else cls(dumps(value).encode("ascii"))

    def read(self) -> Json:
        """
        Return the array or object, the same one each time.

        Raises:
            ValueError: The text is not JSON.
        """
        if self._read is None:
            read = loads(str(self.raw, "ascii"))
            self._read = JsonObject(read) if isinstance(read, dict) else read
        return self._read

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packed) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"Packed({bytes(self.raw)!r})"

    def __reduce__(self) -> tuple[type[Packed], tuple[bytes]]:
        return Packed, (bytes(self.raw),)


def unpacked(value: Json) -> Json:
    """Return what a packed value holds, any other as it is."""
    return value.read() if value.__class__ is Packed else value


class JsonObject(dict[str, object]):
    """
    A JSON object: a dict with typed reads of its members.

    A member that is missing, null or of another type is as if absent: the read returns its default. True
    and false are not numbers. An array is a list, or a tuple where the program made it. No range is
    checked, so NaN and the infinities are numbers. To all else it is a dict; wrapping one copies its
    outermost level only.
    """

    __slots__ = ()

    def text(self, name: str, default: Default = None) -> str | Default:  # type: ignore[assignment]
        """Return a text, which may be empty."""
        value = self.get(name)
        return value if isinstance(value, str) else default

    def flag(self, name: str, default: Default = None) -> bool | Default:  # type: ignore[assignment]
        """Return true or false."""
        value = self.get(name)
        return value if isinstance(value, bool) else default

    def whole(self, name: str, default: Default = None) -> int | Default:  # type: ignore[assignment]
        """Return a number that is written without a fraction: not 2.0."""
        value = whole_of(self.get(name))
        return default if value is None else value

    def number(self, name: str, default: Default = None) -> float | Default:  # type: ignore[assignment]
        """Return a number, an int as an int."""
        value = number_of(self.get(name))
        return default if value is None else value

    def array(self, name: str) -> Sequence[Json]:
        """Return the items of an array as they are; none by default."""
        return array_of(self.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the items of an array that are texts; none by default."""
        return texts_of(self.get(name))

    def one_or_more(self, name: str) -> tuple[str, ...]:
        """Return a text, or the items of an array that are texts; none by default."""
        return one_or_more(self.get(name))

    def own_texts(self) -> list[str]:
        """Return the members that are texts, in order."""
        return [value for value in self.values() if isinstance(value, str)]

    def object(self, name: str) -> JsonObject:
        """Return an object; an empty one by default."""
        return object_of(self.get(name))

    def objects(self, name: str) -> list[JsonObject]:
        """Return the items of an array that are objects; none by default."""
        return objects_of(self.get(name))


#: Class of a value -> what JSON calls it.
_KINDS = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
    dict: "object",
    JsonObject: "object",
}


#: Those that hold one value.
SCALARS = frozenset(("boolean", "number", "string"))


def kind_of(value: Json) -> str:
    """Return what JSON calls a value, such as `null`, `boolean` or `array`; empty where it is not JSON."""
    return _KINDS.get(value.__class__, "")


def whole_of(value: Json) -> int | None:
    """Return a number without a fraction; None for anything else."""
    return value if is_whole(value) else None


def number_of(value: Json) -> float | None:
    """Return a number; None for anything else."""
    return value if is_number(value) else None


def array_of(value: Json) -> Sequence[Json]:
    """Return an array as it is; an empty one for anything else."""
    if isinstance(value, _ARRAY):
        return value
    return array_of(value.read()) if isinstance(value, Packed) else ()


def texts_of(value: Json) -> tuple[str, ...]:
    """Return the items of an array that are texts; none for anything else."""
    return tuple([item for item in array_of(value) if isinstance(item, str)])


def one_or_more(value: Json) -> tuple[str, ...]:
    """Return a text, or the items of an array that are texts; none for anything else."""
    return (value,) if isinstance(value, str) else texts_of(value)


def object_of(value: Json) -> JsonObject:
    """Return an object; an empty one for anything else."""
    if isinstance(value, dict):
        return as_object(value)
    return object_of(value.read()) if isinstance(value, Packed) else JsonObject()


def object_or_none(value: Json) -> JsonObject | None:
    """Return an object, which may be empty; None for anything else."""
    return as_object(value) if isinstance(value, dict) else None


def as_object(members: Mapping[str, Json]) -> JsonObject:
    """Return a mapping as an object, itself where it is one."""
    return members if isinstance(members, JsonObject) else JsonObject(members)


def objects_of(value: Json) -> list[JsonObject]:
    """Return the items of an array that are objects; none for anything else."""
    return [
        item if item.__class__ is JsonObject else JsonObject(item)
        for item in array_of(value)
        if isinstance(item, dict)
    ]

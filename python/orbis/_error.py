"""The exception of everything that can fail."""

from __future__ import annotations


class Error(Exception):
    """A failure with its place: what is wrong, where, and what to do next.

    `str(error)` is the whole of it in one line.
    """

    def __init__(self, text: str, *, code: str, problem: str, file: str | None = None,
                 region: tuple[int, int] | None = None, chunk: tuple[int, int] | None = None,
                 section: int | None = None, part: str | None = None, offset: int | None = None,
                 advice: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.problem = problem
        self.file = file
        self.region = region
        self.chunk = chunk
        self.section = section
        self.part = part
        self.offset = offset
        self.advice = advice

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (str(self), {name: value for name, value in vars(self).items() if name in _FIELDS})


_FIELDS = ("code", "problem", "file", "region", "chunk", "section", "part", "offset", "advice")


def _again(text: str, fields: dict[str, object]) -> Error:
    """For pickle, by which errors come back from other processes."""
    return Error(text, **fields)  # type: ignore[arg-type]

"""Messages: the progress of long work, counts with their nouns, and untrusted text made harmless.

Text bound for a terminal, a line of a list or JSON must not contain characters with side effects. Control characters
end lines or control the terminal; U+0085, U+2028 and U+2029 end lines in many programs; bidirectional marks change the
order in which text is shown; lone surrogates cannot be encoded. In URLs they are percent-encoded, as browsers do; in
messages they appear as \\x1b or \\u202e.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total) by long work; total is 0 if unknown."""

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_IN_ARROW = r"[\x00-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]"
_ENCODED = re.compile(
    "%(?:[01][0-9A-F]|7F|C2%[89][0-9A-F]|D8%9C|E2%80%(?:8[EF]|A[89A-E])|E2%81%A[6-9]|ED%[AB][0-9A-F]%[89AB][0-9A-F])"
)


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """1 seed, 2 seeds, 1,204 entries; `nouns` is the plural if adding an s is not enough."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def visible(text: object) -> str:
    """Text for a message: one line, every unsafe character shown as an escape."""
    return UNSAFE.sub(_shown, str(text))


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def safe_url(url: str) -> str:
    """A URL for a line of a list or of output, with unsafe characters percent-encoded."""
    return UNSAFE.sub(lambda match: quote(match[0], errors="surrogatepass"), url)


def raw_url(url: str) -> str:
    """Undo safe_url(), unless some of these characters were already percent-encoded in the URL."""
    return _ENCODED.sub(lambda match: unquote(match[0], errors="surrogatepass"), url)


def safe_urls(urls: Any) -> Any:
    """safe_url() for an Arrow array of strings; only the few URLs with unsafe characters are handled one by one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unsafe = pc.match_substring_regex(urls, _UNSAFE_IN_ARROW)
    if not pc.any(unsafe).as_py():
        return urls
    changed = pa.array([safe_url(url) for url in urls.filter(unsafe).to_pylist()], urls.type)
    return pc.replace_with_mask(urls, unsafe, changed)


def json_text(text: str) -> str:
    """The output of json.dumps(), plus escapes for the unsafe characters that it leaves alone without ensure_ascii."""
    return UNSAFE.sub(lambda one: one[0] if one[0] == "\n" else f"\\u{ord(one[0]):04x}", text)

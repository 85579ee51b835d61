"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile

from ._error import refused


def write_files(folder: str, files: dict[str, bytes]) -> None:
    """Writes files into a folder that is made where there is none: each is there whole or not at all."""
    try:
        os.makedirs(folder, exist_ok=True)
        for name, content in files.items():
            handle, unfinished = tempfile.mkstemp(prefix=".nodeorder-", suffix=".tmp", dir=folder)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(content)
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(unfinished, 0o666 & ~mask)
                os.replace(unfinished, os.path.join(folder, name))
            except BaseException:
                os.unlink(unfinished)
                raise
    except OSError as error:
        raise refused(folder, str(error), "a folder that may be written") from error

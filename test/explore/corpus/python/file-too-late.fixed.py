"""Creates a payment link once: the idempotency key is in a file before the first attempt, the address after it."""

import sys
import uuid
from pathlib import Path

from client import create_link

file, key_file = Path(sys.argv[1]), Path(f"{sys.argv[1]}.key")
if not file.exists():
    if not key_file.exists():
        part = key_file.with_suffix(".part")
        part.write_text(str(uuid.uuid4()))
        part.rename(key_file)
    link = create_link("inv_7", key=key_file.read_text())
    file.write_text(link["paymentUrl"])
print(file.read_text())

"""Creates a payment link once: its address is kept in a file."""

import sys
from pathlib import Path

from client import create_link

file = Path(sys.argv[1])
if not file.exists():
    link = create_link("inv_7")
    file.write_text(link["paymentUrl"])
print(file.read_text())

"""The rule for project ids, as in examples/project-ids.json: a readable part, and a hash of all names."""

import re


def project_id_for(*names):
    readable = re.sub("[^A-Za-z0-9]+", "-", names[-1] if names else "")[:40].strip("-").lower()
    digest = 0xCBF29CE484222325  # FNV-1a with 64 bits
    for byte in "\0".join(names).encode():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"{readable or 'test'}-{digest:016x}"

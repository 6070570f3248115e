import json
from pathlib import Path

import pytest

from pytest_paylink_mock import project_id_for

VECTORS = json.loads((Path(__file__).parent.parent / "project-ids.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_project_id(vector):
    assert project_id_for(*vector["names"]) == vector["id"]

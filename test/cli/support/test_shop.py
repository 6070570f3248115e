"""A suite for pytest and unittest: a customer who clicks once."""

import os
import unittest
import urllib.request


class TestShop(unittest.TestCase):
    def test_pays(self):
        request = urllib.request.Request(f"{os.environ['SERVICE_URL']}/pay", b"")
        with urllib.request.urlopen(request) as response:
            self.assertEqual(response.status, 200)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what scripts/tcp-keys asks a sweep for, and how it shows a change."""

import importlib.machinery
import importlib.util
import os
import unittest

loader = importlib.machinery.SourceFileLoader("tcp_keys", os.environ["TCP_KEYS"])
tcp_keys = importlib.util.module_from_spec(importlib.util.spec_from_loader("tcp_keys", loader))
loader.exec_module(tcp_keys)

KEYS = {"tcp.sack_of_old": {"linux": "true", "rfc": "false"}, "tcp.slack": {"linux": "2ms", "rfc": "0"}}


class TcpKeys(unittest.TestCase):
    def test_each_key_alone_is_as_in_the_other_profile(self):
        text = tcp_keys.sweep_text(KEYS, tcp_keys.variants(KEYS), 8)
        self.assertIn('key = "tcp.profile"; values = ("linux", "linux", "linux", "rfc", "rfc", "rfc");', text)
        self.assertIn('key = "tcp.sack_of_old"; values = (true, false, true, false, true, false); '
                      'with = "tcp.profile";', text)
        self.assertIn('key = "tcp.slack"; values = ("2ms", "2ms", 0, 0, 0, "2ms"); with = "tcp.profile";',
                      text)
        self.assertIn('{ key = "run.seed"; from = 1; to = 8; }', text)

    def test_the_keys_are_those_of_the_page(self):
        os.chdir(os.environ["SOURCE_ROOT"])
        keys = tcp_keys.profile_keys()
        self.assertEqual(keys["tcp.timer_slack"], {"linux": "2ms", "rfc": "0"})
        self.assertEqual(len(keys), 26)
        for key in keys:
            self.assertIn(f"`{key}`", tcp_keys.PAGE.read_text(encoding="utf-8").split(tcp_keys.BEGIN)[1])

    def test_a_change_whose_interval_has_0_in_it_is_none(self):
        self.assertEqual(tcp_keys.change([2, -10.7, 14.7], "number"), "–")
        self.assertEqual(tcp_keys.change([0, 0, 0], "octets"), "–")
        self.assertEqual(tcp_keys.change([11, 8.5, 13.5], "number"), "+11.0 (8.5 to 13.5)")
        self.assertEqual(tcp_keys.change([-11, -13.5, -8.5], "number"), "-11.0 (-13.5 to -8.5)")
        self.assertEqual(tcp_keys.change([1024, 1024, 1024], "octets"), "+1 KiB")


if __name__ == "__main__":
    unittest.main()

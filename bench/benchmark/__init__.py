# SPDX-License-Identifier: GPL-2.0-only
"""This is what bench/run and scripts/instructions are made of."""

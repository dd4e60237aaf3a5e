# SPDX-License-Identifier: GPL-2.0-only
"""What bench/run and scripts/instructions are made of."""

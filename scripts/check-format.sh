#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Checks that every C and C++ file is formatted as .clang-format requires.
set -eu
cd "$(dirname "$0")/.."
git ls-files -z -- '*.c' '*.h' '*.cc' '*.hh' | xargs -0 clang-format --dry-run --Werror

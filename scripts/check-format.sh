#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every C and C++ file is as .clang-format says.
set -eu
cd "$(dirname "$0")/.."
git ls-files -z -- '*.c' '*.h' '*.cc' '*.hh' | xargs -0 clang-format --dry-run --Werror

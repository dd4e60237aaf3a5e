#!/bin/sh
# clang-tidy (.clang-tidy) and cppcheck over our own code; the tests' code is compiled with all warnings, not analysed.
set -eu
cd "$(dirname "$0")/.."
# gcc's flags are in the compilation database: clang need not know them all.
git ls-files -z -- 'model/*.c' 'shim/*.c' |
  xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet --extra-arg=-Wno-ignored-optimization-argument -p "${BUILD:-build}" 2>/dev/null >/tmp/iwarpsim-tidy.$$ || {
  cat /tmp/iwarpsim-tidy.$$
  rm -f /tmp/iwarpsim-tidy.$$
  exit 1
}
rm -f /tmp/iwarpsim-tidy.$$
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
  --suppress=missingIncludeSystem --library=gtk -j "$(nproc)" -I model -I . model shim/*.c

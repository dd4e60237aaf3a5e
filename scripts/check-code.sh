#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# This runs clang-tidy (.clang-tidy) and cppcheck over our own code; the tests' code is compiled with all
# warnings, not analysed. clang's analyzer leaves a function after 5,000 program states: the few that have
# more take nine tenths of its time. `--deep` has its own limit, 225,000, and reads the C++ too, whose ns-3
# headers take long (scripts/test.sh --long).
set -eu
cd "$(dirname "$0")/.."
nodes=5000
shim='shim/*.c'
cplusplus=
case "$*" in
'') ;;
--deep)
  nodes=225000
  cplusplus='shim/*.cc examples/*.cc'
  ;;
*)
  echo "usage: scripts/check-code.sh [--deep]" >&2
  exit 2
  ;;
esac
if ! grep -q 'shim/ns3_tcp_transport\.c' "${BUILD:-build}/compile_commands.json"; then
  echo "check-code: ${BUILD:-build} was made without ns-3: clang-tidy leaves out shim/ and examples/"
  shim=
  cplusplus=
fi
# gcc's flags are in the compilation database: clang need not know them all.
set -f # git expands the patterns
git ls-files -z -- 'model/*.c' $shim $cplusplus |
  xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet --extra-arg=-Wno-ignored-optimization-argument \
    --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes="$nodes" -p "${BUILD:-build}" 2>/dev/null >/tmp/iwarpsim-tidy.$$ || {
  cat /tmp/iwarpsim-tidy.$$
  rm -f /tmp/iwarpsim-tidy.$$
  exit 1
}
rm -f /tmp/iwarpsim-tidy.$$
# Its preprocessor does not unwrap the facts of a key, which are in parentheses. It would take the macros that
# the tables (*.def) look for as configurations, and read each file up to twelve times.
cppcheck --quiet --max-configs=1 --suppress=toomanyconfigs --std=c11 --std=c++17 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
  --suppress=missingIncludeSystem --suppress=syntaxError:model/scenario/keys.def --library=gtk --library=scripts/cppcheck-glib.cfg -j "$(nproc)" -I model -I . model shim examples

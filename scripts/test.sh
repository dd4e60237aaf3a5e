#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing, builds, checks style, and passes every test: those of the program as users run it,
# those of the modules under ASan and UBSan, which also fuzz its readers. Ends with one line "N passed, N failed".
#
#     scripts/test.sh
#     scripts/test.sh --long [PART…]     what takes hours, in parts, of which those that have passed on this commit are
#                                        not run again (scripts/long-tests.txt, scripts/parts)
#     scripts/test.sh --long --list      the parts, with what came of them, and the time that each took
#     scripts/test.sh --in FOLDER …      tests of one build folder, chosen by meson's names and options
set -eu
cd "$(dirname "$0")/.."

# These suites run the program, compare whole simulations or try our scripts. The other suites are of one
# module each; what is also in suite both_ways leaves something out under sanitizers.
program_suites="bench cli documents end_to_end findings golden house mutants requirements survival"

say() {
  printf '== %s  %s\n' "$(date +%T)" "$*"
}

count() { # name, command…: one check, counted
  name=$1
  shift
  say "$name"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "FAILED: $name"
  fi
}

# What waits most of its time, or takes its time however busy the machine is, goes on beside the rest.
start() { # noun, command…
  noun=$1
  shift
  "$@" >"$work/$noun.log" 2>&1 &
  echo $! >"$work/$noun.id"
}

finish() { # noun: waits for it, prints what it printed but ninja's lines of what is compiled, returns its exit code
  code=0
  wait "$(cat "$work/$1.id")" || code=$?
  rm "$work/$1.id"
  sed '/^\[[0-9]*\/[0-9]*\] /d' "$work/$1.log"
  return "$code"
}

# Builds what the chosen tests need, and runs them: twice as many at a time as there are processors, since
# some wait. Sanitizers have a shorter quarantine of freed memory: each page in it is one that the kernel has to
# clear. To be started: meson takes the place of the shell, so that it can be killed.
run_tests() { # folder, meson test options…
  folder=$1
  shift
  export ASAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_summary=1:quarantine_size_mb=16
  exec meson test -C "$folder" --print-errorlogs --timeout-multiplier 5 --num-processes $(($(nproc) * 2)) "$@"
}

finish_tests() { # folder: counts what was started by its name
  say "tests in $1"
  finish "$1" || true
  ok=$(sed -n 's/^Ok: *\([0-9]*\).*/\1/p' "$work/$1.log")
  bad=$(sed -n -e 's/^Fail: *\([0-9]*\).*/\1/p' -e 's/^Timeout: *\([0-9]*\).*/\1/p' \
    -e 's/^Unexpected Pass: *\([0-9]*\).*/\1/p' "$work/$1.log" | awk '{ n += $1 } END { print n + 0 }')
  if [ -z "$ok" ] || [ "$((ok + bad))" -eq 0 ]; then
    say "FAILED: $1 ran no test"
    bad=$((bad + 1))
  fi
  passed=$((passed + ${ok:-0}))
  failed=$((failed + bad))
}

# There are seven targets: the others link nearly all of the program, which clang takes minutes to build once
# more; the tests run their corpora. Their build is one without ns-3 and without C++: the program builds
# there, runs what it can, and reports what it lacks.
fuzz_without_ns3() {
  scripts/fuzz.sh 5 capture decode deframer headers scenario startup stream && run_tests build-fuzz cli_engine
}

case ${1:-} in
'') ;;
--in)
  shift
  run_tests "$@"
  ;;
--long)
  shift
  [ "${1:-}" = --list ] || scripts/setup.sh --sanitizers
  exec scripts/parts scripts/long-tests.txt build-long "$@"
  ;;
*)
  echo "usage: scripts/test.sh [--long [--list | PART…] | --in FOLDER …]" >&2
  exit 2
  ;;
esac

passed=0
failed=0
work=$(mktemp -d)
# With nothing left to end, kill fails, and under set -e its exit code would become the script's.
trap 'kill $(cat "$work"/*.id 2>/dev/null) 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

scripts/setup.sh --sanitizers
start build run_tests build --no-suite long $(printf -- '--suite %s ' $program_suites both_ways)
count "layers (who includes whom)" scripts/check-layers
count "house (circles, uncalled functions, who keeps a scenario: no more than scripts/house allows)" scripts/house --check
count "citations (what code, tests and pages cite is in the repository)" scripts/check-citations
count "format (clang-format)" scripts/check-format.sh
count "licence (every source file has its SPDX line)" scripts/spdx
count "requirements (every MUST has its test)" scripts/requirements --check
count "static analysis (clang-tidy, cppcheck)" scripts/check-code.sh
count "instructions (a data segment costs no more than 2 % above bench/instructions.tsv)" scripts/instructions --check
count "mutants (two breaks of model/net, on its own tests)" scripts/mutants --count 2 --suite net model/net
count "findings (docs/findings.md is what the reference results give)" scripts/findings --check
count "golden outputs (every 25th case)" scripts/golden --sample 25
count "reference results (two small studies made anew)" scripts/findings overhead packing
start fuzzing fuzz_without_ns3
start build-sanitizers run_tests build-sanitizers --no-suite long $(printf -- '--no-suite %s ' $program_suites)
finish_tests build
finish_tests build-sanitizers
count "fuzzing (seven targets 5 s), and without ns-3 (it builds and reports what it lacks)" finish fuzzing
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]

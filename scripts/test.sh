#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing, builds, checks style, and passes every test: those of the program as users run it,
# those of the modules under ASan and UBSan, which also fuzz its readers. `--long` passes all of them both
# ways, and adds what takes minutes. Ends with one line "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."

long=
case ${1:-} in
'') ;;
--long) long=yes ;;
*)
  echo "usage: scripts/test.sh [--long]" >&2
  exit 2
  ;;
esac

# What runs the program, compares whole simulations or tries our scripts. The other suites are of one module
# each; what is also in suite both_ways leaves something out under sanitizers.
program_suites="bench cli documents end_to_end findings golden house mutants requirements survival"

say() {
  printf '== %s  %s\n' "$(date +%T)" "$*"
}

passed=0
failed=0
work=$(mktemp -d)
# With nothing left to end, kill fails, and under set -e its exit code would become the script's.
trap 'kill $(cat "$work"/*.id 2>/dev/null) 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

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
# some wait. To be started: meson takes the place of the shell, so that it can be killed.
run_tests() { # folder, meson test options…
  folder=$1
  shift
  exec meson test -C "$folder" --print-errorlogs --timeout-multiplier 5 --num-processes $(($(nproc) * 2)) "$@"
}

# meson's own options, and a shorter quarantine of freed memory: each page in it is one that the kernel has to
# clear.
run_sanitizers() { # meson test options…
  export ASAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_summary=1:quarantine_size_mb=16
  run_tests build-sanitizers "$@"
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

# The program without ns-3 and without C++, as the fuzzing build is: it builds, runs what it can, and reports
# what it lacks.
test_without_ns3() {
  start without-ns3 run_tests build-fuzz cli_engine
  finish without-ns3
}

# Another compiler, another processor: the same results.
golden_of() { # scripts/setup.sh's option, program
  scripts/setup.sh "$1" && IWARPSIM=$2 scripts/golden
}

scripts/setup.sh --sanitizers
if [ -n "$long" ]; then
  start build run_tests build
else
  start build run_tests build --no-suite long $(printf -- '--suite %s ' $program_suites both_ways)
fi
count "layers (who includes whom)" scripts/check-layers
count "house (circles, uncalled functions, who keeps a scenario: no more than scripts/house allows)" scripts/house --check
count "citations (what code, tests and pages cite is in the repository)" scripts/check-citations
count "format (clang-format)" scripts/check-format.sh
count "licence (every source file has its SPDX line)" scripts/spdx
count "requirements (every MUST has its test)" scripts/requirements --check
count "static analysis (clang-tidy, cppcheck)" scripts/check-code.sh ${long:+--deep}
count "instructions (a data segment costs no more than 5 % above bench/instructions.tsv)" scripts/instructions --check
count "mutants (two breaks of model/net, on its own tests)" scripts/mutants --count 2 --suite net model/net
count "findings (docs/findings.md is what the reference results give)" scripts/findings --check
if [ -n "$long" ]; then
  finish_tests build
  count "fuzzing (every target 10 s)" scripts/fuzz.sh 10
  count "reference results (every study made anew)" scripts/findings
  count "golden outputs (every case)" scripts/golden
  count "clang (it builds the program; every golden case)" golden_of --clang build-clang/iwarpsim
  count "arm64 (under qemu, without ns-3; every golden case)" golden_of --arm64 build-arm64/program
  count "Debian packages (lintian, and tried in a Debian of their own)" scripts/package.sh --try
  count "keys of tcp.profile (docs/tcp-linux.md is what the studies give)" scripts/tcp-keys
  count "mutants (20 breaks of the model, of which 12 may survive: about one in five is equivalent)" scripts/mutants --count 20 --at-most 12
  start build-sanitizers run_sanitizers
  finish_tests build-sanitizers
else
  count "golden outputs (every 25th case)" scripts/golden --sample 25
  count "reference results (two small studies made anew)" scripts/findings overhead packing
  # The other targets link nearly all of the program, which clang takes minutes to build once more; the tests
  # run their corpora.
  start fuzzing scripts/fuzz.sh 5 capture decode deframer headers scenario startup stream
  start build-sanitizers run_sanitizers --no-suite long $(printf -- '--no-suite %s ' $program_suites)
  finish_tests build
  finish_tests build-sanitizers
  count "fuzzing (seven targets 5 s)" finish fuzzing
fi
count "without ns-3 (it builds and reports what it lacks)" test_without_ns3
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]

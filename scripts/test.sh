#!/bin/sh
# Installs what is missing, builds, checks style, and passes every test: once as users run the program, once under
# ASan and UBSan, which also fuzz its readers. `--long` adds what takes minutes. Ends with one line "N passed, N failed".
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

say() {
  printf '== %s  %s\n' "$(date +%T)" "$*"
}

passed=0
failed=0

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

run_tests() { # folder, meson test options…
  folder=$1
  shift
  log=$(mktemp)
  say "tests in $folder"
  # Twice as many as there are processors: some tests wait most of their time.
  meson test -C "$folder" --no-rebuild --print-errorlogs --timeout-multiplier 5 --num-processes $(($(nproc) * 2)) "$@" >"$log" 2>&1 || true
  cat "$log"
  ok=$(sed -n 's/^Ok: *\([0-9]*\).*/\1/p' "$log")
  bad=$(sed -n -e 's/^Fail: *\([0-9]*\).*/\1/p' -e 's/^Timeout: *\([0-9]*\).*/\1/p' \
    -e 's/^Unexpected Pass: *\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  rm -f "$log"
  if [ -z "$ok" ] || [ "$((ok + bad))" -eq 0 ]; then
    say "FAILED: $folder ran no test"
    bad=$((bad + 1))
  fi
  passed=$((passed + ${ok:-0}))
  failed=$((failed + bad))
}

# meson's own options, and a shorter quarantine of freed memory: each page in it is one that the kernel has to clear.
test_sanitizers() {
  ASAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_summary=1:quarantine_size_mb=16 run_tests build-sanitizers "$@"
}

# The program without ns-3 and without C++: it builds, runs what it can, and says what it cannot.
test_without_ns3() {
  rm -rf build-without-ns3
  meson setup build-without-ns3 -Dns3=disabled -Db_lto=false -Doptimization=0 -Ddebug=false >/dev/null &&
    ninja -C build-without-ns3 iwarpsim tests/cli/test_cli_engine tests/cli/iwarpsim-ns3.so >/dev/null &&
    meson test -C build-without-ns3 --no-rebuild --print-errorlogs cli_engine
}

# Fuzzing takes its time however busy the machine is: what is short goes on beside it.
start_fuzzing() { # targets…
  fuzz_log=$(mktemp)
  scripts/fuzz.sh 10 "$@" >"$fuzz_log" 2>&1 &
  fuzz_id=$!
}

end_fuzzing() {
  code=0
  wait "$fuzz_id" || code=$?
  cat "$fuzz_log"
  rm -f "$fuzz_log"
  return "$code"
}

scripts/setup.sh --sanitizers
count "layers (who includes whom)" scripts/check-layers.sh
count "format (clang-format)" scripts/check-format.sh
count "requirements (every MUST has its test)" scripts/requirements --check
count "static analysis (clang-tidy, cppcheck)" scripts/check-code.sh ${long:+--deep}
if [ -n "$long" ]; then
  start_fuzzing
else
  # The others link nearly all of the program, which clang takes minutes to build once more; their corpora are tests of both builds.
  start_fuzzing capture decode deframer headers scenario startup stream
fi
count "instructions (a data segment costs no more than 5 % above bench/instructions.tsv)" scripts/instructions --check
count "without ns-3 (it builds and says what it lacks)" test_without_ns3
count "findings (docs/findings.md is what the reference results give)" scripts/findings --check
if [ -n "$long" ]; then
  count "fuzzing (every target 10 s)" end_fuzzing
  count "reference results (every study made anew)" scripts/findings
  count "mutants (20 breaks of the model, of which 12 may survive: about one in five is equivalent)" scripts/mutants --count 20 --at-most 12
  run_tests build
  test_sanitizers
else
  count "reference results (two small studies made anew)" scripts/findings overhead packing
  count "fuzzing (seven targets 10 s)" end_fuzzing
  run_tests build --no-suite long
  # What is tried on the built program from outside, full disks and killed sweeps, takes two minutes more there: --long has it. The
  # scripts' own tests run no program of ours.
  test_sanitizers --no-suite long --no-suite survival --no-suite bench --no-suite findings --no-suite requirements --no-suite mutants --no-suite documents
fi
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]

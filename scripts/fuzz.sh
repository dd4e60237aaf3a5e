#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Fuzzes under ASan and UBSan (fuzz/, docs/fuzzing.md): each TARGET, or all of them, SECONDS seconds, twice as
# many at a time as there are processors. Prints one line a target. Exits with 1 when there is a finding: its
# input is kept, and the command that runs it again is printed. The seed is new each time;
# IWARPSIM_FUZZ_SEED=N sets it. `--campaign SECONDS` takes SECONDS of processor time for each target, in
# pieces of a minute, one at a time and at the lowest priority. Between pieces and campaigns it keeps the inputs
# that it found, minimises them afterwards, and prints how much of each folder the kept inputs reach.
set -eu
cd "$(dirname "$0")/.."

usage() {
  echo "usage: scripts/fuzz.sh [--campaign] SECONDS [TARGET...]" >&2
  echo "targets: $(targets | tr '\n' ' ')" >&2
  exit 2
}

targets() {
  sed -n "s/^  '\([a-z_]*\)': .*/\1/p" fuzz/meson.build
}

campaign=
if [ "${1:-}" = --campaign ]; then
  campaign=yes
  shift
fi
seconds=${1:-}
case $seconds in
'' | *[!0-9]* | 0*) usage ;;
esac
shift
for target; do
  targets | grep -qx -e "$target" || usage
done
[ $# -gt 0 ] || set -- $(targets)

scripts/setup.sh --fuzz "$@"
fuzz=build-fuzz/fuzz
seed=${IWARPSIM_FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}

# The targets' own time-out is for one input; what is found new goes to found/, the committed corpus stays as
# it is.
export ASAN_OPTIONS=abort_on_error=1:quarantine_size_mb=16
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
export IWARPSIM_PLOTS="$PWD/scripts/plots" # for reports, whose look is a file
# Some targets write files, which a disk would take long for.
[ ! -w /dev/shm ] || export TMPDIR="${TMPDIR:-/dev/shm}"
fuzz_one='
  fuzz=$1 seconds=$2 seed=$3 target=$4
  command="$fuzz/fuzz_$target"
  log=$fuzz/$target.log
  mkdir -p "$fuzz/found/$target" "$fuzz/findings"
  dictionary=
  [ ! -f "fuzz/$target.dict" ] || dictionary="-dict=fuzz/$target.dict"
  code=0
  # The weights that the fuzzer could give its inputs take most of the time here.
  "$command" -max_total_time="$seconds" -seed="$seed" -entropic=0 -timeout=20 -rss_limit_mb=1500 -print_final_stats=1 \
    -artifact_prefix="$fuzz/findings/$target-" $dictionary "$fuzz/found/$target" "fuzz/corpus/$target" >"$log" 2>&1 </dev/null || code=$?
  executions=$(sed -n "s/^stat::number_of_executed_units: *//p" "$log" | tail -1)
  edges=$(sed -n "s/.* cov: \([0-9]*\) .*/\1/p" "$log" | tail -1)
  input=$(sed -n "s/.*Test unit written to //p" "$log" | tail -1)
  if [ "$code" -eq 0 ] && [ "${executions:-0}" -gt 0 ]; then
    echo "fuzz $target: $executions executions in $seconds s, $edges edges reached, seed $seed"
    exit 0
  fi
  grep -v "^#[0-9]" "$log" | tail -60
  echo "fuzz $target: FAILED with code $code, seed $seed; the log is $log"
  [ -z "$input" ] || echo "fuzz $target: the input is kept; again with: $command $input"
  exit 1
'
if [ -z "$campaign" ]; then
  printf '%s\n' "$@" | xargs -n 1 -P "$(($(nproc) * 2))" sh -c "$fuzz_one" sh "$fuzz" "$seconds" "$seed" || exit 1
  exit 0
fi

# --- The campaign ---

PIECE_SECONDS=60

# Prints the whole seconds of processor time that this shell's children have taken; `times` must not be in a
# subshell.
count_processor_time() {
  times >"$fuzz/times"
  taken=$(tail -1 "$fuzz/times" | tr 'ms' '  ' | awk '{ printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }')
}

# Prints its sums as one line; what it found is in found/, and nothing else is.
campaign_of() { # target
  target=$1
  count_processor_time
  begun=$taken
  executions=0
  found=0
  while [ "$((taken - begun))" -lt "$seconds" ] && [ "$found" -eq 0 ]; do
    nice -n 19 sh -c "$fuzz_one" sh "$fuzz" "$PIECE_SECONDS" "$seed" "$target" >"$fuzz/$target.piece" || found=1
    executions=$((executions + $(sed -n 's/^stat::number_of_executed_units: *//p' "$fuzz/$target.log" | tail -1 | grep . || echo 0)))
    seed=$((seed + 1))
    count_processor_time
  done
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$fuzz/$target.log" | tail -1)
  echo "fuzz $target: $executions executions in $((taken - begun)) s of processor time, $edges edges reached"
  [ "$found" -eq 0 ] || cat "$fuzz/$target.piece"
  rm -rf "$fuzz/kept"
  mkdir "$fuzz/kept"
  nice -n 19 "$fuzz/fuzz_$target" -set_cover_merge=1 "$fuzz/kept" "fuzz/corpus/$target" "$fuzz/found/$target" >"$fuzz/$target.merge" 2>&1 &&
    rm -rf "$fuzz/found/$target" && mv "$fuzz/kept" "$fuzz/found/$target"
  return "$found"
}

# Prints the lines of each folder of model/ that the corpora and what was found run, with clang's own coverage
# and no fuzzer.
print_coverage() {
  scripts/setup.sh --fuzz-coverage "$@"
  coverage=build-fuzz-coverage/fuzz
  rm -f "$coverage"/*.profraw
  objects=
  for target; do
    objects="$objects -object $coverage/fuzz_$target"
    for folder in "fuzz/corpus/$target" "$fuzz/found/$target"; do
      [ -z "$(ls "$folder" 2>/dev/null)" ] ||
        LLVM_PROFILE_FILE="$coverage/$target-%p.profraw" nice -n 19 "$coverage/fuzz_$target" "$folder" >/dev/null
    done
  done
  llvm-profdata merge -sparse -o "$coverage/fuzz.profdata" "$coverage"/*.profraw
  # Of a file: its name, …, lines, lines missed.
  llvm-cov report ${objects# -object } -instr-profile="$coverage/fuzz.profdata" |
    sed -n 's|^.*model/\([a-z]*\)\(/[a-z]*\)*/[a-z0-9_]*\.[ch] |\1 |p' |
    awk '{ lines[$1] += $8; missed[$1] += $9 }
         END { for (f in lines) printf "model/%-10s %6d of %6d lines, %3d %%\n", f, lines[f] - missed[f], lines[f],
                                       100 * (lines[f] - missed[f]) / lines[f] }' | sort
}

code=0
for target; do
  campaign_of "$target" || code=1
done
print_coverage "$@"
exit "$code"

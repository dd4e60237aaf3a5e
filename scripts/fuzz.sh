#!/bin/sh
# Fuzzes under ASan and UBSan (fuzz/, docs/fuzzing.md): each TARGET, or all of them, SECONDS seconds, twice as many at a time as there are
# processors. Prints one line a target. Exits with 1 when there is a finding: its input is kept, and the command that runs it again
# is printed. The seed is new each time; IWARPSIM_FUZZ_SEED=N sets it.
set -eu
cd "$(dirname "$0")/.."

usage() {
  echo "usage: scripts/fuzz.sh SECONDS [TARGET...]" >&2
  echo "targets: $(targets | tr '\n' ' ')" >&2
  exit 2
}

targets() {
  sed -n "s/^  '\([a-z_]*\)': .*/\1/p" fuzz/meson.build
}

seconds=${1:-}
case $seconds in
'' | *[!0-9]* | 0*) usage ;;
esac
shift
for target; do
  targets | grep -qx -e "$target" || usage
done
[ $# -gt 0 ] || set -- $(targets)

scripts/setup.sh --fuzz
fuzz=build-fuzz/fuzz
seed=${IWARPSIM_FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}

# The targets' own time-out is for one input; what is found new goes to found/, the committed corpus stays as it is.
export ASAN_OPTIONS=abort_on_error=1:quarantine_size_mb=16
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
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
  executions=$(sed -n "s/^stat::number_of_executed_units: *//p" "$log")
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
printf '%s\n' "$@" | xargs -n 1 -P "$(($(nproc) * 2))" sh -c "$fuzz_one" sh "$fuzz" "$seconds" "$seed" || exit 1

#!/bin/sh
# Every file includes only headers of the layers it may know; ns-3 stays inside the C++ files of shim/. What reaches a terminal goes
# through base/plain_text.h.
set -eu
cd "$(dirname "$0")/.."

# A folder, or a file that may know more than its folder does, and the folders whose headers it may include.
layers='
model/base      base
model/engine    engine base
model/net       net base
model/measure   measure base
model/tcp       tcp net measure base
model/mpa       mpa tcp measure base
model/ddp       ddp mpa base
model/rdmap     rdmap ddp base
model/rnic      rnic rdmap ddp mpa tcp net measure base
model/ulp       ulp rnic rdmap ddp base
model/fault     fault rnic rdmap ddp mpa base
model/network   network engine tcp net measure base
model/decode    decode net rdmap ddp mpa tcp base
model/scenario  scenario ulp fault rnic network tcp base
model/sim       sim scenario ulp fault rnic network measure engine tcp net base
model/session   session sim scenario ulp fault rnic network measure engine tcp net base
model/replay    replay decode session sim scenario rnic rdmap ddp mpa network measure engine tcp net base
model/study/store   study/store sim scenario measure base
model/study/sweep   study/sweep study/store sim scenario measure base
model/study/table   study/table study/store sim scenario measure base
model/study/plot    study/plot study/table study/store sim scenario measure base
model/study/report  study/report study/plot study/table study/store sim scenario measure base
model/cli       cli replay decode session net study/sweep study/report study/plot study/table study/store sim scenario fault measure base
shim            shim network tcp net engine base
shim/host       shim/host shim session sim scenario ulp fault rnic rdmap ddp mpa tcp measure network net engine base

shim/ns3_shim.h                sim
shim/ns3_functions.c           sim
model/sim/sim_recorder.h       ddp mpa
model/sim/sim_recorder.c       rdmap
'

find model shim -type f \( -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.hh' \) \
  -exec grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null {} + | LAYERS=$layers awk '
  function fail(text) {
    printf "%s:%s: %s\n", file, line, text
    failed = 1
  }
  BEGIN {
    rows = split(ENVIRON["LAYERS"], row, "\n")
    for (i = 1; i <= rows; i++) {
      count = split(row[i], word, " ")
      for (j = 2; j <= count; j++) {
        may_include[word[1], word[j]] = 1
      }
      if (count > 0) {
        known[word[1]] = 1
      }
    }
  }
  {
    match($0, /:[0-9]+:/)
    file = substr($0, 1, RSTART - 1)
    line = substr($0, RSTART + 1, RLENGTH - 2)
    header = $0
    sub(/^[^<"]*[<"]/, "", header)
    sub(/[>"].*$/, "", header)
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    layer = header
    sub(/\/[^\/]*$/, "", layer)
  }
  layer == "ns3" {
    if (file !~ /^shim\/(.*\.(cc|hh)|iwarpsim_host\.h)$/) {
      fail("includes ns-3; only the C++ files of shim/ may")
    }
    next
  }
  /<[^>]*>/ { next }
  !(folder in known) { fail(folder " is not in the table of scripts/check-layers.sh"); next }
  header !~ /\// { fail("\"" header "\" does not say which folder it is in"); next }
  !((folder, layer) in may_include) && !((file, layer) in may_include) {
    fail(folder " may not know " layer "/ (\"" header "\"); scripts/check-layers.sh has the table")
  }
  END { exit failed || NR == 0 }
'

# cli_explain.c prints the program's own tables; cli_output.c CSV, in which csv_export.c made its fields plain; gnuplot_script.c what gnuplot
# draws, with colours, of texts that gnuplot_text.c cleaned.
if grep -rnE '(^|[^_a-z])(printf|puts|putchar)\(|f(printf|puts)\((stdout|stderr)|, (stdout|stderr)\)' model --include='*.c' |
  grep -vE '^model/(cli/cli_explain|cli/cli_output|study/plot/gnuplot_script|base/plain_text)\.c:|summary_print\(|g_string|sweep_list_print\('; then
  echo "a terminal may show what is printed there; expected plain_text_print()"
  exit 1
fi

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# This does the main job from a fresh clone: installs what is missing, builds, runs one scenario and one small
# sweep on ns-3, and draws them. Leaves its plots under results/ and names each.
set -eu
cd "$(dirname "$0")/.."

say() {
  printf '== %s\n' "$*"
}

scripts/setup.sh
iwarpsim=build/iwarpsim

say "one run: one lost segment, an in-order receiver (scenarios/one-loss-in-order.cfg)"
"$iwarpsim" run scenarios/one-loss-in-order.cfg --engine ns3 --pcap --out results/one-loss-in-order
"$iwarpsim" plot results/one-loss-in-order

say "one sweep: MTU x loss x receiver (scenarios/mtu-loss.cfg)"
# This is the demonstration's own store, made anew: one of an earlier program would be refused.
store=results/mtu-loss/mtu-loss.sqlite
rm -f "$store"
"$iwarpsim" sweep scenarios/mtu-loss.cfg --set run.engine=ns3 -j "$(nproc)" --store "$store"
"$iwarpsim" plot "$store" --metric buffer.reassembly_p99.9_octets \
  --title "Reassembly memory that is exceeded for 0.1 % of the time"
"$iwarpsim" report "$store" -o results/mtu-loss/mtu-loss.html

say "plots, and the report to open in a browser:"
find results/one-loss-in-order results/mtu-loss -name '*.png' -o -name '*.html' | sort

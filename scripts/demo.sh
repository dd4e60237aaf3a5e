#!/bin/sh
# The main job from a fresh clone: installs what is missing, builds, runs one scenario and one small sweep on ns-3,
# and draws them. Leaves its plots under results/ and names each.
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
"$iwarpsim" sweep scenarios/mtu-loss.cfg --set run.engine=ns3 -j "$(nproc)" --store results/mtu-loss.sqlite
"$iwarpsim" plot results/mtu-loss.sqlite --out results/mtu-loss

say "plots:"
find results/one-loss-in-order results/mtu-loss -name '*.png' | sort

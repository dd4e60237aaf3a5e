#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes the Debian packages of the last commit, from debian/ and the archive that `meson dist` makes of it, and
# leaves them in build-package/. lintian must find no error in them. What is missing is installed first; after that,
# the packages are built without a network.
#
#     scripts/package.sh          makes them
#     scripts/package.sh --try    also installs them in a minimal Debian in a temporary folder, runs the program there,
#                                 and builds and runs docs/ns3.md's program; needs to be root
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
'' | --try) ;;
*)
  echo "usage: scripts/package.sh [--try]" >&2
  exit 2
  ;;
esac

scripts/setup.sh --install build ns3 package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build)
packaged=$(dpkg-parsechangelog -S Version)
if [ "${packaged%-*}" != "$version" ]; then
  echo "package.sh: debian/changelog has version $packaged; expected meson.build's, $version" >&2
  exit 1
fi
meson setup "$work/build" -Dns3=enabled >"$work/log" && meson dist -C "$work/build" --no-tests --formats gztar >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
tar -xf "$work/build/meson-dist/iwarpsim-$version.tar.gz" -C "$work"
alone= # only root can make a network without devices
[ "$(id -u)" -ne 0 ] || alone="unshare --net"
(cd "$work/iwarpsim-$version" && DEB_BUILD_OPTIONS=noautodbgsym $alone dpkg-buildpackage -b -us -uc) >"$work/log" 2>&1 || {
  tail -n 50 "$work/log" >&2
  exit 1
}
lintian --fail-on error --allow-root "$work"/iwarpsim_*.changes
rm -rf build-package
mkdir build-package
cp "$work"/*.deb build-package
ls build-package/*.deb

[ -n "${1:-}" ] || exit 0
mkdir "$work/there"
cp build-package/*.deb "$work/there"
sed -n '/^```cpp/,/^```$/p' docs/ns3.md | awk '/^```$/ { exit } NR > 1' >"$work/there/pair.cpp"
cat >"$work/there/try" <<'EOF'
set -eux
cd /tmp
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends ./*.deb g++ gnuplot-nox pkg-config >log 2>&1 || { cat log; exit 1; }
iwarpsim new loss-sweep >loss.cfg
iwarpsim check loss.cfg
echo '@include "presets/siw.cfg"' >siw.cfg
iwarpsim run siw.cfg --engine ns3 --trace siw.trace
iwarpsim timeline siw.trace -o siw.html
iwarpsim plot results/siw
g++ -std=c++17 pair.cpp -o pair $(pkg-config --cflags --libs iwarpsim-ns3)
./pair siw.cfg
test -e /usr/share/man/man1/iwarpsim-run.1.gz
DEBIAN_FRONTEND=noninteractive apt-get purge -q -y iwarpsim libiwarpsim-host0 >log 2>&1
test ! -e /usr/share/iwarpsim -a ! -e /usr/bin/iwarpsim
EOF
mmdebstrap --quiet --variant=apt --format=null --customize-hook="copy-in $work/there/. /tmp" \
  --customize-hook='chroot "$1" sh /tmp/try' bookworm /dev/null

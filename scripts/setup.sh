#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing (Debian packages, scripts/packages.txt) and builds iwarpsim into build/; `ninja -C
# build` adds its tests. With ns-3, which demo.sh runs on: a libns3-dev that cannot be used is reported here,
# not when the first run needs it. `--sanitizers` adds build-sanitizers/, the same under ASan and UBSan; `--fuzz
# TARGET…` builds fuzz targets alone, into build-fuzz/, and `--fuzz-coverage TARGET…` those that count what
# their corpora reach, into build-fuzz-coverage/. Called by demo.sh, test.sh and fuzz.sh; usable alone. Needs
# to be root only when something is missing.
set -eu
cd "$(dirname "$0")/.."

say() {
  printf '== %s\n' "$*"
}

missing_packages() {
  while read -r package; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || printf '%s\n' "$package"
  done <scripts/packages.txt
}

install_missing() {
  missing=$(missing_packages)
  if [ -z "$missing" ]; then
    say "all packages are installed"
    return
  fi
  say "installing: $(printf '%s ' $missing)"
  if [ "$(id -u)" -ne 0 ]; then
    echo "setup.sh: packages are missing and only root can install them: run this as root" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  # Questions of packages (may others capture packets?) are answered with their defaults.
  if ! { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "setup.sh: apt-get failed; its output is above" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}

# The folder is made anew when it was made with other options.
configure() { # folder, meson options…
  folder=$1
  shift
  if [ -f "$folder/build.ninja" ] && [ "$(cat "$folder/setup-options" 2>/dev/null)" = "$*" ]; then
    return
  fi
  say "configuring $folder"
  rm -rf "$folder"
  meson setup "$folder" -Dwerror=true "$@" >"/tmp/iwarpsim-meson.$$" 2>&1 || {
    cat "/tmp/iwarpsim-meson.$$" >&2
    exit 1
  }
  rm -f "/tmp/iwarpsim-meson.$$"
  printf '%s\n' "$*" >"$folder/setup-options"
}

build() { # folder, targets…
  folder=$1
  shift
  say "building $folder"
  ninja -C "$folder" --quiet "$@"
}

build_fuzz_targets() { # folder, targets…
  folder=$1
  shift
  build "$folder" $(printf 'fuzz/fuzz_%s ' "$@")
}

install_missing
kind=${1:-}
case $kind in
--fuzz)
  shift
  # Not optimized: that halves the time to build, and the fuzzer is as fast.
  (
    export CC=clang
    configure build-fuzz -Dns3=disabled -Dfuzz=enabled -Doptimization=0 -Db_sanitize=address,undefined -Db_lundef=false \
      -Db_lto=false -Dc_args=-g1
  )
  build_fuzz_targets build-fuzz "$@"
  ;;
--fuzz-coverage)
  shift
  (
    export CC=clang
    configure build-fuzz-coverage -Dns3=disabled -Doptimization=1 -Db_lto=false \
      -Dc_args='-fprofile-instr-generate -fcoverage-mapping' -Dc_link_args=-fprofile-instr-generate
  )
  build_fuzz_targets build-fuzz-coverage "$@"
  ;;
--sanitizers)
  configure build -Dns3=enabled
  # Line numbers are all of the debugging information that a sanitizer's report needs, and take less time to
  # make.
  # C++ is not optimized: ns-3's headers take long enough to compile. gold links 260 tests in two thirds of the
  # time of the default linker.
  configure build-sanitizers -Dns3=enabled -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false -Db_lto=false \
    -Dc_args=-g1 -Dcpp_args='-g1 -O0' -Dc_link_args=-fuse-ld=gold -Dcpp_link_args=-fuse-ld=gold
  # Side by side: linking build/iwarpsim takes half a minute of one processor.
  build build iwarpsim &
  build build-sanitizers iwarpsim
  wait $!
  ;;
*)
  configure build -Dns3=enabled
  build build iwarpsim
  ;;
esac

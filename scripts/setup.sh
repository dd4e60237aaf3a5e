#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing of what builds and runs iwarpsim (Debian packages, scripts/packages.txt) and builds it
# into build/. With ns-3, which demo.sh runs on: a libns3-dev that cannot be used is reported here, not when the
# first run needs it. The other builds also install what the tests need: `--sanitizers` adds build-sanitizers/, the same under ASan and UBSan; `--fuzz
# TARGET…` builds fuzz targets alone, into build-fuzz/, and `--fuzz-coverage TARGET…` those that count what
# their corpora reach, into build-fuzz-coverage/; `--clang` builds the program alone with clang, into
# build-clang/, and `--arm64` for that processor, into build-arm64/, where `program` runs it under qemu.
# `--install PART…` only installs the packages of these parts of packages.txt. Called by demo.sh, test.sh, fuzz.sh and package.sh; usable
# alone. Needs to be root only when something is missing.
set -eu
cd "$(dirname "$0")/.."

say() {
  printf '== %s\n' "$*"
}

packages_of() { # part…
  for part; do
    sed -n "s/^$part //p" scripts/packages.txt | grep . || {
      echo "setup.sh: scripts/packages.txt has no part '$part'" >&2
      exit 2
    }
  done
}

missing_of() { # part…
  packages=$(packages_of "$@") || exit
  for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || printf '%s\n' "$package"
  done
}

install() { # part…
  missing=$(missing_of "$@")
  if [ -z "$missing" ]; then
    say "all packages are installed ($*)"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "setup.sh: only root can install the packages that are missing: $(printf '%s ' $missing)" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  apt_get update
  apt_get install --print-uris $missing
  say "installing ($*), $(awk "/^'/ { octets += \$3 } END { printf \"%.0f\", octets / 1e6 }" "$log") MB to download:" $missing
  apt_get install $missing
  rm -f "$log"
}

# What it prints is in $log, and shown when it fails. Questions of packages (may others capture packets?) are
# answered with their defaults.
apt_get() { # command…
  apt-get -q -y --no-install-recommends "$@" >"$log" 2>&1 </dev/null || {
    cat "$log" >&2
    rm -f "$log"
    echo "setup.sh: apt-get $1 failed; its output is above" >&2
    exit 1
  }
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

# Makes a root of Debian's packages of the libraries for arm64, extracted and not installed. Without ns-3:
# compiling for it takes minutes, and what it computes is compared with our own engine by the tests. Absolute
# links would lead out of the folder.
make_arm64_root() { # folder
  libraries=$(packages_of build | grep -e '-dev$' -e '^r-mathlib$' | paste -sd ,)
  rm -rf "$1"
  mmdebstrap --quiet --variant=extract --arch=arm64 --include="$libraries" bookworm "$1"
  find "$1" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$1$(readlink "$link")" "$link"
  done
}

kind=${1:-}
[ $# -eq 0 ] || shift
case $kind in
'') install run build ns3 ;;
--install)
  install "$@"
  exit
  ;;
--sanitizers | --fuzz | --fuzz-coverage | --clang) install run build ns3 test ;;
--arm64) install run build ns3 test arm64 ;;
*)
  echo "usage: scripts/setup.sh [--install PART… | --sanitizers | --fuzz TARGET… | --fuzz-coverage TARGET… | --clang | --arm64]" >&2
  exit 2
  ;;
esac
case $kind in
'')
  configure build -Dns3=enabled
  build build program
  ;;
--fuzz)
  # Not optimized: that halves the time to build, and the fuzzer is as fast.
  (
    export CC=clang
    configure build-fuzz -Dns3=disabled -Dfuzz=enabled -Doptimization=0 -Db_sanitize=address,undefined -Db_lundef=false \
      -Db_lto=false -Dc_args=-g1
  )
  build_fuzz_targets build-fuzz "$@"
  ;;
--fuzz-coverage)
  (
    export CC=clang
    configure build-fuzz-coverage -Dns3=disabled -Doptimization=1 -Db_lto=false \
      -Dc_args='-fprofile-instr-generate -fcoverage-mapping' -Dc_link_args=-fprofile-instr-generate
  )
  build_fuzz_targets build-fuzz-coverage "$@"
  ;;
--clang)
  (
    export CC=clang CXX=clang++
    configure build-clang -Dns3=enabled -Dtests=false -Dbench=false -Db_lto=false
  )
  build build-clang iwarpsim
  ;;
--arm64)
  root=$PWD/build-arm64-root
  [ -f "$root/complete" ] || {
    make_arm64_root "$root"
    touch "$root/complete"
  }
  printf "[constants]\nroot = '%s'\n" "$root" >"$root/root.ini"
  unset CC # it would be this machine's
  configure build-arm64 -Dns3=disabled -Dtests=false -Dbench=false -Db_lto=false \
    --cross-file "$root/root.ini" --cross-file scripts/arm64.ini
  build build-arm64 iwarpsim
  printf '#!/bin/sh\nexec qemu-aarch64-static -L %s %s "$@"\n' "$root" "$PWD/build-arm64/iwarpsim" >build-arm64/program
  chmod +x build-arm64/program
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
esac

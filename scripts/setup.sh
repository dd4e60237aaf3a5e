#!/bin/sh
# Installs what is missing (Debian packages, scripts/packages.txt) and builds iwarpsim into build/.
# With ns-3, which demo.sh runs on: a libns3-dev that cannot be used is said here, not when the first run needs it.
# Called by demo.sh and test.sh; usable alone. Needs to be root only when something is missing.
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

configure_and_build() { # folder, meson options…
  folder=$1
  shift
  if [ -f "$folder/build.ninja" ]; then
    say "building $folder"
  else
    say "configuring and building $folder"
    rm -rf "$folder"
    meson setup "$folder" "$@" >"/tmp/iwarpsim-meson.$$" 2>&1 || {
      cat "/tmp/iwarpsim-meson.$$" >&2
      exit 1
    }
    rm -f "/tmp/iwarpsim-meson.$$"
  fi
  ninja -C "$folder" --quiet
}

install_missing
configure_and_build build -Dns3=enabled
if [ "${1:-}" = --sanitizers ]; then
  configure_and_build build-sanitizers -Dns3=enabled -Doptimization=2 -Db_sanitize=address,undefined -Db_lundef=false -Db_lto=false
fi

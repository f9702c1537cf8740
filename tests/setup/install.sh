#!/usr/bin/env bash
# Installs the Debian packages that building, testing and running need. Asks apt only when something is missing.
set -euo pipefail

libraries=(libwebkit2gtk-4.1-dev libdbus-1-dev pkg-config build-essential xvfb dbus dbus-x11 openbox xdotool imagemagick webkit2gtk-driver dunst xfce4-panel)
# A program that is there counts, wherever it came from: Node is often newer than the distribution's.
declare -A programs=([python3]=python3 [node]=nodejs [npm]=npm [git]=git [tmux]=tmux [chromium]=chromium)

missing=()
if command -v dpkg >/dev/null; then
  for package in "${libraries[@]}"; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' || missing+=("$package")
  done
else
  echo "setup: no dpkg here; install the equivalents of: ${libraries[*]}" >&2
fi
for program in "${!programs[@]}"; do
  command -v "$program" >/dev/null || missing+=("${programs[$program]}")
done

if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || { echo "setup: missing, and no apt-get to install them: ${missing[*]}" >&2; exit 1; }
  root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  echo "setup: installing ${missing[*]}"
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

command -v cargo >/dev/null || { echo "setup: Rust is missing; install it with rustup (https://rustup.rs)" >&2; exit 1; }
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || { echo "setup: Node 20.19 or newer is needed, this is $(node --version)" >&2; exit 1; }

#!/usr/bin/env bash
# Starts Doorward and its demo. On a desktop a person answers; without one, a private
# display is started, the demo runs through by itself and a screenshot is left behind.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$PWD/target/debug
shot=$PWD/target/doorward.png
seconds=${DEMO_SECONDS:-10}
pids=()

finish() {
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
    kill "${pids[i]}" 2>/dev/null || true
    wait "${pids[i]}" 2>/dev/null || true
  done
  if [ -n "${world:-}" ]; then rm -rf "$world"; fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start_tray: returns when the tray answers.
start_tray() {
  "$bin/doorward-tray" &
  pids+=($!)
  for _ in $(seq 100); do
    if "$bin/doorward" status >/dev/null 2>&1; then return; fi
    kill -0 "${pids[-1]}" 2>/dev/null || { echo "run: doorward-tray has ended (is one running already?)" >&2; return; }
    sleep 0.1
  done
  echo "run: doorward-tray does not answer after 10 s" >&2
  exit 1
}

# Inside the private session: everything once, without a person.
if [ "${1:-}" = --private ]; then
  openbox &
  pids+=($!)
  start_tray
  "$bin/doorward-demo" --relay "$bin/doorward" --answer-after "$seconds" &
  demo=$!
  pids+=("$demo")
  sleep 1
  "$bin/doorward" open
  sleep 6
  import -window root "$shot"
  echo "run: screenshot: $shot"
  wait "$demo"
  exit
fi

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  start_tray
  "$bin/doorward" demo
  exit
fi

echo "run: neither DISPLAY nor WAYLAND_DISPLAY is set: using a private display, and the demo's own client answers after $seconds s"
world=$(mktemp -d /tmp/doorward-run-XXXXXX)
mkdir -m 700 "$world/home" "$world/run"
Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>"$world/display" 2>/dev/null &
pids+=($!)
for _ in $(seq 100); do [ -s "$world/display" ] && break; sleep 0.1; done
[ -s "$world/display" ] || { echo "run: Xvfb did not start" >&2; exit 1; }
DISPLAY=:$(cat "$world/display")
export DISPLAY HOME=$world/home XDG_RUNTIME_DIR=$world/run GDK_BACKEND=x11 LIBGL_ALWAYS_SOFTWARE=1 NO_AT_BRIDGE=1
export XDG_CONFIG_HOME=$HOME/.config XDG_DATA_HOME=$HOME/.local/share XDG_STATE_HOME=$HOME/.local/state XDG_CACHE_HOME=$HOME/.cache
unset XDG_SESSION_TYPE
timeout 180 dbus-run-session -- tests/setup/run.sh --private

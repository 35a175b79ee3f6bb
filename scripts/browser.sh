#!/usr/bin/env bash
# Sees to it that the browser tests have Debian's Chromium; installs it when it is missing and that can be done.
# With EXITGATE_NO_BROWSER=1 nothing is installed and those tests are skipped.
set -euo pipefail

[[ "${EXITGATE_NO_BROWSER:-}" == 1 ]] && exit 0
[[ -n "${EXITGATE_CHROMIUM:-}" ]] && exit 0
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done
if ! command -v apt-get >/dev/null; then
  echo "no Chromium and no apt-get: install Chromium, or set EXITGATE_NO_BROWSER=1 to skip the browser tests" >&2
  exit 0
fi
root=()
if [[ "$(id -u)" != 0 ]]; then
  if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
    echo "no Chromium: run \`sudo apt-get install chromium\`, or set EXITGATE_NO_BROWSER=1" >&2
    exit 0
  fi
  root=(sudo -n)
fi
echo "installing chromium for the browser tests (once)"
export DEBIAN_FRONTEND=noninteractive
install() { "${root[@]}" apt-get install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null 2>&1; }
install || { "${root[@]}" apt-get update >/dev/null 2>&1 && install; } ||
  echo "chromium could not be installed; the browser tests will say so" >&2

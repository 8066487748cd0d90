#!/bin/bash
# Holds manifests against the strict offline checker of $GPUSHAPE_SHARED/validators: every document accepted, and no
# warning but of deprecation.
#
#   tests/emit/check_manifests.sh [--k8s 1.33] [--vm-operator vc-8.0.3] [--values=KIND] [--slices] [--require-match] FILE|FOLDER...
#
# --where only installs the checker and prints where its program is.
# --slices also evaluates every claim on the sample inventories. Exit status: 0 all accepted, 1 something is not, 2 bad
# usage, 77 skipped (with a word why). GPUSHAPE_CHECKER_CACHE is where the checker is installed once; by default below build/.
set -u -o pipefail

skip() { echo "skipped: $1"; exit 77; }

[ -n "${GPUSHAPE_SHARED:-}" ] || skip "GPUSHAPE_SHARED is not set"
[ -d "$GPUSHAPE_SHARED/validators" ] || skip "$GPUSHAPE_SHARED/validators is not there"
command -v node >/dev/null || skip "node is not installed"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  skip "node $(node --version) is older than 20.19"
command -v npm >/dev/null || skip "npm is not installed"

shared=$(cd "$GPUSHAPE_SHARED" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${GPUSHAPE_CHECKER_CACHE:-$root/build/manifest-checker}
state=$(cd "$shared/validators" && find . -type f -not -path './node_modules/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)
checker=$cache/$state

# Installed aside and moved into place whole, so that two runs at once do no harm.
if [ ! -f "$checker/installed" ]; then
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/fresh.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  cp -r "$shared/validators/." "$fresh/" && chmod -R u+w "$fresh"
  (cd "$fresh" && npm ci --silent --no-audit --no-fund) >"$cache/npm.log" 2>&1 || skip "npm ci failed (see $cache/npm.log)"
  touch "$fresh/installed"
  mv -T "$fresh" "$checker" 2>/dev/null || [ -f "$checker/installed" ] || { echo "cannot install the checker in $cache"; exit 2; }
fi

if [ "${1:-}" = --where ]; then
  echo "$checker/check.mjs"
  exit 0
fi
options=(--schemas "$shared/schemas")
while [ $# -gt 0 ]; do
  case $1 in
    --slices) options+=(--slices "$shared/schemas/dra-samples"); shift ;;
    --k8s | --vm-operator) [ $# -ge 2 ] || { echo "$1 needs a value"; exit 2; }; options+=("$1" "$2"); shift 2 ;;
    --values=*) options+=(--values "${1#*=}"); shift ;;
    --*) options+=("$1"); shift ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || { echo "usage: $0 [options] FILE|FOLDER..."; exit 2; }

output=$(node "$checker/check.mjs" "${options[@]}" "$@")
status=$?
printf '%s\n' "$output"
[ $status -eq 0 ] || exit $status
# That no sample inventory has the device is no fault of the document; that a served API is deprecated is none either.
if grep '^ *warning:' <<<"$output" | grep -v 'not allocatable on any of the' | grep -qv 'is deprecated$'; then
  echo "a warning counts as a rejection"
  exit 1
fi

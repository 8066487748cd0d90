#!/bin/bash
# Holds the SARIF form of a review against the published schema of OASIS, as the npm package
# @microsoft/jest-sarif carries it. Skipped (77) where the package cannot be had.
#
#   tests/cli/check_sarif.sh PROGRAM
set -u
program=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=@microsoft/jest-sarif@1.0.0-beta.0
cd "$work" && timeout 60 npm pack --silent "$package" >/dev/null 2>&1 && tar xzf ./*.tgz || {
  echo "skipped: $package cannot be had"
  exit 77
}
schema=$work/package/lib/schemas/sarif-2.1.0-rtm.5.json
cd "$root"
failed=0
printf 'a: [\n' >"$work/broken.yaml"
for rule in tests/cases/review/*/; do
  "$program" review "$rule" "$work/broken.yaml" -o sarif >"$work/review.sarif" 2>/dev/null
  /usr/bin/python3 tests/schema/validate.py "$schema" "$work/review.sarif" || failed=1
done
exit $failed

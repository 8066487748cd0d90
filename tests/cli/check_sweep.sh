#!/bin/bash
# Sweeps as their users run them: shards in both manifests of examples/sweep, threads, and the rows against their schema.
#
#   tests/cli/check_sweep.sh PROGRAM
#
# Closes with "N passed, N failed, N skipped".
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

check() {  # check WHAT COMMAND…
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  elif [ $? -eq 77 ]; then
    skipped=$((skipped + 1))
    cat "$work/log" >&2
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
    cat "$work/log"
  fi
}

# The manifests call the program by its name.
mkdir "$work/bin"
ln -s "$program" "$work/bin/gpushape"
export PATH="$work/bin:$PATH" MODELS=qwen3-0.6b

joined() {  # the head of the first part, the rows of all
  head -n 1 "$1/part-1.csv"
  for part in 1 2 3 4 5 6 7 8; do tail -n +2 "$1/part-$part.csv"; done
}

gpushape sweep $MODELS --quant stored,fp8 --tp 1,2,4,8 --context 2k..128k --concurrency 1..256 --threads 1 >"$work/whole.csv"
gpushape sweep $MODELS --quant stored,fp8 --tp 1,2,4,8 --context 2k..128k --concurrency 1..256 --threads 7 >"$work/threads.csv"
check "seven threads write what one writes" cmp "$work/whole.csv" "$work/threads.csv"

mkdir "$work/slurm"
for task in 1 2 3 4 5 6 7 8; do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=8 RESULTS=$work/slurm bash examples/sweep/slurm-array.sh
done
joined "$work/slurm" >"$work/slurm.csv"
check "the tasks of the Slurm array are the whole" cmp "$work/whole.csv" "$work/slurm.csv"

mkdir "$work/job"
/usr/bin/python3 -c 'import sys, yaml
print(yaml.safe_load(open(sys.argv[1]))["spec"]["template"]["spec"]["containers"][0]["args"][0])' \
  examples/sweep/indexed-job.yaml >"$work/job.sh"
for index in 0 1 2 3 4 5 6 7; do
  JOB_COMPLETION_INDEX=$index RESULTS=$work/job sh -e "$work/job.sh"
done
joined "$work/job" >"$work/job.csv"
check "the pods of the Indexed Job are the whole" cmp "$work/whole.csv" "$work/job.csv"
check "the Job is accepted" bash tests/emit/check_manifests.sh examples/sweep/indexed-job.yaml

# Every row by the schema: some that fit, some that do not, some that cannot be.
gpushape schema SweepRow >"$work/SweepRow.schema.json"
gpushape sweep 'qwen3-*b' google/gemma-3-4b-it --tp 1,3,8 --context 8k,1m --concurrency 64 --gpu l4,h100,none -o jsonl >"$work/rows.jsonl"
check "there are rows" [ "$(wc -l <"$work/rows.jsonl")" -ge 50 ]
split -l 1 -a 4 -d --additional-suffix=.json "$work/rows.jsonl" "$work/row-"
check "rows follow their schema" /usr/bin/python3 tests/schema/validate.py "$work/SweepRow.schema.json" "$work"/row-*.json
check "both formats hold the same" /usr/bin/python3 -c 'import csv, json, subprocess, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
text = subprocess.run(sys.argv[2:], capture_output=True, text=True, check=True).stdout
rows = list(csv.DictReader(text.splitlines()))
assert len(rows) == len(lines)
for row, line in zip(rows, lines):
    for name, value in row.items():
        known = line.get(name)
        if known is None: assert value == "", (name, value)
        elif isinstance(known, bool): assert value == str(known).lower(), (name, value)
        elif isinstance(known, str): assert value == known, (name, value)
        else: assert float(value) == known, (name, value)
' "$work/rows.jsonl" gpushape sweep 'qwen3-*b' google/gemma-3-4b-it --tp 1,3,8 --context 8k,1m --concurrency 64 --gpu l4,h100,none

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

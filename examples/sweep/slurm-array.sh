#!/bin/bash
# The same sweep as an array of Slurm: one task a part. Submit it with
#   sbatch examples/sweep/slurm-array.sh
# and run single parts again with
#   sbatch --array=3,5 --export=ALL,PARTS=8 examples/sweep/slurm-array.sh
#SBATCH --job-name=gpushape-sweep
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --mem=1G
#SBATCH --time=01:00:00
set -eu
parts=${PARTS:-$SLURM_ARRAY_TASK_COUNT}
results=${RESULTS:-$PWD}
# Tasks of this array count from 1, as shards do.
gpushape sweep ${MODELS:-all} --quant stored,fp8 --tp 1,2,4,8 --context 2k..128k --concurrency 1..256 \
  --gpu any --threads "${SLURM_CPUS_PER_TASK:-1}" \
  --shard "$SLURM_ARRAY_TASK_ID/$parts" --output-file "$results/part-$SLURM_ARRAY_TASK_ID.csv"

#!/bin/bash
# Holds what the program writes against the published schemas and the strict manifest checker.
#
#   tests/cli/check_documents.sh PROGRAM
#
# Closes with "N passed, N failed, N skipped".
set -u
program=$1
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
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
    cat "$work/log"
  fi
}

for kind in Estimate Advice ResourceContract Workload Host Cluster Placement Model Device ProfileFit ProfileImport ProfilePlan HostPlan \
  Fragmentation Usage Failover DefragmentPlan InventoryCheck Simulation Review Platform Rules RuleBook Prices; do
  "$program" schema "$kind" >"$work/$kind.schema.json" || { echo "no schema of $kind"; failed=$((failed + 1)); }
done

# Every estimate and advice of a small grid, as JSON and as YAML.
llama=meta-llama/Llama-3.1-8B-Instruct
own=examples/models/tiny-llama-chat/config.json
number=0
while read -r kind line; do
  number=$((number + 1))
  eval "$program $line -o json" >"$work/$number.json" 2>"$work/err"
  status=$?
  if [ "$status" -gt 1 ]; then
    echo "FAILED: $line: exit $status"
    cat "$work/err"
    failed=$((failed + 1))
    continue
  fi
  check "$line -o json" /usr/bin/python3 tests/schema/validate.py "$work/$kind.schema.json" "$work/$number.json"
  eval "$program $line -o yaml" >"$work/$number.yaml" 2>"$work/err"
  check "$line -o yaml" /usr/bin/python3 tests/schema/validate.py "$work/$kind.schema.json" "$work/$number.yaml"
done <<LIST
Model catalog show $llama
Model catalog show deepseek-ai/DeepSeek-V3
Model catalog show nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4
Model catalog show google/gemma-3-27b-it
Model catalog show openai/whisper-large-v3
Device profiles show a100-sxm4-80
Device profiles show mi300x
Device profiles show rubin-288
ProfileImport profiles import examples/exports/gpu-node-7.lgip.txt examples/exports/gpu-node-7.smi.xml
ProfilePlan profiles plan -f examples/mix --gpu a100-sxm4-80
HostPlan plan -f examples/mix --host dgx-a100-640
ProfileFit profiles fit a100-sxm4-80 1g.10gb 3g.40gb
ProfileFit profiles fit a100-sxm4-80 4g.40gb 4g.40gb
Estimate estimate $llama
Estimate estimate $llama --context 8192 --concurrency 32 --gpu h100-sxm-80
Estimate estimate $own --context 8k --concurrency 4 --gpu l40s --profile 24C
Estimate estimate qwen2.5-72b-instruct --tp 4 --pp 2 --context 32k --concurrency 8 --gpu a100-sxm4-80
Estimate estimate $llama --kv-cache-memory-bytes 20GiB --context 8k --gpu h100-sxm-80 --memory-mib 81090
Estimate estimate $llama --token-trace examples/traces/chat.csv --gpu h100-sxm-80
Estimate estimate $llama --concurrency 32 --input-tokens p50=900,p95=3200 --output-tokens mean=200 --common-prefix 512
Estimate estimate $llama --request-rate 4 --request-seconds 12 --context 8k --gpu l40s
Estimate estimate $llama --context 8k --solve concurrency --gpu l40s
Estimate estimate $llama --context 8k --concurrency 8 --solve gpus --gpu l4
Advice advise $llama --token-trace examples/traces/chat.csv --gpu l40s
Advice advise $llama --context 8k --solve concurrency --gpu l40s
Advice advise $llama
Advice advise $llama --context 8192 --concurrency 32 --gpu h100-sxm-80
Advice advise $own --context 32k --concurrency 64 --gpu h100-sxm-80,l40s
Advice advise $own --context 8k --concurrency 8 --gpu any
Advice advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 32 --gpu h100-sxm-80 --host examples/hosts/h1.yaml
Advice advise llama-3.1-70b-instruct --context 8k --concurrency 4 --gpu l4
Advice advise --role notebook --memory-ceiling 8GB --isolation hard --gpu a100-sxm4-80
Advice advise -f examples/workloads/chat-measured.yaml --gpu h100-sxm-80
Advice advise -f examples/workloads/appliance.yaml --gpu l40s --needs-ha
Advice advise $own --context 8k --concurrency 8 --gpu a100-sxm4-80 --platform kubernetes --isolation hard --evidence-level E2 --spread 1.2
Advice advise --role notebook --memory-ceiling 8GiB --gpu l40s --platform kubernetes
Advice advise --role notebook --memory-ceiling 8GiB --gpu h100-sxm-80 --platform bare-metal
Advice advise $llama --quant fp8 --context 8k --gpu h100-sxm-80 --evidence examples/evidence/quiet-chat.json
Advice advise --role notebook --gpu h100-sxm-80 --usage examples/evidence/idle-gpu.json
Advice advise $llama --context 8k --concurrency 8 --gpu l40s,h100-sxm-80 --prices examples/prices.yaml --compare 1,2
Advice advise $llama --context 8k --concurrency 8 --rules examples/rules/house.yaml --host p5.48xlarge
RuleBook rules
RuleBook rules CM --rules examples/rules/house.yaml
RuleBook explain VC-03
LIST

# Our own documents, written by the targets of that name.
"$program" advise "$own" --context 8k --concurrency 8 --gpu l40s -o contract >"$work/contract.yaml" 2>/dev/null
for rule in tests/cases/review/*/; do
  "$program" review "$rule" -o json --checklist >"$work/review.json" 2>/dev/null
  check "review $rule" /usr/bin/python3 tests/schema/validate.py "$work/Review.schema.json" "$work/review.json"
done
for example in examples/platforms/*.yaml; do
  check "$example" /usr/bin/python3 tests/schema/validate.py "$work/Platform.schema.json" "$example"
done
check "-o contract" /usr/bin/python3 tests/schema/validate.py "$work/ResourceContract.schema.json" "$work/contract.yaml"
"$program" advise "$own" --context 8k --concurrency 8 --gpu l40s -o workload >"$work/workload.yaml" 2>/dev/null
check "-o workload" /usr/bin/python3 tests/schema/validate.py "$work/Workload.schema.json" "$work/workload.yaml"
for example in examples/workloads/*.yaml; do
  check "$example" /usr/bin/python3 tests/schema/validate.py "$work/Workload.schema.json" "$example"
done
check "examples/rules" /usr/bin/python3 tests/schema/validate.py "$work/Rules.schema.json" examples/rules/house.yaml
check "examples/prices.yaml" /usr/bin/python3 tests/schema/validate.py "$work/Prices.schema.json" examples/prices.yaml
for example in examples/hosts/*.yaml hosts/*.yaml; do
  check "$example" /usr/bin/python3 tests/schema/validate.py "$work/Host.schema.json" "$example"
done

# Clusters and placements: what advice writes, placement reads.
for example in examples/clusters/*.yaml; do
  check "$example" /usr/bin/python3 tests/schema/validate.py "$work/Cluster.schema.json" "$example"
  "$program" inventory show "$example" -o yaml >"$work/cluster.yaml" 2>/dev/null
  check "inventory show $example" /usr/bin/python3 tests/schema/validate.py "$work/Cluster.schema.json" "$work/cluster.yaml"
  check "inventory check $example" "$program" inventory check "$example"
  for policy in best-performance consolidation least-fragmentation-touch least-fragmentation-fill; do
    "$program" place -f "$work/contract.yaml" --cluster "$example" --policy "$policy" -o json >"$work/placement.json" 2>/dev/null
    check "place on $example, $policy" /usr/bin/python3 tests/schema/validate.py "$work/Placement.schema.json" "$work/placement.json"
  done
done
# Questions about clusters, one at a time and several together.
answers() {  # answers KIND ARGUMENTS…
  local kind=$1
  shift
  "$program" "$@" -o json >"$work/answer.json" 2>"$work/err"
  if [ $? -gt 1 ]; then
    echo "FAILED: $*"
    cat "$work/err"
    failed=$((failed + 1))
  fi
  check "$*" /usr/bin/python3 tests/schema/validate.py "$work/$kind.schema.json" "$work/answer.json"
}
for clusters in examples/clusters/lab.yaml examples/clusters "examples/exports/kubectl.json" "examples/exports/vsphere.json"; do
  answers Fragmentation inventory fragmentation "$clusters"
  answers Failover inventory failover "$clusters"
  answers InventoryCheck inventory check "$clusters"
  answers Cluster inventory show "$clusters"
  answers DefragmentPlan inventory defragment "$clusters" -f "$work/contract.yaml"
done
answers Usage inventory usage examples/exports/kubectl.json --usage examples/exports/dcgm.json
answers Simulation simulate --cluster examples/clusters/lab.yaml --trace examples/traces/day.csv
answers Simulation simulate --cluster examples/traces/nodes.csv --trace examples/traces/tasks.csv --arrivals 120
answers Advice advise "$own" --context 8k --concurrency 8 --cluster examples/clusters/lab.yaml
answers Placement place -f "$work/contract.yaml" --cluster examples/clusters/lab.yaml --cluster examples/exports/vsphere.json

# Every export becomes a Cluster without contradiction.
for export in examples/exports/kubectl.json examples/exports/vsphere.json examples/traces/nodes.csv \
  "examples/exports/gpu-node-7.smi.xml examples/exports/gpu-node-7.topo.txt examples/exports/gpu-node-7.lstopo.xml"; do
  # shellcheck disable=SC2086
  "$program" inventory import $export >"$work/imported.yaml" 2>/dev/null
  check "inventory import $export" /usr/bin/python3 tests/schema/validate.py "$work/Cluster.schema.json" "$work/imported.yaml"
  check "the import of $export has no contradiction" "$program" inventory check "$work/imported.yaml"
done

"$program" advise "$own" --context 8k --concurrency 8 --gpu h100-sxm-80 -o contract 2>/dev/null |
  "$program" place -f - --cluster examples/clusters/lab.yaml -o cluster >"$work/after.yaml" 2>/dev/null
check "advise | place -o cluster" /usr/bin/python3 tests/schema/validate.py "$work/Cluster.schema.json" "$work/after.yaml"
check "the cluster after a placement has no contradiction" "$program" inventory check "$work/after.yaml"

# Manifests: VM classes as two vCenter releases serve them, claims for every Kubernetes that has them.
manifests() {  # manifests NAME TARGETS FLAGS…
  local name=$1 targets=$2
  shift 2
  # shellcheck disable=SC2086
  "$program" advise "$@" $targets --output-dir "$work/$name" 2>"$work/err" ||
    { echo "FAILED: advise $*"; cat "$work/err"; failed=$((failed + 1)); }
}
manifests list "-o vm-class -o resource-claim" "$own" --context 8k --concurrency 8 --gpu h100-sxm-80,l40s
manifests group "-o vm-class" llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 32 --gpu h100-sxm-80
manifests slice "-o vm-class -o resource-claim" "$own" --context 8k --concurrency 4 --gpu a100-sxm4-80 --isolation hard --evidence-level E2 --spread 1.2
manifests direct "-o vm-class" -f examples/workloads/appliance.yaml --gpu l40s
manifests pod "-o resource-claim" "$own" --context 8k --concurrency 4 --gpu h100-sxm-80 --platform kubernetes
for release in vc-8.0.3 vc-9.1.0; do
  check "VM classes on $release" bash tests/emit/check_manifests.sh --vm-operator "$release" "$work"/*/vm-class.yaml
done
check "claims on 1.36" bash tests/emit/check_manifests.sh --k8s 1.36 "$work"/*/resource-claim.yaml
for version in 1.32 1.33 1.34 1.35; do
  mkdir -p "$work/claims"
  "$program" advise "$own" --context 8k --concurrency 4 --gpu h100-sxm-80,l40s --platform kubernetes --k8s "$version" \
    -o resource-claim >"$work/claims/$version.yaml" 2>/dev/null
  check "claims on $version" bash tests/emit/check_manifests.sh --k8s "$version" "$work/claims/$version.yaml"
done

# Every other target, over whole cards, a MIG instance, several cards and a guest's vGPU.
grid() {  # grid NAME FLAGS…: each target in a folder of its own; a target that refuses says why and writes nothing
  local name=$1 target
  shift
  for target in pod deployment kserve nim-service dynamo kueue kai run-ai volcano hami gpu-operator kubevirt device-class \
    llm-d-values vllm-production-stack-values vcluster-values mig-parted device-plugin-config vllm-args; do
    "$program" advise "$@" --namespace ai -o "$target" --output-dir "$work/grid/$name.$target" 2>"$work/err"
    case $? in
      0) ;;
      1) grep -q 'cannot express\|passes flags on\|the chart starts\|starts vLLM and SGLang' "$work/err" ||
           { echo "FAILED: $name $target refuses without a reason"; cat "$work/err"; failed=$((failed + 1)); } ;;
      *) echo "FAILED: advise $* -o $target"; cat "$work/err"; failed=$((failed + 1)) ;;
    esac
  done
}
whole=(llama-3.1-8b-instruct --context 8k --concurrency 8 --gpu h100-sxm-80 --platform kubernetes)
grid whole "${whole[@]}"
grid pair llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 32 --gpu h100-sxm-80 --platform kubernetes
grid slice qwen3-14b --context 8k --concurrency 4 --gpu a100-sxm4-80 --platform kubernetes --isolation hard --evidence-level E2 --spread 1.2
grid local "$own" --context 8k --concurrency 8 --gpu l40s --platform kubernetes
manifests together "-o vm-class -o resource-claim-template -o deployment -o vks-cluster" llama-3.1-8b-instruct --context 8k --concurrency 8 --gpu l40s --namespace ai
for kind in llm-d-values=llm-d-modelservice-values vllm-production-stack-values vcluster-values mig-parted device-plugin-config; do
  check "${kind%=*} on the grid" bash tests/emit/check_manifests.sh --values="${kind#*=}" "$work"/grid/*/"${kind%=*}.yaml"
done
for target in pod deployment kserve nim-service dynamo kueue kai run-ai volcano hami gpu-operator kubevirt device-class; do
  check "$target on the grid" bash tests/emit/check_manifests.sh "$work"/grid/*/"$target.yaml"
done
check "what VKS is given together" bash tests/emit/check_manifests.sh "$work"/together/{resource-claim-template,deployment,vks-cluster}.yaml

# A second run changes nothing, another context does.
"$program" advise "${whole[@]}" -o deployment >"$work/running.yaml" 2>/dev/null
check "--diff with itself" "$program" advise "${whole[@]}" -o deployment --diff "$work/running.yaml"
if "$program" advise "${whole[@]}" --context 4k -o deployment --diff "$work/running.yaml" >"$work/diff" 2>&1 ||
  ! grep -q -- '--max-model-len=8192 -> --max-model-len=4096' "$work/diff"; then
  echo "FAILED: --diff with another context"; cat "$work/diff"; failed=$((failed + 1))
else
  passed=$((passed + 1))
fi

[ "$skipped" -eq 0 ] || echo "note: $skipped checks of manifests did not run: the checker's folder is not given by GPUSHAPE_SHARED, or node is older than 20.19" >&2
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

#include "cli/commands.hpp"

#include <array>

namespace gpushape::cli {
namespace {

constexpr auto kCommandRows = std::to_array<CommandRow>({
    {"advise", "[MODEL] [flags]", "memory, ranked shapes with reasons, the VM contract",
     "  gpushape advise llama-3.1-8b-instruct --context 8192 --concurrency 32\n"
     "  gpushape advise qwen2.5-72b-instruct --context 32k --concurrency 16 --gpu h100\n"
     "  gpushape advise ./config.json --context 8k --concurrency 8 -o vm-class\n",
     kAdvise, run_advise},
    {"estimate", "[MODEL] [flags]", "memory only: every term, low / expected / high",
     "  gpushape estimate llama-3.1-8b-instruct --context 8192 --concurrency 32\n"
     "  gpushape estimate qwen2.5-72b-instruct --gpu h100 --tp 4 --context 32k -v\n"
     "  gpushape estimate ./config.json --quant fp8 --gpu l40s -o json\n",
     kEstimate, run_estimate},
    {"review", "FILE…", "checks existing manifests before deployment",
     "  gpushape review vm-class.yaml\n"
     "  gpushape review manifests/\n"
     "  kubectl get vmclass -o yaml | gpushape review -\n",
     kReview, run_review},
    {"place", "-f FILE… --cluster INVENTORY",
     "where each contract lands, why, and what it costs later",
     "  gpushape place -f contract.yaml --cluster cluster.yaml\n"
     "  gpushape advise llama-3.1-8b-instruct --context 8k --concurrency 32 --gpu h100 \\\n"
     "    -o contract | gpushape place -f - --cluster cluster.yaml\n"
     "  gpushape place -f contracts/ --cluster cluster.yaml --policy consolidation -o json\n",
     kPlace, run_place},
    {"plan", "-f WORKLOAD… --host NAME|--cluster INVENTORY",
     "the fewest hosts for a mix of workloads, and the mode of each GPU",
     "  gpushape plan -f workloads/ --host dgx-h100\n"
     "  gpushape plan -f workloads/ --cluster cluster.yaml\n"
     "  gpushape plan -f chat.yaml -f embed.yaml --host our-server.yaml -o json\n",
     kPlan, run_plan},
    {"simulate", "--cluster INVENTORY --trace TRACE",
     "replays arrivals and departures, policy by policy",
     "  gpushape simulate --cluster cluster.yaml --trace lifecycle.csv\n"
     "  gpushape simulate --cluster cluster.yaml --trace lifecycle.csv \\\n"
     "    --policy best-performance,least-fragmentation-fill -o json\n"
     "  gpushape simulate --cluster nodes.csv --trace tasks.csv --seed 7 --arrivals 130\n",
     kSimulate, run_simulate},
    {"inventory", "import|show|check|fragmentation|usage|failover|defragment [INVENTORY]",
     "inventories from what real systems print, and questions about one",
     "  kubectl get nodes,pods,resourceslices,resourceclaims -A -o json |\n"
     "    gpushape inventory import - --output-file cluster.yaml\n"
     "  gpushape inventory fragmentation cluster.yaml\n"
     "  gpushape inventory usage cluster.yaml --usage dcgm.json\n",
     kInventory, run_inventory},
    {"sweep", "MODEL… [flags]", "the same estimate over a whole grid, one row a combination",
     "  gpushape sweep llama-3.1-8b-instruct --context 2k..128k --concurrency 1..64 \\\n"
     "    --gpu h100,l40s\n"
     "  gpushape sweep 'qwen3-*' --quant stored,fp8 --tp 1,2,4 --context 8k -o jsonl\n"
     "  gpushape sweep all --context 8k --concurrency 32 --shard 3/8 --output-file part-3.csv\n",
     kSweep, run_sweep},
    {"calibrate", "LOG…", "prediction beside what a real engine start measured",
     "  gpushape calibrate vllm.log --gpu h100\n"
     "  gpushape calibrate start.log.gz --gpu l40s --write-evidence evidence.yaml\n"
     "  kubectl logs llm-0 | gpushape calibrate - --gpu a100-sxm4-80 -o json\n",
     kCalibrate, run_calibrate},
    {"catalog", "list|show MODEL|check|import PATH", "the model catalog",
     "  gpushape catalog list --family llama --size 1B-10B\n"
     "  gpushape catalog show llama-3.1-8b-instruct\n"
     "  gpushape catalog import ./config.json --id me/my-model --output-file my-models/mine.yaml\n",
     kCatalog, run_catalog},
    {"profiles", "list|show GPU|check|import FILE…|fit GPU PROFILE…|plan -f WORKLOAD…",
     "the GPU profile tables",
     "  gpushape profiles list\n"
     "  gpushape profiles show a100-sxm4-80\n"
     "  gpushape profiles import smi.xml lgip.txt lgipp.txt --output-file my-gpus/mine.yaml\n"
     "  gpushape profiles fit a100-sxm4-80 2x1g.10gb 2g.20gb 3g.40gb\n"
     "  gpushape profiles plan -f workloads/ --gpu h100-sxm-80\n",
     kProfiles, run_profiles},
    {"rules", "[GROUP|ID]…", "the rule book: every rule, and the numbers that decide",
     "  gpushape rules\n"
     "  gpushape rules CM MD\n"
     "  gpushape rules -o markdown --rules house-rules.yaml\n",
     kRules, run_rules},
    {"explain", "ID", "one rule in full: condition, outcome, reason, source, numbers, example",
     "  gpushape explain CM-06\n"
     "  gpushape explain vc-03 -o json\n"
     "  gpushape explain highestSpread\n",
     kExplain, run_explain},
    {"schema", "KIND", "the JSON Schema of a document",
     "  gpushape schema Advice\n"
     "  gpushape schema ResourceContract\n"
     "  gpushape schema list\n",
     kSchema, run_schema},
    {"generate", "man|bash|zsh|fish", "manual page and completions",
     "  gpushape generate man | man -l -\n"
     "  source <(gpushape generate bash)\n"
     "  gpushape generate fish | source\n",
     kGenerate, run_generate},
});

}  // namespace

std::span<const CommandRow> commands() { return kCommandRows; }

}  // namespace gpushape::cli

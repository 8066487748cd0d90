// The vGPU rows of an entry: types of vgpu -s -v, and what a guest sees of one.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <utility>

#include "profiles/import_entry.hpp"
#include "profiles/node_fields.hpp"

namespace gpushape::profiles {

using document::Node;
using node_fields::child;

namespace {

/// The number at the end of "A100X-4-40C" or "A100X-1-10CME".
std::int64_t size_of_type(const std::string& type) {
  const std::size_t dash = type.find_last_of('-');
  if (dash == std::string::npos) return 0;
  std::int64_t size = 0;
  std::from_chars(type.data() + dash + 1, type.data() + type.size(), size);
  return size > 0 && size <= 4096 ? size : 0;
}

/// As hosts list it: "NVIDIA A100X-40C" is "nvidia_a100x-40c".
std::string host_name_of(const PrintedType& type) {
  std::string name = (type.brand.empty() ? "NVIDIA" : type.brand) + "_" + type.type;
  for (char& letter : name) {
    if (letter == ' ') letter = '_';
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return name;
}

}  // namespace

void EntryOf::take_types(const PrintedGpu& gpu) {
  std::int64_t others = 0;
  for (const PrintedType& printed : gpu.types) {
    if (!printed.is_compute) {
      ++others;
      continue;
    }
    Node* row = row_of("timeSliced", printed.type);
    const bool is_backed = row == nullptr;
    if (row == nullptr) row = row_of("migBacked", printed.type);
    if (row == nullptr) {
      add_type(printed);
      continue;
    }
    const std::string& name = printed.type;
    if (printed.frame_buffer_mib) {
      put(*row, "frameBufferMib", *printed.frame_buffer_mib,
          {name + ": frame buffer", "MiB", &printed.span});
    }
    if (printed.most && *printed.most > 0) {
      put(*row, "max", *printed.most, {name + ": most", "", &printed.span});
    }
    if (is_backed && printed.per_instance && *printed.per_instance > 1) {
      put(*row, "perInstance", *printed.per_instance,
          {name + ": most of one instance", "", &printed.span});
    }
  }
  if (others > 0) {
    remark(RemarkKind::LeftOut,
           fmt::format("{} vGPU types that are not of the class Compute (B, Q, A series)", others),
           gpu.span);
  }
}

void EntryOf::add_type(const PrintedType& printed) {
  const std::int64_t size = size_of_type(printed.type);
  const std::int64_t most = printed.most.value_or(0);
  if (size == 0 || most == 0) {
    remark(RemarkKind::LeftOut,
           fmt::format("{}: a vGPU type that the table lacks, without {}", printed.type,
                       size == 0 ? "a size in its name" : "its count of a GPU"),
           printed.span);
    return;
  }
  std::string instance;
  if (printed.instance_id) {
    const Node* mig = group_of("mig");
    const Node* rows = mig == nullptr ? nullptr : mig->find("profiles");
    for (const Node& row : rows == nullptr ? std::vector<Node>() : rows->items()) {
      const Node* id = row.find("id");
      if (id != nullptr && id->integer() == *printed.instance_id) {
        instance = row.find("name")->text();
      }
    }
    if (instance.empty()) {
      remark(RemarkKind::LeftOut,
             fmt::format("{}: backed by MIG profile {}, which no row has (give mig -lgip and "
                         "-lgipp with it)",
                         printed.type, *printed.instance_id),
             printed.span);
      return;
    }
  }
  remark(RemarkKind::New, fmt::format("{}: a vGPU type that the table lacks", printed.type),
         printed.span);
  Node& table = group(instance.empty() ? "timeSliced" : "migBacked");
  if (table.find("typePrefix") == nullptr) {
    const std::size_t cut = printed.type.find('-');
    table.set("typePrefix", printed.type.substr(0, cut));
  }
  Node* rows = child(table, "profiles");
  if (rows == nullptr) rows = &table.set("profiles", Node::sequence());
  Node& row = rows->add(Node::mapping());
  row.set("name", host_name_of(printed));
  row.set("type", printed.type);
  row.set("gib", size);
  if (printed.frame_buffer_mib) row.set("frameBufferMib", *printed.frame_buffer_mib);
  row.set("max", most);
  if (!instance.empty()) {
    row.set("instance", instance);
    if (printed.per_instance.value_or(1) > 1) row.set("perInstance", *printed.per_instance);
  } else if (most == 1) {
    row.set("fullSize", true);
  }
  row.in_flow();
}

void EntryOf::take_guest(const PrintedGpu& gpu) {
  const std::string type = gpu.product.substr(gpu.product.find(' ') + 1);
  const char* group = row_of("timeSliced", type) != nullptr ? "timeSliced" : "migBacked";
  const Node* row = row_of(group, type);
  const Node* frame = row == nullptr ? nullptr : row->find("frameBufferMib");
  if (row == nullptr || !gpu.total_mib) return;
  remark(RemarkKind::LeftOut,
         frame == nullptr ? fmt::format("a guest with {} sees {} MiB", type, *gpu.total_mib)
                          : fmt::format("a guest with {} sees {} MiB of a frame buffer of {} MiB",
                                        type, *gpu.total_mib, frame->integer()),
         gpu.total_span, place_of(*row));
}

}  // namespace gpushape::profiles

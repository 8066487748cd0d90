#include "catalog/rope_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/edit_distance.hpp"
#include "catalog/fields.hpp"
#include "catalog/limits.hpp"

namespace gpushape::catalog {
namespace {

// What a scaling does to the rows of the rotary table and to the longest context. Sources: vLLM's
// layers/rotary_embedding (linear: max_position x factor; dynamic: the same; yarn: original x
// factor; llama3 and longrope: max_position) and its rule for the longest context.
enum class Stretch { None, Trained, Original };
struct Scaling {
  std::string_view name;
  Stretch stretch;
};
constexpr auto kScalings = std::to_array<Scaling>({
    {"default", Stretch::None},
    {"linear", Stretch::Trained},
    {"dynamic", Stretch::Trained},
    {"yarn", Stretch::Original},
    {"llama3", Stretch::None},
    {"longrope", Stretch::None},
    {"su", Stretch::None},
    {"mrope", Stretch::None},         // Qwen2-VL: rows, columns and time share a head
    {"proportional", Stretch::None},  // Gemma 4: as default, over a share of the head
    {"gptj", Stretch::None},          // what some copies of GPT-J's config call its default
    {"ntk", Stretch::Trained},
    {"deepseek_yarn", Stretch::Original},
    {"telechat3-yarn", Stretch::Original},
});

}  // namespace

void read_rope_scaling(document::Reader& scaling, std::int64_t trained, domain::Model& model) {
  const Fields fields(scaling);
  domain::Rope& rope = model.rope;
  if (const auto theta = fields.number("rope_theta", kRopeTheta)) rope.theta = *theta;
  if (fields.given("mrope_section")) rope.has_sections = true;
  const std::string_view type_field = fields.first_given({"rope_type", "type"});
  if (type_field.empty()) {
    if (fields.given("factor"))
      scaling.complain(fmt::format("{} has a factor but no rope_type", scaling.what()));
    return;
  }
  const std::string type = fields.text(type_field).value_or("default");
  const auto known = std::ranges::find(kScalings, type, &Scaling::name);
  if (known == kScalings.end()) {
    std::vector<std::string> names;
    std::string list;
    for (const Scaling& row : kScalings) {
      names.emplace_back(row.name);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", row.name);
    }
    scaling.complain(type_field, fmt::format("rope scaling '{}' is not understood", type),
                     suggestion(type, names, "known are " + list));
    return;
  }
  if (type == "default") return;
  rope.scaling = type;
  rope.original_max_positions =
      fields.integer("original_max_position_embeddings", kContextTokens).value_or(0);
  if (!fields.given("factor") && known->stretch != Stretch::None) {
    scaling.complain(fmt::format("rope scaling '{}' has no factor", type));
    return;
  }
  rope.factor = fields.number("factor", kRopeFactor).value_or(1);
  std::int64_t base = trained;
  if (known->stretch == Stretch::Original && rope.original_max_positions > 0)
    base = rope.original_max_positions;
  if (known->stretch == Stretch::None) return;
  const double rows = static_cast<double>(base) * rope.factor;
  if (rows > static_cast<double>(kContextTokens.most)) {
    scaling.complain(
        fmt::format("{} positions times {} are more than any model has", base, rope.factor));
    return;
  }
  rope.positions = static_cast<std::int64_t>(rows);
  model.max_context_tokens = rope.positions;
}

}  // namespace gpushape::catalog

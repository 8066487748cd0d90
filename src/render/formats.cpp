#include "render/formats.hpp"

#include <array>

#include "render/documents.hpp"
#include "render/placement_view.hpp"
#include "render/text.hpp"

namespace gpushape::render {

namespace {

constexpr auto kFormats = std::to_array<FormatRow>({
    {"text", "for people: 80 columns, assumptions first", estimate_text, advice_text,
     placement_text, comparison_text, calibration_text},
    {"json", "the document as JSON; its schema: gpushape schema KIND", estimate_json, advice_json,
     placement_json, comparison_json, calibration_json},
    {"yaml", "the same document as YAML", estimate_yaml, advice_yaml, placement_yaml,
     comparison_yaml, calibration_yaml},
});

}  // namespace

std::span<const FormatRow> formats() { return kFormats; }

}  // namespace gpushape::render

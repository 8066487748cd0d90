// The functions of the rule table, one to a file of this folder.
#pragma once

#include <optional>

#include "advise/facts.hpp"
#include "advise/rules.hpp"
#include "advise/thresholds.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_01(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_02(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_03(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_04(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_05(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_06(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_07(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_08(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_09(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> cm_10(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> md_01(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> md_02(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> md_03(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> md_04(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> md_05(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> md_06(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> mg_01(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> mg_02(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> mg_04(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> mg_05(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> lc_01(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> lc_02(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> mg_03(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> mg_06(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> lc_03(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> lc_04(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> ev_01(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> ev_02(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> ev_03(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> ev_04(const Facts& facts, const Thresholds& thresholds);
std::optional<Verdict> ev_05(const Facts& facts, const Thresholds& thresholds);

}  // namespace gpushape::advise::rules_of

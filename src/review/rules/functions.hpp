// The functions of the rules, one file each; the rows that name them stand in rules.cpp.
#pragma once

#include "review/rules.hpp"

namespace gpushape::review::rules_of {

void vc_01(const Deployment& deployment, Report& report);
void vc_02(const Deployment& deployment, Report& report);
void vc_03(const Deployment& deployment, Report& report);
void vc_04(const Deployment& deployment, Report& report);
void vc_06(const Deployment& deployment, Report& report);
void vc_07(const Deployment& deployment, Report& report);
void vc_11(const Deployment& deployment, Report& report);

}  // namespace gpushape::review::rules_of

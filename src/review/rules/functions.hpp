// The functions of the rules, one file each; the rows that name them stand in rules.cpp.
#pragma once

#include "review/rules.hpp"

namespace gpushape::review::rules_of {

void vc_01(const Deployment& deployment, Report& report);
void vc_02(const Deployment& deployment, Report& report);
void vc_03(const Deployment& deployment, Report& report);
void vc_04(const Deployment& deployment, Report& report);
void vc_05(const Deployment& deployment, Report& report);
void vc_06(const Deployment& deployment, Report& report);
void vc_07(const Deployment& deployment, Report& report);
void vc_11(const Deployment& deployment, Report& report);
void vc_12(const Deployment& deployment, Report& report);
void vc_13(const Deployment& deployment, Report& report);
void vc_15(const Deployment& deployment, Report& report);
void vc_17(const Deployment& deployment, Report& report);
void vc_18(const Deployment& deployment, Report& report);
void vc_19(const Deployment& deployment, Report& report);
void vc_21(const Deployment& deployment, Report& report);
void vc_22(const Deployment& deployment, Report& report);
void vc_23(const Deployment& deployment, Report& report);
void vc_24(const Deployment& deployment, Report& report);
void vc_25(const Deployment& deployment, Report& report);
void mf_01(const Deployment& deployment, Report& report);
void mf_02(const Deployment& deployment, Report& report);
void mf_03(const Deployment& deployment, Report& report);
void mf_04(const Deployment& deployment, Report& report);
void mf_05(const Deployment& deployment, Report& report);
void mf_06(const Deployment& deployment, Report& report);
void mf_07(const Deployment& deployment, Report& report);
void mf_08(const Deployment& deployment, Report& report);
void mf_09(const Deployment& deployment, Report& report);
void mf_10(const Deployment& deployment, Report& report);
void mf_11(const Deployment& deployment, Report& report);
void mf_12(const Deployment& deployment, Report& report);
void mf_13(const Deployment& deployment, Report& report);
void mf_14(const Deployment& deployment, Report& report);
void mf_15(const Deployment& deployment, Report& report);
void mf_16(const Deployment& deployment, Report& report);
void mf_17(const Deployment& deployment, Report& report);
void mf_18(const Deployment& deployment, Report& report);
void mf_19(const Deployment& deployment, Report& report);
void mf_20(const Deployment& deployment, Report& report);
void mf_21(const Deployment& deployment, Report& report);
void mf_22(const Deployment& deployment, Report& report);
void mf_23(const Deployment& deployment, Report& report);
void mf_24(const Deployment& deployment, Report& report);
void kb_01(const Deployment& deployment, Report& report);
void kb_02(const Deployment& deployment, Report& report);
void kb_03(const Deployment& deployment, Report& report);
void kb_04(const Deployment& deployment, Report& report);
void me_01(const Deployment& deployment, Report& report);
void me_02(const Deployment& deployment, Report& report);
void me_03(const Deployment& deployment, Report& report);
void me_04(const Deployment& deployment, Report& report);
void me_05(const Deployment& deployment, Report& report);
void me_06(const Deployment& deployment, Report& report);
void me_07(const Deployment& deployment, Report& report);
void me_08(const Deployment& deployment, Report& report);
void me_09(const Deployment& deployment, Report& report);
void me_10(const Deployment& deployment, Report& report);
void me_11(const Deployment& deployment, Report& report);
void ld_01(const Deployment& deployment, Report& report);
void ld_02(const Deployment& deployment, Report& report);
void ld_03(const Deployment& deployment, Report& report);
void ld_04(const Deployment& deployment, Report& report);
void pl_01(const Deployment& deployment, Report& report);
void pl_02(const Deployment& deployment, Report& report);
void pl_03(const Deployment& deployment, Report& report);
void ig_01(const Deployment& deployment, Report& report);
void ig_02(const Deployment& deployment, Report& report);

}  // namespace gpushape::review::rules_of

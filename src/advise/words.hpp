// How figures stand in the sentences of this room.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "domain/device.hpp"

namespace gpushape::advise {

/// "9.34 GiB", "44.5 GiB": two decimals below ten, one from there on.
std::string size_text(Bytes bytes);
/// "20.9 GiB (22.4 GB)", rounded down: a limit that a reader may fill up.
std::string limit_text(Bytes bytes);
/// "5 GB": the next whole GB, or the next tenth below one; how far something must fall.
std::string fall_text(Bytes bytes);
/// "25 %".
std::string percent_text(double part);
/// "21 days", "6.9 days".
std::string days_text(double days);
/// "1 replica", "3 replicas".
std::string counted(std::int64_t count, std::string_view noun);
/// The name a reader knows a profile by: "40C", "3g.40gb"; of a MIG-backed vGPU, its instance.
std::string_view plain_name(const domain::Profile& profile);

}  // namespace gpushape::advise

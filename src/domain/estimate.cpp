#include "domain/estimate.hpp"

namespace gpushape::domain {

Range part_bytes(const Estimate& estimate, Part part) {
  Range sum;
  for (const Term& term : estimate.terms) {
    if (term.part != part) continue;
    sum.low += term.bytes.low;
    sum.expected += term.bytes.expected;
    sum.high += term.bytes.high;
  }
  return sum;
}

}  // namespace gpushape::domain

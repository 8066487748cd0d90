// What the shapes of an answer cost, by a list that the user brings. Prices rank nothing.
#pragma once

#include "domain/advice.hpp"
#include "domain/prices.hpp"

namespace gpushape::advise {

/// Sets the cost of every shape whose device has a price: of GPU prices the part of the device that
/// it takes, of instances as many as its replicas need, whole. The cheapest counts; equal ones in
/// the order of the list.
void price(const domain::PriceList& prices, domain::Advice& advice);

}  // namespace gpushape::advise

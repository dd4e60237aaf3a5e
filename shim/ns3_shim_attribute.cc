// SPDX-License-Identifier: GPL-2.0-only
// Attributes by name and text. ns-3 ends the process on a time without a known unit, a pointer given as text
// and more, even in its "fail safe" functions, so the text is checked against the attribute's type before
// ns-3 sees it.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

#include <ns3/attribute.h>
#include <ns3/string.h>
#include <ns3/type-id.h>

#include "shim/ns3_shim_internal.hh"

using namespace ns3;

namespace
{

struct Unit {
  const char *type; // of the attribute's value
  const char *name;
  double factor;
};

// ns-3 3.37 reads these units; so much they are in picoseconds, bit/s, and packets or octets. Years and
// femtoseconds are left out: neither is exact at this resolution.
const Unit units[] = {
    {"TimeValue", "s", 1e12},
    {"TimeValue", "ms", 1e9},
    {"TimeValue", "us", 1e6},
    {"TimeValue", "ns", 1e3},
    {"TimeValue", "ps", 1},
    {"TimeValue", "min", 60e12},
    {"TimeValue", "h", 3600e12},
    {"TimeValue", "d", 86400e12},
    {"DataRateValue", "bps", 1},
    {"DataRateValue", "b/s", 1},
    {"DataRateValue", "kbps", 1e3},
    {"DataRateValue", "kb/s", 1e3},
    {"DataRateValue", "Mbps", 1e6},
    {"DataRateValue", "Mb/s", 1e6},
    {"DataRateValue", "Gbps", 1e9},
    {"DataRateValue", "Gb/s", 1e9},
    {"QueueSizeValue", "p", 1},
    {"QueueSizeValue", "kp", 1e3},
    {"QueueSizeValue", "Kip", 1024},
    {"QueueSizeValue", "Mp", 1e6},
    {"QueueSizeValue", "Mip", 1048576},
    {"QueueSizeValue", "B", 1},
    {"QueueSizeValue", "kB", 1e3},
    {"QueueSizeValue", "KiB", 1024},
    {"QueueSizeValue", "MB", 1e6},
    {"QueueSizeValue", "MiB", 1048576},
    {"UintegerValue", "", 1},
};

// They are the least and the most that is taken, in the units' base. ns-3 would divide by a rate of 0 and
// silently ignore a queue limit of 0; the rest is bounded so that no sum of times overflows.
struct Range {
  const char *type;
  double least, most;
};

const Range ranges[] = {
    {"TimeValue", 0, 1e18},     {"DataRateValue", 1, 1e18}, {"QueueSizeValue", 1, 4294967295.0},
    {"UintegerValue", 0, 1e18}, {"DoubleValue", 0, 1e18},
};

// Words are taken as they are: ns-3 itself refuses those that it does not know.
bool is_word(const std::string &type)
{
  return type == "BooleanValue" || type == "EnumValue";
}

// Returns null for types that cannot be set: they are neither words nor in the table.
const Range *find_range(const std::string &type)
{
  const Range *found = std::find_if(std::begin(ranges), std::end(ranges),
                                    [&](const Range &range) { return type == range.type; });
  return found == std::end(ranges) ? nullptr : found;
}

bool in_range(const std::string &type, const std::string &value)
{
  if (is_word(type)) {
    return !value.empty();
  }
  if (type == "DoubleValue" && value.find_first_not_of("0123456789.e+-") == std::string::npos) {
    char *end = nullptr;
    const double number = std::strtod(value.c_str(), &end); // 1e-6, too
    return std::isdigit(value[0]) && *end == '\0' && number <= find_range(type)->most;
  }
  size_t digits = value.find_first_not_of("0123456789.");
  std::string number = value.substr(0, digits);
  std::string unit = digits == std::string::npos ? "" : value.substr(digits);
  if (number.empty() || number[0] == '.' || number.find('.') != number.rfind('.')) {
    return false;
  }
  if (type == "UintegerValue" && number.find('.') != std::string::npos) {
    return false;
  }
  for (const Unit &known : units) {
    if (type == known.type && unit == known.name) {
      double base = std::strtod(number.c_str(), nullptr) * known.factor;
      return base >= find_range(type)->least && base <= find_range(type)->most;
    }
  }
  return false;
}

// Does what TypeId::LookupAttributeByName() does, which ends the process for an obsolete attribute.
bool find_attribute(TypeId type, const std::string &name, TypeId::AttributeInformation &found)
{
  for (;;) {
    for (size_t i = 0; i < type.GetAttributeN(); i++) {
      found = type.GetAttribute(i);
      if (found.name == name && found.supportLevel != TypeId::OBSOLETE) {
        return true;
      }
    }
    if (!type.HasParent()) {
      return false;
    }
    type = type.GetParent();
  }
}

} // namespace

namespace shim
{

bool set_attribute(ObjectBase &object, const std::string &name, const std::string &value,
                   ns3_shim_error *error)
{
  TypeId::AttributeInformation attribute;
  if (!find_attribute(object.GetInstanceTypeId(), name, attribute)) {
    return fail(error, object.GetInstanceTypeId().GetName() + " has no attribute \"" + name + "\"");
  }
  // ns-3 gives some with and some without its namespace.
  std::string type = attribute.checker->GetValueTypeName();
  type = type.rfind("ns3::", 0) == 0 ? type.substr(5) : type;
  if (!is_word(type) && !find_range(type)) {
    return fail(error, "attribute \"" + name + "\" is a " + type + ", which text cannot set");
  }
  if (!in_range(type, value)) {
    return fail(error, "\"" + value + "\" is no value for attribute \"" + name + "\" (" + type + ")");
  }
  if (!object.SetAttributeFailSafe(name, StringValue(value))) {
    return fail(error, "attribute \"" + name + "\" cannot be set to \"" + value + "\" (" +
                           attribute.checker->GetUnderlyingTypeInformation() + ")");
  }
  return true;
}

} // namespace shim

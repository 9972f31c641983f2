#include <cmath>

#include <fmt/format.h>

#include <mercer/distance.h>
#include <mercer/error.h>

namespace mercer {

namespace {

using Parameters = std::vector<std::pair<std::string, double>>;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

bool is_positive_semidefinite(const Kernel& kernel) {
  if (const auto* polynomial = std::get_if<Polynomial>(&kernel)) return polynomial->coef0 >= 0;
  return !std::holds_alternative<Sigmoid>(kernel) && !std::holds_alternative<Precomputed>(kernel) &&
         !std::holds_alternative<Custom>(kernel);
}

void check_threshold(const char* name, std::optional<double> threshold) {
  if (!threshold || std::isfinite(*threshold)) return;
  throw InvalidArgument(
      fmt::format("threshold of the {} distance is {}: it must be finite", name, *threshold));
}

}  // namespace

std::string distance_name(const Distance& distance) {
  return std::visit(
      Overloaded{[](const EuclideanDistance&) { return "euclidean"; },
                 [](const HammingDistance&) { return "hamming"; },
                 [](const L1Distance&) { return "l1"; }, [](const Chi2Distance&) { return "chi2"; },
                 [](const HellingerDistance&) { return "hellinger"; },
                 [](const JensenShannonDistance&) { return "jensen_shannon"; },
                 [](const CosineDistance&) { return "cosine"; },
                 [](const JaccardDistance&) { return "jaccard"; },
                 [](const KernelDistance&) { return "kernel"; },
                 [](const PrecomputedDistance&) { return "precomputed"; },
                 [](const CustomDistance&) { return "custom"; }},
      distance);
}

std::vector<std::string> distance_names() {
  return {"euclidean", "hamming", "l1",     "chi2",        "hellinger", "jensen_shannon",
          "cosine",    "jaccard", "kernel", "precomputed", "custom"};
}

std::vector<std::pair<std::string, double>> distance_parameters(const Distance& distance) {
  Parameters found;
  const auto add_threshold = [&](std::optional<double> threshold) {
    if (threshold) found.emplace_back("threshold", *threshold);
  };
  std::visit(Overloaded{[&](const HammingDistance& d) { add_threshold(d.threshold); },
                        [&](const JaccardDistance& d) { add_threshold(d.threshold); },
                        [&](const PrecomputedDistance& d) {
                          if (d.squared) found.emplace_back("squared", 1);
                          if (d.hilbertian) found.emplace_back("hilbertian", 1);
                        },
                        [](const auto&) {}},
             distance);
  return found;
}

Distance make_distance(const std::string& name, const Parameters& parameters) {
  const auto build = [&]() -> Distance {
    if (name == "euclidean") return EuclideanDistance{};
    if (name == "hamming") return HammingDistance{};
    if (name == "l1") return L1Distance{};
    if (name == "chi2") return Chi2Distance{};
    if (name == "hellinger") return HellingerDistance{};
    if (name == "jensen_shannon") return JensenShannonDistance{};
    if (name == "cosine") return CosineDistance{};
    if (name == "jaccard") return JaccardDistance{};
    if (name == "kernel") return KernelDistance{};
    if (name == "precomputed") return PrecomputedDistance{};
    if (name == "custom") return CustomDistance{};
    throw InvalidArgument(fmt::format("there is no distance '{}'; known distances: {}", name,
                                      fmt::join(distance_names(), ", ")));
  };
  Distance distance = build();
  for (const auto& [parameter, value] : parameters) {
    auto* hamming = std::get_if<HammingDistance>(&distance);
    auto* jaccard = std::get_if<JaccardDistance>(&distance);
    auto* precomputed = std::get_if<PrecomputedDistance>(&distance);
    if (parameter == "threshold" && hamming != nullptr) {
      hamming->threshold = value;
    } else if (parameter == "threshold" && jaccard != nullptr) {
      jaccard->threshold = value;
    } else if (parameter == "squared" && precomputed != nullptr) {
      precomputed->squared = value != 0;
    } else if (parameter == "hilbertian" && precomputed != nullptr) {
      precomputed->hilbertian = value != 0;
    } else {
      throw InvalidArgument(fmt::format("the {} distance has no parameter '{}'", name, parameter));
    }
  }
  return distance;
}

bool is_hilbertian(const Distance& distance) {
  return std::visit(
      Overloaded{[](const KernelDistance& d) { return is_positive_semidefinite(d.kernel); },
                 [](const PrecomputedDistance& d) { return d.hilbertian; },
                 [](const CustomDistance& d) { return d.hilbertian; },
                 [](const auto&) { return true; }},
      distance);
}

void validate(const Distance& distance) {
  std::visit(
      Overloaded{[](const HammingDistance& d) { check_threshold("hamming", d.threshold); },
                 [](const JaccardDistance& d) { check_threshold("jaccard", d.threshold); },
                 [](const KernelDistance& d) {
                   validate(d.kernel);
                   if (std::holds_alternative<Precomputed>(d.kernel)) {
                     throw InvalidArgument(
                         "distances of a precomputed kernel: hand over the distances themselves "
                         "as precomputed ones");
                   }
                   const auto* custom = std::get_if<Custom>(&d.kernel);
                   if (custom != nullptr && !custom->function) {
                     throw InvalidArgument(
                         fmt::format("the custom kernel '{}' has no function", custom->name));
                   }
                 },
                 [](const CustomDistance& d) {
                   if (d.squared) return;
                   throw InvalidArgument(
                       fmt::format("the custom distance '{}' has no function", d.name));
                 },
                 [](const auto&) {}},
      distance);
}

}  // namespace mercer

#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/kernel.h>

namespace mercer {

namespace {

using Parameters = std::vector<std::pair<std::string, double>>;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

void require_positive(const char* kernel, const char* parameter, std::optional<double> value) {
  if (!value || (*value > 0 && std::isfinite(*value))) return;
  throw InvalidArgument(fmt::format("{} of the {} kernel is {}: it must be positive and finite",
                                    parameter, kernel, *value));
}

void require_finite(const char* kernel, const char* parameter, double value) {
  if (std::isfinite(value)) return;
  throw InvalidArgument(
      fmt::format("{} of the {} kernel is {}: it must be finite", parameter, kernel, value));
}

double positive_sigma(double sigma) {
  if (sigma > 0 && std::isfinite(sigma)) return sigma;
  throw InvalidArgument(fmt::format("sigma is {}: it must be positive and finite", sigma));
}

/// Takes parameters out of the list by name; what is left at the end was not known.
class ParameterReader {
 public:
  ParameterReader(const std::string& kernel, const Parameters& parameters) : kernel_(kernel) {
    for (const auto& [name, value] : parameters) {
      if (!values_.emplace(name, value).second) {
        throw InvalidArgument(fmt::format("{} is given twice for the {} kernel", name, kernel));
      }
    }
  }
  std::optional<double> take(const std::string& name) {
    const auto it = values_.find(name);
    if (it == values_.end()) return std::nullopt;
    const double value = it->second;
    values_.erase(it);
    return value;
  }
  void finish() const {
    if (values_.empty()) return;
    throw InvalidArgument(
        fmt::format("the {} kernel has no parameter '{}'", kernel_, values_.begin()->first));
  }

 private:
  std::string kernel_;
  std::map<std::string, double> values_;
};

int to_degree(double value) {
  if (value >= 1 && value <= 1000 && value == std::floor(value)) return static_cast<int>(value);
  throw InvalidArgument(fmt::format(
      "degree of the polynomial kernel is {}: it must be a whole number from 1 to 1000", value));
}

}  // namespace

Gaussian Gaussian::from_sigma(double sigma) {
  const double inverse = 1 / positive_sigma(sigma);
  return {.gamma = 0.5 * inverse * inverse};
}

Laplacian Laplacian::from_sigma(double sigma) {
  return {.gamma = 1 / positive_sigma(sigma)};
}

std::string kernel_name(const Kernel& kernel) {
  return std::visit(
      Overloaded{
          [](const Gaussian&) { return "gaussian"; }, [](const Laplacian&) { return "laplacian"; },
          [](const LaplacianL1&) { return "laplacian_l1"; },
          [](const Matern32&) { return "matern32"; }, [](const Matern52&) { return "matern52"; },
          [](const RationalQuadratic&) { return "rational_quadratic"; },
          [](const Polynomial&) { return "polynomial"; }, [](const Linear&) { return "linear"; },
          [](const Cosine&) { return "cosine"; }, [](const Sigmoid&) { return "sigmoid"; },
          [](const Chi2&) { return "chi2"; },
          [](const ExponentialChi2&) { return "exponential_chi2"; },
          [](const Precomputed&) { return "precomputed"; }, [](const Custom&) { return "custom"; }},
      kernel);
}

std::vector<std::string> kernel_names() {
  return {"gaussian",    "laplacian", "laplacian_l1", "matern32", "matern52", "rational_quadratic",
          "polynomial",  "linear",    "cosine",       "sigmoid",  "chi2",     "exponential_chi2",
          "precomputed", "custom"};
}

std::vector<std::pair<std::string, double>> kernel_parameters(const Kernel& kernel) {
  Parameters found;
  const auto add = [&](const char* name, std::optional<double> value) {
    if (value) found.emplace_back(name, *value);
  };
  std::visit(
      Overloaded{[&](const Gaussian& k) { add("gamma", k.gamma); },
                 [&](const Laplacian& k) { add("gamma", k.gamma); },
                 [&](const LaplacianL1& k) { add("gamma", k.gamma); },
                 [&](const Matern32& k) { add("length", k.length); },
                 [&](const Matern52& k) { add("length", k.length); },
                 [&](const RationalQuadratic& k) {
                   add("length", k.length);
                   add("alpha", k.alpha);
                 },
                 [&](const Polynomial& k) {
                   add("gamma", k.gamma);
                   add("degree", k.degree);
                   add("coef0", k.coef0);
                 },
                 [&](const Sigmoid& k) {
                   add("gamma", k.gamma);
                   add("coef0", k.coef0);
                 },
                 [&](const ExponentialChi2& k) { add("gamma", k.gamma); }, [](const auto&) {}},
      kernel);
  return found;
}

Kernel make_kernel(const std::string& name, const Parameters& parameters) {
  ParameterReader reader(name, parameters);
  const auto build = [&]() -> Kernel {
    if (name == "gaussian") return Gaussian{reader.take("gamma")};
    if (name == "laplacian") return Laplacian{reader.take("gamma")};
    if (name == "laplacian_l1") return LaplacianL1{reader.take("gamma")};
    if (name == "matern32") return Matern32{reader.take("length")};
    if (name == "matern52") return Matern52{reader.take("length")};
    if (name == "rational_quadratic") {
      return RationalQuadratic{reader.take("length"), reader.take("alpha").value_or(1)};
    }
    if (name == "polynomial") {
      Polynomial k{.gamma = reader.take("gamma")};
      if (const auto degree = reader.take("degree")) k.degree = to_degree(*degree);
      k.coef0 = reader.take("coef0").value_or(k.coef0);
      return k;
    }
    if (name == "linear") return Linear{};
    if (name == "cosine") return Cosine{};
    if (name == "sigmoid") {
      Sigmoid k{.gamma = reader.take("gamma")};
      k.coef0 = reader.take("coef0").value_or(k.coef0);
      return k;
    }
    if (name == "chi2") return Chi2{};
    if (name == "exponential_chi2") return ExponentialChi2{reader.take("gamma")};
    if (name == "precomputed") return Precomputed{};
    if (name == "custom") return Custom{};
    throw InvalidArgument(fmt::format("there is no kernel '{}'; known kernels: {}", name,
                                      fmt::join(kernel_names(), ", ")));
  };
  Kernel kernel = build();
  reader.finish();
  validate(kernel);
  return kernel;
}

bool is_resolved(const Kernel& kernel) {
  return std::visit(Overloaded{[](const Gaussian& k) { return k.gamma.has_value(); },
                               [](const Laplacian& k) { return k.gamma.has_value(); },
                               [](const LaplacianL1& k) { return k.gamma.has_value(); },
                               [](const Matern32& k) { return k.length.has_value(); },
                               [](const Matern52& k) { return k.length.has_value(); },
                               [](const RationalQuadratic& k) { return k.length.has_value(); },
                               [](const Polynomial& k) { return k.gamma.has_value(); },
                               [](const Sigmoid& k) { return k.gamma.has_value(); },
                               [](const ExponentialChi2& k) { return k.gamma.has_value(); },
                               [](const auto&) { return true; }},
                    kernel);
}

void validate(const Kernel& kernel) {
  std::visit(
      Overloaded{
          [](const Gaussian& k) { require_positive("gaussian", "gamma", k.gamma); },
          [](const Laplacian& k) { require_positive("laplacian", "gamma", k.gamma); },
          [](const LaplacianL1& k) { require_positive("laplacian_l1", "gamma", k.gamma); },
          [](const Matern32& k) { require_positive("matern32", "length", k.length); },
          [](const Matern52& k) { require_positive("matern52", "length", k.length); },
          [](const RationalQuadratic& k) {
            require_positive("rational_quadratic", "length", k.length);
            require_positive("rational_quadratic", "alpha", k.alpha);
          },
          [](const Polynomial& k) {
            require_positive("polynomial", "gamma", k.gamma);
            require_finite("polynomial", "coef0", k.coef0);
            to_degree(k.degree);
          },
          [](const Sigmoid& k) {
            require_positive("sigmoid", "gamma", k.gamma);
            require_finite("sigmoid", "coef0", k.coef0);
          },
          [](const ExponentialChi2& k) { require_positive("exponential_chi2", "gamma", k.gamma); },
          [](const auto&) {}},
      kernel);
}

}  // namespace mercer

#include "cli/kernel_flags.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace mercer::cli {

void KernelFlags::add(Arguments& arguments) {
  std::vector<std::string> names = kernel_names();
  std::erase(names, "custom");  // a function cannot be given on a command line
  arguments.group("Kernel");
  arguments
      .option("--kernel", "NAME", name,
              fmt::format("{} (default gaussian)", fmt::join(names, ", ")))
      .one_of(names);
  const Argument gamma_option = arguments.option(
      "--gamma", "G", gamma,
      "Scale of gaussian exp(-G r^2), laplacian exp(-G r), laplacian_l1, exponential_chi2, "
      "polynomial, sigmoid; chosen from the data when absent");
  arguments
      .option("--sigma", "S", sigma,
              "Instead of --gamma: 1/(2 S^2) for gaussian, 1/S for laplacian")
      .excludes(gamma_option);
  arguments.option("--length", "L", length,
                   "Length scale of matern32, matern52, rational_quadratic; chosen when absent");
  arguments.option("--alpha", "A", alpha, "Exponent of rational_quadratic (default 1)");
  arguments.option("--degree", "P", degree, "Degree of polynomial (default 3)");
  arguments.option("--coef0", "C", coef0, "Constant of polynomial and sigmoid (default 1)");
}

Kernel KernelFlags::kernel() const {
  if (sigma) {
    if (name == "gaussian") return Gaussian::from_sigma(*sigma);
    if (name == "laplacian") return Laplacian::from_sigma(*sigma);
    throw UsageError(fmt::format("--sigma is for gaussian and laplacian; {} has none", name));
  }
  std::vector<std::pair<std::string, double>> parameters;
  const auto add = [&](const char* parameter, const std::optional<double>& value) {
    if (value) parameters.emplace_back(parameter, *value);
  };
  add("gamma", gamma);
  add("length", length);
  add("alpha", alpha);
  add("degree", degree);
  add("coef0", coef0);
  return make_kernel(name, parameters);
}

std::vector<const char*> KernelFlags::given() const {
  std::vector<const char*> options;
  const auto add = [&](bool is_given, const char* option) {
    if (is_given) options.push_back(option);
  };
  add(name != KernelFlags().name, "--kernel");
  add(gamma.has_value(), "--gamma");
  add(sigma.has_value(), "--sigma");
  add(length.has_value(), "--length");
  add(alpha.has_value(), "--alpha");
  add(degree.has_value(), "--degree");
  add(coef0.has_value(), "--coef0");
  return options;
}

}  // namespace mercer::cli

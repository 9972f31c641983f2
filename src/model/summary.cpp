#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include <mercer/summary.h>

#include "system/memory.h"

namespace mercer {
namespace {

constexpr std::size_t kTableRows = 10;
constexpr int kLabelWidth = 15;

/// Manifold methods are about a graph of kernel values, all others about variance in feature space.
bool is_of_graph(std::string_view method) {
  constexpr std::array<std::string_view, 3> kOfGraphs{"laplacian_eigenmaps", "diffusion_maps",
                                                      "normalized_cut"};
  return std::ranges::find(kOfGraphs, method) != kOfGraphs.end();
}

/// Reduced sets know nothing of the rows but their centres.
bool is_of_centres(std::string_view method) {
  constexpr std::array<std::string_view, 4> kReduced{"shadow", "kmeans", "paring", "herding"};
  return std::ranges::find(kReduced, method) != kReduced.end();
}

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string percent(double fraction) {
  return fmt::format("{:.2f} %", 100 * fraction);
}

/// Traces of approximations are differences of sums: below this only rounding is left of them.
std::string fraction_text(double fraction) {
  return fraction < 1e-9 ? "less than 1e-9" : fmt::format("{:.4g}", fraction);
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2g} ms", 1e3 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 600) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.1f} min", seconds / 60);
}

std::string kernel_text(const Summary& summary, std::string_view open, std::string_view close) {
  std::string text = summary.kernel;
  std::string_view separator = open;
  for (const auto& [name, value] : summary.kernel_parameters) {
    text += fmt::format("{}{} = {:.6g}", separator, name, value);
    separator = ", ";
  }
  if (!summary.kernel_parameters.empty()) text += close;
  return text;
}

double explained(const Summary& summary) {
  const auto& ratio = summary.explained_variance_ratio;
  return std::accumulate(ratio.begin(), ratio.end(), 0.0);
}

/// Lines of "label          value"; a label is written once for several values.
class Report {
 public:
  void heading(std::string_view text) { text_ += fmt::format("{}\n", text); }
  void line(std::string_view label, std::string_view value) {
    text_ += fmt::format("  {:<{}}{}\n", label, kLabelWidth, value);
  }
  void raw(std::string_view text) { text_ += text; }
  /// Without the last line break.
  std::string text() const { return text_.substr(0, text_.size() - 1); }

 private:
  std::string text_;
};

void report_data(Report& report, const Summary& s) {
  std::string data = counted(s.n, "row") + ", " + counted(s.d, "column");
  const auto n = static_cast<double>(s.n);
  if (std::abs(s.total_weight - n) > 1e-9 * n)
    data += fmt::format(", total weight {:.6g}", s.total_weight);
  report.line("data", data);
  report.line("kernel", kernel_text(s, ", ", ""));
  std::string components = grouped(s.components) + (s.centered ? ", centred" : ", not centred");
  if (s.library_size != 0)
    components += fmt::format(", from a library of {}", counted(s.library_size, "point"));
  if (s.features) components += fmt::format(", from {}", counted(*s.features, "random feature"));
  report.line("components", components);
  for (const Choice& choice : s.choices)
    report.line("chosen", fmt::format("{} = {}: {}", choice.what, choice.value, choice.why));
}

/// Eigenvalues, or gains of features.
void report_components(Report& report, const Summary& s) {
  const std::vector<double>& values = s.gains.empty() ? s.eigenvalues : s.gains;
  const bool ratios = s.explained_variance_ratio.size() == values.size();
  report.raw(
      fmt::format("\n  {:>9}  {:>12}", "component", s.gains.empty() ? "eigenvalue" : "gain"));
  if (ratios) report.raw(fmt::format("  {:>10}  {:>10}", "explained", "cumulative"));
  report.raw("\n");
  double cumulative = 0;
  const std::size_t shown = std::min(values.size(), kTableRows);
  for (std::size_t j = 0; j < shown; ++j) {
    report.raw(fmt::format("  {:>9}  {:>12.6g}", j + 1, values[j]));
    if (ratios) {
      cumulative += s.explained_variance_ratio[j];
      report.raw(fmt::format("  {:>10}  {:>10}", percent(s.explained_variance_ratio[j]),
                             percent(cumulative)));
    }
    report.raw("\n");
  }
  if (const std::size_t more = values.size() - shown; more > 0) {
    const std::string rest = fmt::format("... {} more", grouped(more));
    report.raw(fmt::format("  {:<23}", rest));
    if (ratios)
      report.raw(fmt::format("  {:>10}  {:>10}", percent(explained(s) - cumulative),
                             percent(explained(s))));
    report.raw("\n");
  }
  report.raw("\n");
}

/// Spans of the first components up to a gap, and components between two gaps, that are twice the
/// error of the kernel matrix (theorems 3 and 4 of Achlioptas, McSherry & Schoelkopf 2001).
std::string trusted_text(const Summary& s) {
  const std::vector<double>& ratios = s.certified_ratio;
  const bool measured = std::ranges::any_of(
      s.bounds, [](const Bound& bound) { return bound.name == "error_norm_measured"; });
  std::vector<std::size_t> spans;
  std::vector<std::size_t> single;
  for (std::size_t j = 0; j < ratios.size(); ++j) {
    if (ratios[j] < 1) continue;
    spans.push_back(j + 1);
    if (j == 0 || ratios[j - 1] >= 1) single.push_back(j + 1);
  }
  if (spans.empty())
    return "no component: no gap between the eigenvalues is twice the error of the kernel matrix";
  std::string text = fmt::format("span of the first {}", fmt::join(spans, ", "));
  if (!single.empty()) text += fmt::format("; by itself {}", fmt::join(single, ", "));
  return measured ? text : text + ", by the predicted error";
}

void report_errors(Report& report, const Summary& s) {
  if (const auto& total = s.total_variance) {
    const bool exact = total->low == total->high;
    report.line("total variance", exact ? fmt::format("{:.6g}", total->high)
                                        : fmt::format("{:.6g} to {:.6g}", total->low, total->high));
  }
  if (s.reconstruction_error)
    report.line(
        "error",
        fmt::format("{:.4g} mean squared feature-space distance {}to the components",
                    *s.reconstruction_error, is_of_centres(s.method) ? "of the centres " : ""));
  if (s.residual_trace_fraction)
    report.line("left out", fmt::format("{} of the kernel matrix's trace",
                                        fraction_text(*s.residual_trace_fraction)));
  if (s.subspace_error_estimate)
    report.line("angle",
                fmt::format("{:.2g} estimated sine between these components and the exact ones",
                            *s.subspace_error_estimate));
  if (s.solver_residual)
    report.line("residual", fmt::format("{:.2g} of the {}", *s.solver_residual,
                                        is_of_graph(s.method) ? "norm of the graph's matrix"
                                                              : "largest eigenvalue"));
  for (const Bound& bound : s.bounds) {
    const bool measured = bound.name.ends_with("_measured");
    const char* what = bound.rigorous ? "bound" : "estimate";
    report.line(measured ? "measured" : what, fmt::format("{} {:.4g}", bound.name, bound.value));
  }
  if (!s.certified_ratio.empty()) report.line("trusted", trusted_text(s));
}

void report_compression(Report& report, const Summary& s) {
  if (!s.compression) return;
  const Compression& c = *s.compression;
  report.line("compressed", fmt::format("by {} from {} to {}", c.by, grouped(c.library_size_before),
                                        counted(s.library_size, "point")));
  std::string error = percent(c.all.measured) + " of the root mean square over the library before";
  if (c.all.expected != c.all.measured)
    error += fmt::format("; expected {}, in 95 % of cases at most {}", percent(c.all.expected),
                         percent(c.all.within_95));
  report.line("score error", error);
  const auto worst = std::ranges::max_element(c.components, {}, &ComponentError::measured);
  if (c.components.size() > 1)
    report.line("", fmt::format("{} in component {}, the worst", percent(worst->measured),
                                worst - c.components.begin() + 1));
}

void report_run(Report& report, const Summary& s) {
  const std::string reason = to_string(s.termination.reason);
  report.line("ended", s.termination.message.empty()
                           ? reason
                           : fmt::format("{}: {}", reason, s.termination.message));
  for (const std::string& warning : s.warnings) report.line("warning", warning);
  std::string time = duration(s.seconds);
  std::string_view separator = " (";
  for (const Phase& phase : s.phases) {
    time += fmt::format("{}{} {}", separator, phase.name, duration(phase.seconds));
    separator = ", ";
  }
  if (!s.phases.empty()) time += ")";
  report.line("time", time);
  std::string evaluations = counted(s.kernel_evaluations, "kernel value");
  if (s.distance_evaluations) evaluations += ", " + counted(*s.distance_evaluations, "distance");
  report.line("evaluations", evaluations);
  if (s.peak_memory_bytes != 0) {
    std::string memory =
        system::format_bytes(static_cast<double>(s.peak_memory_bytes)) + " at most";
    if (s.memory_limit_bytes != 0)
      memory += fmt::format(" (limit {})",
                            system::format_bytes(static_cast<double>(s.memory_limit_bytes)));
    report.line("memory", memory);
  }
  std::vector<std::string> circumstances;
  if (s.threads != 0) circumstances.push_back(counted(s.threads, "thread"));
  if (!s.simd.empty()) circumstances.push_back(s.simd);
  if (!s.blas.empty()) circumstances.push_back(fmt::format("BLAS core {}", s.blas));
  circumstances.push_back(fmt::format("seed {}", s.seed));
  report.line("run with", fmt::format("{}", fmt::join(circumstances, ", ")));
}

}  // namespace

std::string Summary::brief() const {
  std::string text = fmt::format("{}, {}: {} x {} -> {}", method, kernel_text(*this, " (", ")"),
                                 grouped(n), grouped(d), counted(components, "component"));
  if (!explained_variance_ratio.empty())
    text += fmt::format(", {} of the variance", percent(explained(*this)));
  if (landmarks) text += ", " + counted(*landmarks, "landmark");
  if (residual_trace_fraction)
    text +=
        landmarks
            ? fmt::format(" leave out {} of the trace", fraction_text(*residual_trace_fraction))
            : fmt::format(", {} of the trace left out", fraction_text(*residual_trace_fraction));
  if (subspace_error_estimate)
    text += fmt::format(", angle error about {:.2g}", *subspace_error_estimate);
  if (compression)
    text +=
        fmt::format(", library {} -> {}, score error {}", grouped(compression->library_size_before),
                    grouped(library_size), percent(compression->all.measured));
  text += ", " + duration(seconds);
  if (termination.reason == TerminationReason::fewer_components) text += ", fewer than asked";
  if (termination.reason == TerminationReason::not_converged) text += ", NOT CONVERGED";
  if (termination.reason == TerminationReason::tolerance_missed) text += ", TOLERANCE MISSED";
  if (!warnings.empty()) text += ", " + counted(warnings.size(), "warning");
  return text;
}

std::string Summary::full() const {
  Report report;
  const char* what = is_of_graph(method) ? "Kernel graph" : "Kernel PCA";
  report.heading(fmt::format("{}, {} method", gains.empty() ? what : "Kernel features", method));
  report_data(report, *this);
  if (!eigenvalues.empty() || !gains.empty()) report_components(report, *this);
  report_errors(report, *this);
  report_compression(report, *this);
  report_run(report, *this);
  return report.text();
}

}  // namespace mercer

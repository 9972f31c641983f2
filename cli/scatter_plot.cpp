#include "cli/scatter_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace mercer::cli {
namespace {

constexpr std::string_view kSymbols = "ox+*#@%&=svnwzcumkdbq";
constexpr std::array kShades = {"░", "▒", "▓", "█"};
constexpr std::array kColors = {34, 31, 32, 35, 36, 33};

struct Axis {
  double low = 0;
  double high = 0;

  std::size_t cell(double value, std::size_t cells) const {
    if (!(high > low)) return cells / 2;
    const double position = (value / 2 - low / 2) / (high / 2 - low / 2);  // halves cannot overflow
    return std::min(static_cast<std::size_t>(position * static_cast<double>(cells)), cells - 1);
  }
};

Axis axis_of(MatrixView<const double> points, std::size_t column) {
  Axis axis{points(0, column), points(0, column)};
  for (std::size_t i = 1; i < points.rows(); ++i) {
    axis.low = std::min(axis.low, points(i, column));
    axis.high = std::max(axis.high, points(i, column));
  }
  return axis;
}

/// Points per class in one cell of the picture.
using Cell = std::map<std::size_t, std::size_t>;

std::size_t total(const Cell& cell) {
  std::size_t sum = 0;
  for (const auto& [code, count] : cell) sum += count;
  return sum;
}

std::string symbol(std::size_t code, bool color) {
  const char character = kSymbols[code % kSymbols.size()];
  if (!color) return std::string(1, character);
  return fmt::format("\x1b[{}m{}\x1b[0m", kColors[code % kColors.size()], character);
}

std::string draw_class(const Cell& cell, bool color) {
  const auto most =
      std::ranges::max_element(cell, {}, [](const auto& entry) { return entry.second; });
  return symbol(most->first, color);
}

std::string draw_density(const Cell& cell, std::size_t densest) {
  // Logarithmic: in most pictures a few cells hold most points.
  const double level =
      std::log1p(static_cast<double>(total(cell))) / std::log1p(static_cast<double>(densest));
  const auto shade = static_cast<std::size_t>(level * static_cast<double>(kShades.size()));
  return kShades[std::min(shade, kShades.size() - 1)];
}

std::string legend(const Labels& labels, bool color) {
  constexpr std::size_t kMostNames = 12;
  std::string text = " ";
  for (std::size_t code = 0; code < std::min(labels.names.size(), kMostNames); ++code)
    text += fmt::format(" {} {}", symbol(code, color), labels.names[code]);
  if (labels.names.size() > kMostNames)
    text += fmt::format(" and {} more", labels.names.size() - kMostNames);
  return text + "\n";
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

std::string scatter_plot(MatrixView<const double> points, const Labels& labels,
                         const ScatterOptions& options) {
  if (points.rows() == 0 || points.cols() < 2) return "(nothing to draw)\n";
  const Axis x = axis_of(points, 0);
  const Axis y = axis_of(points, 1);
  std::vector<Cell> cells(options.width * options.height);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const std::size_t row = options.height - 1 - y.cell(points(i, 1), options.height);
    const std::size_t column = x.cell(points(i, 0), options.width);
    ++cells[row * options.width + column][labels.empty() ? 0 : labels.code[i]];
  }
  std::size_t densest = 1;
  for (const Cell& cell : cells) densest = std::max(densest, total(cell));

  std::string text = fmt::format("  ┌{}┐ {:.3g}\n", repeated("─", options.width), y.high);
  for (std::size_t row = 0; row < options.height; ++row) {
    text += "  │";
    for (std::size_t column = 0; column < options.width; ++column) {
      const Cell& cell = cells[row * options.width + column];
      if (cell.empty()) {
        text += ' ';
      } else {
        text += labels.empty() ? draw_density(cell, densest) : draw_class(cell, options.color);
      }
    }
    text += row == options.height / 2 ? fmt::format("│ {}\n", options.y_name) : "│\n";
  }
  text += fmt::format("  └{}┘ {:.3g}\n", repeated("─", options.width), y.low);
  const std::string low = fmt::format("{:.3g}", x.low);
  const std::string high = fmt::format("{:.3g}", x.high);
  text += fmt::format("   {}{:^{}}{}\n", low, options.x_name,
                      options.width - std::min(options.width, low.size() + high.size()), high);
  if (!labels.empty()) text += legend(labels, options.color);
  return text;
}

}  // namespace mercer::cli

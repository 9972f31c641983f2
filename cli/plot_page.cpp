#include "cli/plot_page.h"

#include <cmath>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "cli/page.h"

namespace mercer::cli {

// Files of cli/report, put here by the build.
extern const std::string_view kPlotBody;
extern const std::string_view kPlotScript;

namespace {

// JSON, with digits enough for a picture.

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "null";
}

std::string text(std::string_view characters) {
  std::string quoted = "\"";
  for (const char c : characters) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string list(std::size_t count, const std::function<std::string(std::size_t)>& item) {
  std::string items = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) items += ',';
    items += item(i);
  }
  return items + ']';
}

std::string pairs(MatrixView<const double> rows, std::size_t x, std::size_t y) {
  return list(rows.rows(), [&](std::size_t i) {
    return fmt::format("[{},{}]", number(rows(i, x)), number(rows(i, y)));
  });
}

std::string json(const std::optional<PlotScatter>& scatter) {
  if (!scatter) return "null";
  const auto [x, y] = scatter->components;
  const Labels& labels = scatter->labels;
  return fmt::format(
      R"({{"components":[{},{}],"points":{},"labels":{},"classes":{},"of":{}}})", x + 1, y + 1,
      pairs(scatter->scores, x, y),
      list(labels.code.size(), [&](std::size_t i) { return std::to_string(labels.code[i]); }),
      list(labels.names.size(), [&](std::size_t i) { return text(labels.names[i]); }),
      scatter->rows_of_all);
}

std::string json(const std::optional<PlotContours>& contours) {
  if (!contours) return "null";
  const auto component = [&](std::size_t k) {
    return list(contours->values.rows(),
                [&](std::size_t i) { return number(contours->values(i, k)); });
  };
  return fmt::format(
      R"({{"axes":[{},{}],"low":[{},{}],"high":[{},{}],"side":{},"values":{},"points":{}}})",
      text(contours->axes[0]), text(contours->axes[1]), number(contours->low[0]),
      number(contours->low[1]), number(contours->high[0]), number(contours->high[1]),
      contours->side, list(contours->components, component), pairs(contours->points, 0, 1));
}

}  // namespace

std::string plot_page(const Plot& plot) {
  return filled_page(
      {.title = plot.title,
       .command = "mercer plot",
       .body = kPlotBody,
       .script = kPlotScript,
       .data = fmt::format(R"({{"summary":{},"scatter":{},"contours":{}}})", plot.summary.json(),
                           json(plot.scatter), json(plot.contours))});
}

}  // namespace mercer::cli

#include "cli/page.h"

#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace mercer::cli {

// The files of cli/report and Chart.js, put here by the build.
extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageHelpers;
extern const std::string_view kChartScript;

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string escaped(std::string text) {
  replace_all(text, "&", "&amp;");
  replace_all(text, "<", "&lt;");
  replace_all(text, ">", "&gt;");
  replace_all(text, "\"", "&quot;");
  return text;
}

/// JSON means the same with its < written as numbers, and no text in it can end the script.
std::string inside_script(std::string json) {
  replace_all(json, "<", "\\u003c");
  return json;
}

/// Scripts and styles carry this number, which text from the table cannot know: FNV-1a of all of
/// it.
std::string nonce_of(std::string_view text) {
  std::uint64_t low = 0xcbf29ce484222325;
  std::uint64_t high = 0x84222325cbf29ce4;
  for (const char c : text) {
    low = (low ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    high = (high ^ (low >> 32)) * 0x100000001b3;
  }
  return fmt::format("{:016x}{:016x}", high, low);
}

/// The template with its @marks@ replaced, in one go: marks in what is put in stay as they are.
std::string filled(const std::map<std::string_view, std::string_view>& parts) {
  std::string page;
  std::string_view rest = kPageTemplate;
  while (true) {
    const std::size_t begin = rest.find('@');
    page += rest.substr(0, begin);
    if (begin == std::string_view::npos) return page;
    const std::size_t end = rest.find('@', begin + 1);
    page += parts.at(rest.substr(begin + 1, end - begin - 1));
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

std::string filled_page(const PageParts& parts) {
  const std::string data = inside_script(parts.data);
  const std::string nonce = nonce_of(data);
  const std::string heading = escaped(parts.title);
  return filled({{"nonce", nonce},
                 {"title", heading},
                 {"command", parts.command},
                 {"body", parts.body},
                 {"style", kPageStyle},
                 {"chart", kChartScript},
                 {"helpers", kPageHelpers},
                 {"script", parts.script},
                 {"data", data}});
}

}  // namespace mercer::cli

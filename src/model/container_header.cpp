#include "model/container_header.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

#include "model/container.h"
#include "model/strict_json.h"

namespace mercer::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMetadataKey = "__metadata__";
constexpr const char* kVersionKey = "format_version";
constexpr const char* kChecksumKey = "checksum";

// A newer version may differ in everything but the place of this number, so it is looked at first.
void require_known_version(const ObjectReader& metadata, const std::string& name) {
  if (!metadata.has(kVersionKey))
    throw FileError(
        fmt::format("{}: a safetensors file, but not one of mercer's (its metadata have no '{}')",
                    name, kVersionKey));
  const std::string text = metadata.text(kVersionKey);
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument || text[0] == '0')
    throw FileError(fmt::format("{}: '{}' is not a format version", name, text));
  if (error != std::errc{} || version > kFormatVersion)
    throw FileError(fmt::format(
        "{}: written in format version {}, but this mercer reads versions up to {}; a newer mercer "
        "is needed",
        name, text, kFormatVersion));
}

std::uint64_t byte_size(const std::vector<std::size_t>& shape, const std::string& what) {
  std::uint64_t bytes = sizeof(double);
  for (const std::size_t extent : shape)
    if (__builtin_mul_overflow(bytes, std::uint64_t{extent}, &bytes))
      throw FileError(fmt::format("{}: the shape is larger than any file", what));
  return bytes;
}

TensorEntry parse_entry(const std::string& tensor, const ObjectReader& object,
                        const std::string& name) {
  const std::string what = fmt::format("{}: tensor '{}'", name, tensor);
  if (const std::string type = object.text("dtype"); type != "F64")
    throw FileError(fmt::format("{}: its type is {}, but mercer's files hold F64", what, type));
  TensorEntry entry{.name = tensor, .shape = object.counts("shape")};
  const auto offsets = object.counts("data_offsets");
  if (offsets.size() != 2)
    throw FileError(fmt::format("{}: 'data_offsets' must be two numbers", what));
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.shape.empty() || entry.shape.size() > 2)
    throw FileError(
        fmt::format("{}: has {} dimensions instead of one or two", what, entry.shape.size()));
  if (entry.begin > entry.end || entry.end - entry.begin != byte_size(entry.shape, what))
    throw FileError(fmt::format("{}: its offsets [{}, {}] do not fit its shape [{}]", what,
                                entry.begin, entry.end, fmt::join(entry.shape, ", ")));
  return entry;
}

void require_contiguous(const std::vector<TensorEntry>& tensors, std::uint64_t data_bytes,
                        const std::string& name) {
  std::uint64_t position = 0;
  for (const TensorEntry& entry : tensors) {
    if (entry.begin != position)
      throw FileError(fmt::format("{}: tensor '{}' begins at byte {} instead of {}", name,
                                  entry.name, entry.begin, position));
    position = entry.end;
  }
  if (position != data_bytes)
    throw FileError(
        fmt::format("{}: the tensors need {} bytes, but {} follow the header; the file is {}", name,
                    position, data_bytes, position > data_bytes ? "cut short" : "too long"));
}

bool is_checksum(const std::string& text) {
  return text.size() == kBlankChecksum.size() &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::string format_header(const std::map<std::string, std::string>& metadata,
                          const std::vector<TensorEntry>& tensors) {
  Json texts = Json::object();
  texts[kVersionKey] = std::to_string(kFormatVersion);
  for (const auto& [key, value] : metadata) texts[key] = value;
  texts[kChecksumKey] = kBlankChecksum;
  Json header = Json::object();
  header[kMetadataKey] = std::move(texts);
  for (const TensorEntry& entry : tensors)
    header[entry.name] = {
        {"dtype", "F64"}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception&) {
    throw InvalidArgument("a model file holds UTF-8 text only, and one of the names is not");
  }
  const std::uint64_t unpadded = kLengthBytes + text.size();
  text.append((kDataAlignment - unpadded % kDataAlignment) % kDataAlignment, ' ');
  if (text.size() > kMaxHeaderBytes)
    throw InvalidArgument(fmt::format(
        "the descriptions take {} bytes, but a model file has room for {}; leave out columns with "
        "very many categories",
        text.size(), kMaxHeaderBytes));
  return text;
}

std::size_t find_checksum(std::string_view header_text, std::string_view digits) {
  // Inside a string the quotes would be escaped, so this can only be the member itself.
  const std::string member = fmt::format("\"{}\":\"", kChecksumKey);
  const std::size_t begin = header_text.find(fmt::format("{}{}\"", member, digits));
  return begin == std::string_view::npos ? begin : begin + member.size();
}

Header parse_header(std::string_view text, std::uint64_t data_bytes, const std::string& name) {
  const Json json = parse_strict_json(text, name + ": header");
  const ObjectReader root(json, name + ": header");
  if (!root.has(kMetadataKey))
    throw FileError(
        fmt::format("{}: a safetensors file, but not one of mercer's (it has no metadata)", name));
  const ObjectReader metadata = root.object(kMetadataKey);
  require_known_version(metadata, name);

  Header header;
  for (const auto& [key, value] : json[kMetadataKey].items()) {
    const std::string content = metadata.text(key.c_str());
    if (key != kVersionKey && key != kChecksumKey) header.metadata.emplace(key, content);
  }
  header.checksum = metadata.text(kChecksumKey);
  header.checksum_position = find_checksum(text, header.checksum);
  if (!is_checksum(header.checksum) || header.checksum_position == std::string_view::npos)
    throw FileError(fmt::format("{}: the checksum must be eight hexadecimal digits", name));
  for (const auto& [key, object] : root.all_objects())
    if (key != kMetadataKey) header.tensors.push_back(parse_entry(key, object, name));
  // Empty tensors begin where the next one does; they come first.
  std::ranges::sort(header.tensors, {},
                    [](const TensorEntry& entry) { return std::tuple(entry.begin, entry.end); });
  require_contiguous(header.tensors, data_bytes, name);
  return header;
}

}  // namespace mercer::model

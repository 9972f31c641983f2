# Writes INPUT as a C++ array to OUTPUT (see embed_file.cmake).
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(
  WRITE ${OUTPUT}
  "#include <string_view>\n\nnamespace mercer::cli {\n\nnamespace {\nconst unsigned char kBytes[] = {\n${bytes}0};\n}\n\n"
  "extern const std::string_view ${NAME};\n"
  "const std::string_view ${NAME}{reinterpret_cast<const char*>(kBytes), sizeof kBytes - 1};\n\n}\n")

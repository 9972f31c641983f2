// Preloaded in place of OpenBLAS's own answer: an old processor, always or until a core is named.

#include <cstdlib>
#include <cstring>

extern "C" char* openblas_get_corename() {
  static char old[] = "Prescott";
  static char renamed[] = "Renamed";
  const char* when = std::getenv("FAKE_CORE");
  const bool listens = when != nullptr && std::strcmp(when, "until-named") == 0;
  return listens && std::getenv("OPENBLAS_CORETYPE") != nullptr ? renamed : old;
}

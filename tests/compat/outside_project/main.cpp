// Fits, saves, loads and transforms through the installed package; exits non-zero when the loaded
// model does not give the very numbers of the fitted one.
#include <algorithm>
#include <cstdio>
#include <exception>

#include <mercer/mercer.h>

namespace {

int run(const char* path) {
  const auto rings = mercer::generate("rings", {.n = 200, .seed = 1});
  const auto fit =
      mercer::fit_exact(rings.points, mercer::Gaussian{.gamma = 1.0}, {.components = 3});
  fit.model.save(path);
  const auto expected = fit.model.transform(rings.points);
  const auto loaded = mercer::Model::load(path).transform(rings.points);
  std::printf("mercer %s: %s\n", mercer::version(), fit.summary.brief().c_str());
  const bool same = loaded.size() == 200 * 3 &&
                    std::equal(loaded.data(), loaded.data() + loaded.size(), expected.data());
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "outside.mercer");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/landmarks.h>

#include "methods/component_choice.h"

namespace mercer {

void LandmarkOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  if (landmarks && *landmarks == 0) throw InvalidArgument("landmarks is 0: ask for at least one");
  if (max_landmarks == 0) throw InvalidArgument("max_landmarks is 0: allow at least one");
  const auto check_fraction = [](const char* name, const std::optional<double>& value) {
    if (!value || (*value > 0 && *value < 1)) return;
    throw InvalidArgument(fmt::format("{} is {}: it must lie between 0 and 1", name, *value));
  };
  check_fraction("subspace_tolerance", subspace_tolerance);
  check_fraction("tolerance", tolerance);
  if (landmarks && !landmark_rows.empty()) {
    throw InvalidArgument("landmarks and landmark_rows are two ways to choose; give one of them");
  }
  if (!landmark_rows.empty() && selection != Selection::automatic) {
    throw InvalidArgument("landmark_rows leave nothing to select; give one of the two");
  }
  if (evaluation != Evaluation::orthogonal && certify) {
    throw InvalidArgument("only the orthogonal evaluation has an error that can be certified");
  }
  if (evaluation != Evaluation::orthogonal && (tolerance || subspace_tolerance)) {
    throw InvalidArgument(
        "only the orthogonal evaluation knows its error; give a number of landmarks instead of a "
        "tolerance");
  }
  if ((landmarks || !landmark_rows.empty()) && (tolerance || subspace_tolerance)) {
    throw InvalidArgument("a fixed number of landmarks and a tolerance exclude each other");
  }
  if ((selection == Selection::kmeans || selection == Selection::leverage) &&
      (tolerance || subspace_tolerance)) {
    throw InvalidArgument(
        "k-means and leverage scores choose all landmarks at once, so none can be added until a "
        "tolerance holds: give a number of landmarks, or another selection");
  }
  if (polish == Polish::lloyd && !landmarks) {
    throw InvalidArgument("polish moves a fixed number of landmarks: give landmarks too");
  }
}

}  // namespace mercer

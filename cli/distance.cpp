#include "cli/distance.h"

#include "cli/commands.h"
#include "cli/program.h"

namespace mercer::cli {

void add_distance(Program& program) {
  program.add_group("distance",
                    "Distances to many items, and nearest neighbours, from few measured distances");
  add_distance_fit(program);
  add_distance_query(program);
}

}  // namespace mercer::cli

#pragma once

namespace mercer::cli {

class Program;

// mercer distance COMMAND.
void add_distance_fit(Program& program);
void add_distance_query(Program& program);

}  // namespace mercer::cli

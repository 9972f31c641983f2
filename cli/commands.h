#pragma once

namespace mercer::cli {

class Program;

// One function and one file per subcommand.
void add_fit(Program& program);
void add_transform(Program& program);
void add_reconstruct(Program& program);
void add_summarize(Program& program);
void add_merge(Program& program);
void add_update(Program& program);
void add_compress(Program& program);
void add_compare(Program& program);
void add_plot(Program& program);
void add_distance(Program& program);
void add_info(Program& program);
void add_generate(Program& program);
void add_demo(Program& program);
void add_completion(Program& program);

}  // namespace mercer::cli

#include "cli/blas_core.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace mercer::cli;
  Program program;
  add_fit(program);
  add_transform(program);
  add_reconstruct(program);
  add_summarize(program);
  add_merge(program);
  add_update(program);
  add_compress(program);
  add_compare(program);
  add_plot(program);
  add_distance(program);
  add_info(program);
  add_generate(program);
  add_demo(program);
  add_completion(program);
  if (const auto exit_code = program.parse(argc, argv)) return *exit_code;
  if (program.is_heavy()) restart_with_suggested_blas_core(argv);
  catch_interrupts();
  return program.run();
}

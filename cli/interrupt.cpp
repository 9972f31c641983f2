#include "cli/interrupt.h"

#include <csignal>
#include <unistd.h>

#include <mercer/error.h>

namespace mercer::cli {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void note_signal(int signal) {
  if (signal_seen != 0) _exit(128 + signal);
  signal_seen = signal;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return signal_seen != 0;
}

int interrupting_signal() {
  return signal_seen;
}

void throw_if_interrupted() {
  if (interrupted()) throw Cancelled();
}

}  // namespace mercer::cli

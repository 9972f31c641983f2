#pragma once

namespace mercer::cli {

/// From now on Ctrl-C and SIGTERM ask the work to stop, so that temporary files are removed on the
/// way out. The second one ends the process at once.
void catch_interrupts();

bool interrupted();

/// The signal that came, 0 when none did.
int interrupting_signal();

/// Throws Cancelled when a signal has come: to be called before results are written.
void throw_if_interrupted();

}  // namespace mercer::cli

#include <mercer/error.h>
#include <mercer/partitioned.h>

#include "methods/component_choice.h"

namespace mercer {

void PartitionedOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  if (blocks && *blocks == 0) throw InvalidArgument("blocks is 0: ask for at least one");
  if (block_size && *block_size == 0)
    throw InvalidArgument("block_size is 0: allow at least one row");
  if (blocks && block_size) {
    throw InvalidArgument("blocks and block_size are two ways to divide; give one of them");
  }
  if (partition == Partition::labels && (blocks || block_size)) {
    throw InvalidArgument("labels say which rows make a block; leave out blocks and block_size");
  }
  if (partition != Partition::labels && !labels.empty()) {
    throw InvalidArgument("labels count only with the partition by labels");
  }
  library.validate();
  merge.validate();
}

}  // namespace mercer

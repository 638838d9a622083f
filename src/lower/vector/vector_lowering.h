// A contraction on one processor core: panels of columns, tiles of rows, register rectangles
// (realize/vector_mapping.h).
#pragma once

#include <map>
#include <string>

#include <tilewright/errors.h>

#include "kernel/builder.h"
#include "lower/access.h"
#include "realize/contraction.h"
#include "realize/vector_mapping.h"

namespace tilewright::lower {

/// One kernel of ranges of tasks. Premises: the contraction is one of the program; lanes, rows and vectors are above 0.
/// Every sum is the ascending chain of fused multiply-adds, whatever the mapping and the ranges.
void lower_contraction(const tile::Program& program, const realize::Contraction& contraction,
                       const realize::VectorMapping& mapping, const std::string& name, kernel::Builder& builder,
                       std::map<tile::ObjectId, ObjectPlace>& objects);

}  // namespace tilewright::lower

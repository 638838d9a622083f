// Included in front of every kernel: the core types and what the launcher calls (docs/emulator.md).
#pragma once
#pragma clang system_header

#include "dialect.h"

#include "abi.h"
#include "cast.h"
#include "invoke.h"
#include "scopes.h"
#include "vec_names.h"

#pragma once
#pragma clang system_header
#include "emu/scalars.h"

// What kit/main.mm uses of Apple's CommonCrypto; see Foundation/Foundation.h beside it.
#pragma once

#include <cstdint>

using CC_LONG = std::uint32_t;
#define CC_SHA256_DIGEST_LENGTH 32
extern "C" unsigned char* CC_SHA256(const void* data, CC_LONG length, unsigned char* digest);

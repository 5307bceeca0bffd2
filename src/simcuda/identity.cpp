#include "identity.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace warminit::simcuda {
namespace {

/// Spreads `seed` over 64 bits without order or repetition.
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64).
std::uint64_t mix(std::uint64_t seed) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15U + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

cuda::abi::CUuuid uuid_from(std::uint64_t seed) {
  cuda::abi::CUuuid uuid{};
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i)
    uuid.bytes[i] = static_cast<unsigned char>(mix(2 * seed + i / 8) >> (8 * (i % 8)));
  uuid.bytes[6] = static_cast<unsigned char>((uuid.bytes[6] & 0x0F) | 0x40);  // RFC 4122:
  uuid.bytes[8] = static_cast<unsigned char>((uuid.bytes[8] & 0x3F) | 0x80);  // random.
  return uuid;
}

constexpr std::uint64_t kMigSeeds = 1000;

}  // namespace

cuda::abi::CUuuid gpu_uuid(unsigned number) {
  cuda::abi::CUuuid uuid = uuid_from(number);
  if (number != 0) return uuid;
  constexpr std::array<unsigned char, 4> kPrefix = {0x5C, 0xB7, 0xF2, 0x6C};
  for (std::size_t i = 0; i < kPrefix.size(); ++i) uuid.bytes[i] = kPrefix[i];
  return uuid;
}

cuda::abi::CUuuid mig_uuid(unsigned number) { return uuid_from(kMigSeeds + number); }

std::string text_of(const char* kind, const cuda::abi::CUuuid& uuid) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string text = kind;
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[uuid.bytes[i] >> 4];
    text += kHex[uuid.bytes[i] & 0x0F];
  }
  return text;
}

std::string pci_bus_id(unsigned number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "0000:%02X:00.0", number + 1);
  return text.data();
}

}  // namespace warminit::simcuda

#pragma once

#include <string>

namespace warminit::cli {

/// A path as it is after we have gone to `/`; a bare name stays one, for whoever searches for it.
std::string absolute_or_name(const std::string& file);

/// A path as it is after we have gone to `/`.
std::string absolute(const std::string& file);

}  // namespace warminit::cli

#pragma once

#include <string>

#include "warminit/cuda/result.h"
#include "warminit/warm/report.h"

namespace warminit::warm {

/// What the holder does about an error of the driver.
enum class Response {
  skip_device,        ///< That device is held at `device` level; the others go on.
  fail_device,        ///< That device has failed; the others go on.
  wait,               ///< The machine is still starting: again in a second, in a fresh process.
  retry_without_mps,  ///< Once more in a fresh process, without the MPS server.
  restart,            ///< This process cannot go on; a fresh one may: with back-off.
  give_up,            ///< Nothing in this container will change that.
};

struct Diagnosis {
  Response response = Response::restart;
  Problem problem;
};

/// Explains `error`, with cause and remedy for a person, from what this container shows.
///
/// `library` is the path of the loaded driver, or the name that could not be loaded.
/// Source: DESIGN's table of driver answers; CUDA Driver API 13.0, "CUresult".
Diagnosis diagnose(const cuda::Error& error, const std::string& library);

}  // namespace warminit::warm

#include "warminit/doctor/answer.h"

#include <nlohmann/json.hpp>

namespace warminit::doctor {
namespace {

using nlohmann::json;

json to_json(const warm::Problem& problem) {
  return {{"code", problem.code}, {"reason", problem.reason}, {"remedy", problem.remedy}};
}

std::optional<warm::Problem> problem_in(const json& object) {
  const auto it = object.find("problem");
  if (it == object.end()) return std::nullopt;
  return warm::Problem{it->at("code").get<int>(), it->at("reason").get<std::string>(),
                       it->at("remedy").get<std::string>()};
}

json to_json(const DeviceAnswer& device) {
  json object{{"ordinal", device.ordinal},
              {"uuid", device.uuid},
              {"compute_mode", device.compute_mode},
              {"memory_bytes", device.memory_bytes}};
  if (device.free_bytes) object["free_bytes"] = *device.free_bytes;
  if (device.problem) object["problem"] = to_json(*device.problem);
  return object;
}

DeviceAnswer device_in(const json& object) {
  DeviceAnswer device;
  object.at("ordinal").get_to(device.ordinal);
  object.at("uuid").get_to(device.uuid);
  object.at("compute_mode").get_to(device.compute_mode);
  object.at("memory_bytes").get_to(device.memory_bytes);
  if (object.contains("free_bytes")) device.free_bytes = object.at("free_bytes");
  device.problem = problem_in(object);
  return device;
}

json to_json(const GpuState& gpu) {
  json object{{"uuid", gpu.uuid}, {"mig", gpu.mig}, {"instances", gpu.instances}};
  if (gpu.persistence) object["persistence"] = *gpu.persistence;
  return object;
}

GpuState gpu_in(const json& object) {
  GpuState gpu;
  object.at("uuid").get_to(gpu.uuid);
  object.at("mig").get_to(gpu.mig);
  object.at("instances").get_to(gpu.instances);
  if (object.contains("persistence")) gpu.persistence = object.at("persistence").get<bool>();
  return gpu;
}

}  // namespace

std::string to_line(const Answer& answer) {
  json object{{"library", answer.library},
              {"simulated", answer.simulated},
              {"init_seconds", answer.init_seconds},
              {"devices", json::array()},
              {"gpus", json::array()}};
  if (answer.problem) object["problem"] = to_json(*answer.problem);
  for (const DeviceAnswer& device : answer.devices) object["devices"].push_back(to_json(device));
  for (const GpuState& gpu : answer.gpus) object["gpus"].push_back(to_json(gpu));
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Answer from_line(std::string_view line) {
  Answer answer;
  try {
    const json object = json::parse(line);
    object.at("library").get_to(answer.library);
    object.at("simulated").get_to(answer.simulated);
    object.at("init_seconds").get_to(answer.init_seconds);
    answer.problem = problem_in(object);
    for (const json& device : object.at("devices")) answer.devices.push_back(device_in(device));
    for (const json& gpu : object.at("gpus")) answer.gpus.push_back(gpu_in(gpu));
  } catch (const json::exception& e) {
    answer = {};
    answer.ending = Answer::Ending::failed;
    answer.failure = std::string("its answer makes no sense: ") + e.what();
  }
  return answer;
}

}  // namespace warminit::doctor

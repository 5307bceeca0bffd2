/* An NVML with two GPUs: the first is well, the second has persistence mode off and, in MIG mode,
   two devices of its seven. */

#include <stddef.h>
#include <string.h>

typedef struct nvmlDevice_st* nvmlDevice_t;

static int is_second(nvmlDevice_t device) { return device == (nvmlDevice_t)2; }

int nvmlInit_v2(void) { return 0; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  *device = (nvmlDevice_t)(size_t)(index + 1);
  return 0;
}

int nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  if (length < sizeof "GPU-first") return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
  strcpy(uuid, is_second(device) ? "GPU-other" : "GPU-first");
  return 0;
}

int nvmlDeviceGetPersistenceMode(nvmlDevice_t device, int* enabled) {
  *enabled = !is_second(device);
  return 0;
}

int nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  if (!is_second(device)) return 3; /* NVML_ERROR_NOT_SUPPORTED */
  *current = *pending = 1;
  return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count) {
  *count = is_second(device) ? 7 : 0;
  return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index,
                                        nvmlDevice_t* instance) {
  if (index >= 2) return 6; /* NVML_ERROR_NOT_FOUND */
  *instance = device;
  return 0;
}

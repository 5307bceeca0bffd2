/* The first GPU call of a plain C program, timed step by step: the control of scripts/gpu-check.
 *
 *     first_call [--driver-library PATH] [--hold]
 *
 * Opens the CUDA driver, makes the primary context of device 0, runs one kernel, checks its
 * result, and prints one line of JSON with the milliseconds that each step took. With --hold it
 * then keeps the context until its standard input closes.
 *
 * It shares no code with warminit: a mistake there must not flatter the figures here.
 */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kCount = 256 };

static const char kPtx[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry warminit_warm_up(\n"
    "    .param .u64 out, .param .u32 seed, .param .u32 count)\n"
    "{\n"
    "  .reg .pred %p<2>;\n"
    "  .reg .b32 %r<10>;\n"
    "  .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  ld.param.u32 %r1, [seed];\n"
    "  ld.param.u32 %r2, [count];\n"
    "  mov.u32 %r3, %ctaid.x;\n"
    "  mov.u32 %r4, %ntid.x;\n"
    "  mov.u32 %r5, %tid.x;\n"
    "  mad.lo.u32 %r6, %r3, %r4, %r5;\n"
    "  setp.ge.u32 %p1, %r6, %r2;\n"
    "  @%p1 bra done;\n"
    "  xor.b32 %r7, %r6, %r1;\n"
    "  mul.lo.u32 %r7, %r7, 2654435761;\n"
    "  shr.u32 %r8, %r6, 3;\n"
    "  add.u32 %r9, %r7, %r8;\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  mul.wide.u32 %rd2, %r6, 4;\n"
    "  add.u64 %rd3, %rd1, %rd2;\n"
    "  st.global.u32 [%rd3], %r9;\n"
    "done:\n"
    "  ret;\n"
    "}\n";

static struct {
  int (*init)(unsigned flags);
  int (*version)(int* version);
  int (*error_name)(int error, const char** name);
  int (*device_count)(int* count);
  int (*device)(int* device, int ordinal);
  int (*device_name)(char* name, int length, int device);
  int (*retain)(void** context, int device);
  int (*set_current)(void* context);
  int (*load)(void** module, const void* image);
  int (*function)(void** function, void* module, const char* name);
  int (*allocate)(unsigned long long* pointer, size_t bytes);
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                void** parameters, void** extra);
  int (*synchronize)(void);
  int (*copy_to_host)(void* host, unsigned long long device, size_t bytes);
} cu;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double ms(int64_t from_ns, int64_t to_ns) { return (double)(to_ns - from_ns) / 1e6; }

static void check(int result, const char* call) {
  const char* name = NULL;
  if (result == 0) return;
  if (cu.error_name(result, &name) != 0 || name == NULL) name = "unknown";
  fprintf(stderr, "first_call: %s: %d %s\n", call, result, name);
  exit(1);
}

/* Stores the address of `symbol` in the function pointer at `function`. */
static void resolve(void* library, void* function, const char* symbol) {
  void* address = dlsym(library, symbol);
  if (address == NULL) {
    fprintf(stderr, "first_call: the driver lacks %s\n", symbol);
    exit(1);
  }
  memcpy(function, &address, sizeof address); /* ISO C has no cast from data to function. */
}

static void* open_driver(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "first_call: %s\n", dlerror());
    exit(1);
  }
  resolve(library, &cu.init, "cuInit");
  resolve(library, &cu.version, "cuDriverGetVersion");
  resolve(library, &cu.error_name, "cuGetErrorName");
  resolve(library, &cu.device_count, "cuDeviceGetCount");
  resolve(library, &cu.device, "cuDeviceGet");
  resolve(library, &cu.device_name, "cuDeviceGetName");
  resolve(library, &cu.retain, "cuDevicePrimaryCtxRetain");
  resolve(library, &cu.set_current, "cuCtxSetCurrent");
  resolve(library, &cu.load, "cuModuleLoadData");
  resolve(library, &cu.function, "cuModuleGetFunction");
  resolve(library, &cu.allocate, "cuMemAlloc_v2");
  resolve(library, &cu.launch, "cuLaunchKernel");
  resolve(library, &cu.synchronize, "cuCtxSynchronize");
  resolve(library, &cu.copy_to_host, "cuMemcpyDtoH_v2");
  return library;
}

static void verify(const uint32_t* out, uint32_t seed) {
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t expected = (i ^ seed) * UINT32_C(2654435761) + (i >> 3);
    if (out[i] == expected) continue;
    fprintf(stderr, "first_call: wrong result: out[%u] is %u, not %u\n", i, out[i], expected);
    exit(1);
  }
}

static void wait_for_end_of_input(void) {
  char ignored[64];
  while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) continue;
}

int main(int argc, char** argv) {
  const int64_t started = now_ns();
  const char* library_path = "libcuda.so.1";
  bool hold = false;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--hold") == 0) {
      hold = true;
    } else if (strcmp(argv[i], "--driver-library") == 0 && i + 1 < argc) {
      library_path = argv[++i];
    } else {
      fprintf(stderr, "usage: first_call [--driver-library PATH] [--hold]\n");
      return 2;
    }
  }

  void* library = open_driver(library_path);
  const int64_t opened = now_ns();

  check(cu.init(0), "cuInit");
  const int64_t initialised = now_ns();

  int count = 0;
  int device = 0;
  check(cu.device_count(&count), "cuDeviceGetCount");
  check(cu.device(&device, 0), "cuDeviceGet");
  const int64_t found = now_ns();

  void* context = NULL;
  check(cu.retain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cu.set_current(context), "cuCtxSetCurrent");
  const int64_t retained = now_ns();

  void* module = NULL;
  void* kernel = NULL;
  check(cu.load(&module, kPtx), "cuModuleLoadData");
  check(cu.function(&kernel, module, "warminit_warm_up"), "cuModuleGetFunction");
  const int64_t loaded = now_ns();

  unsigned long long buffer = 0;
  check(cu.allocate(&buffer, kCount * sizeof(uint32_t)), "cuMemAlloc");
  const int64_t allocated = now_ns();

  uint32_t seed = (uint32_t)started; /* A new one each time: an old result cannot pass. */
  uint32_t elements = kCount;
  void* parameters[] = {&buffer, &seed, &elements};
  check(cu.launch(kernel, 1, 1, 1, kCount, 1, 1, 0, NULL, parameters, NULL), "cuLaunchKernel");
  check(cu.synchronize(), "cuCtxSynchronize");
  const int64_t launched = now_ns();

  uint32_t out[kCount];
  memset(out, 0, sizeof out);
  check(cu.copy_to_host(out, buffer, sizeof out), "cuMemcpyDtoH");
  verify(out, seed);
  const int64_t ended = now_ns();

  int version = 0;
  char name[128] = "";
  check(cu.version(&version), "cuDriverGetVersion");
  check(cu.device_name(name, sizeof name, device), "cuDeviceGetName");
  const bool simulated = dlsym(library, "warminit_simcuda") != NULL;
  printf(
      "{\"device\": \"%s\", \"devices\": %d, \"cuda\": %d, \"simulated\": %s, "
      "\"dlopen_ms\": %.4f, \"init_ms\": %.4f, \"device_ms\": %.4f, \"context_ms\": %.4f, "
      "\"module_ms\": %.4f, \"alloc_ms\": %.4f, \"launch_ms\": %.4f, \"copy_ms\": %.4f, "
      "\"total_ms\": %.4f, \"end_ns\": %lld}\n",
      name, count, version, simulated ? "true" : "false", ms(started, opened),
      ms(opened, initialised), ms(initialised, found), ms(found, retained), ms(retained, loaded),
      ms(loaded, allocated), ms(allocated, launched), ms(launched, ended), ms(started, ended),
      (long long)ended);
  fflush(stdout);

  if (hold) wait_for_end_of_input();
  return 0;
}

/// A `_dl_find_object` of our own, so that the release binary starts on glibc 2.34.
///
/// The unwinder of libgcc 12, which we link in, asks this function of glibc 2.35 which object an
/// address belongs to; it is the only thing newer than 2.34 that the binary would need. This one
/// answers the same from dl_iterate_phdr, as unwinders before did: slower, and only exceptions use
/// it. Hidden, so that libraries loaded later keep using glibc's.
///
/// Source: glibc 2.35 manual, "Dynamic Linker Introspection"; <dlfcn.h> of glibc 2.35.

#include <elf.h>
#include <link.h>

#include <cstdint>

namespace warminit::portable {

/// As struct dl_find_object of <dlfcn.h>, which a glibc older than 2.35 does not declare.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame;
#if defined(__i386__)
  void* eh_dbase;
#endif
  unsigned long long reserved[7];
};

}  // namespace warminit::portable

namespace {

using warminit::portable::FoundObject;

struct Search {
  std::uintptr_t address;
  FoundObject* found;
};

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto* search = static_cast<Search*>(data);
  std::uintptr_t start = UINTPTR_MAX;
  std::uintptr_t end = 0;
  void* eh_frame = nullptr;
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) eh_frame = reinterpret_cast<void*>(begin);
    if (segment.p_type != PT_LOAD) continue;
    if (begin < start) start = begin;
    if (begin + segment.p_memsz > end) end = begin + segment.p_memsz;
    inside = inside || (search->address >= begin && search->address < begin + segment.p_memsz);
  }
  if (!inside || eh_frame == nullptr) return 0;
  *search->found = {};
  search->found->map_start = reinterpret_cast<void*>(start);
  search->found->map_end = reinterpret_cast<void*>(end);
  search->found->eh_frame = eh_frame;
  return 1;
}

}  // namespace

// Named by label, because a glibc that has the function declares it too, with its own type.
__attribute__((visibility("hidden"), used)) int find_object(void* address,
                                                            FoundObject* found) noexcept
    __asm__("_dl_find_object");

int find_object(void* address, FoundObject* found) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), found};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}

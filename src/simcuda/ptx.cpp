#include <cctype>

#include "module.h"

namespace warminit::simcuda {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// `ptx` with a space in place of each comment.
std::string without_comments(std::string_view ptx) {
  std::string code;
  while (!ptx.empty()) {
    const std::string_view start = ptx.substr(0, 2);
    if (start == "//" || start == "/*") {
      const std::string_view end = start == "//" ? "\n" : "*/";
      const std::size_t at = ptx.find(end, 2);
      ptx.remove_prefix(at == std::string_view::npos ? ptx.size() : at + end.size());
      code += ' ';
    } else {
      code += ptx.front();
      ptx.remove_prefix(1);
    }
  }
  return code;
}

/// Takes `directive` and the spaces after it from the front of `code`; false if it is not there.
bool take(std::string_view& code, std::string_view directive) {
  if (code.substr(0, directive.size()) != directive) return false;
  std::string_view rest = code.substr(directive.size());
  if (rest.empty() || !is_space(rest.front())) return false;
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  code = rest;
  return true;
}

}  // namespace

cuda::abi::CUresult parse_ptx(std::string_view ptx, std::vector<std::string>& entries) {
  const std::string text = without_comments(ptx);
  std::string_view code = text;
  while (!code.empty() && is_space(code.front())) code.remove_prefix(1);
  if (!take(code, ".version")) return cuda::abi::CUDA_ERROR_INVALID_IMAGE;
  if (code.empty() || !is_digit(code.front())) return cuda::abi::CUDA_ERROR_INVALID_PTX;

  while (true) {
    const std::size_t at = code.find(".entry");
    if (at == std::string_view::npos) return cuda::abi::CUDA_SUCCESS;
    code.remove_prefix(at);
    std::size_t length = 0;
    if (!take(code, ".entry")) return cuda::abi::CUDA_ERROR_INVALID_PTX;
    while (length < code.size() && in_name(code[length])) ++length;
    if (length == 0) return cuda::abi::CUDA_ERROR_INVALID_PTX;
    entries.emplace_back(code.substr(0, length));
  }
}

}  // namespace warminit::simcuda

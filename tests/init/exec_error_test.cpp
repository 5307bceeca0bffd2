#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "warminit/init/command.h"

namespace warminit::init {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExecErrorCode, IsThatOfEnv) {
  EXPECT_EQ(exec_error_code(ENOENT), 127);
  EXPECT_EQ(exec_error_code(ENOTDIR), 127);
  for (const int error : {EACCES, ENOEXEC, E2BIG, ENOMEM, ETXTBSY, ELOOP, EPERM})
    EXPECT_EQ(exec_error_code(error), 126) << error;
}

struct Case {
  const char* name;
  const char* file;
  int error;
  const char* subject;
  const char* says;
};

TEST(ExplainExecError, NamesTheFileTheCauseAndTheRemedy) {
  const Case cases[] = {
      {"servr", "/bin/servr", ENOENT, "'servr'", "not found in PATH"},
      {"servr", "/bin/servr", ENOTDIR, "'servr'", "not found in PATH"},
      {"/app/run", "/app/run", ENOENT, "'/app/run'", "not found"},
      {"/app/run", "/app/run", ENOENT, "'/app/run'", "interpreter"},
      {"./run", "./run", ENOTDIR, "'./run'", "not found"},
      {"", "", ENOENT, "command", "empty"},
      {"run", "/bin/run", EACCES, "'/bin/run'", "chmod +x"},
      {"run", "/bin/run", ENOEXEC, "'/bin/run'", "another machine"},
      {"run", "/bin/run", E2BIG, "'/bin/run'", "Argument list too long"},
      {"run", "/bin/run", ETXTBSY, "'/bin/run'", "Text file busy"},
  };
  for (const auto& [name, file, error, subject, says] : cases)
    EXPECT_THAT(explain_exec_error(name, file, error),
                AllOf(HasSubstr(subject), HasSubstr(says), Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace warminit::init

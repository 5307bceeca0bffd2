#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "support/temporary_folder.h"
#include "warminit/init/exec_error.h"

namespace warminit::init {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExecError, MeansNotFoundAsForEnv) {
  EXPECT_TRUE(means_not_found(ENOENT));
  EXPECT_TRUE(means_not_found(ENOTDIR));
  for (const int error : {EACCES, ENOEXEC, E2BIG, ENOMEM, ETXTBSY, ELOOP, EPERM})
    EXPECT_FALSE(means_not_found(error)) << error;
}

TEST(ExecError, OfALimitSaysWhichToRaise) {
  EXPECT_THAT(explain({EAGAIN, std::generic_category(), "fork"}),
              AllOf(HasSubstr("fork"), HasSubstr("pids.max")));
  EXPECT_THAT(explain({EMFILE, std::generic_category(), "pipe2"}),
              AllOf(HasSubstr("pipe2"), HasSubstr("ulimit -n")));
}

struct Case {
  const char* name;
  const char* file;
  int error;
  const char* subject;
  const char* says;
};

TEST(ExplainExecError, NamesTheInterpreterThatIsMissing) {
  const test::TemporaryFolder folder;
  const std::string script = folder.add("run", "#!/nowhere/sh -e\necho\n", 0755);
  EXPECT_EQ(explain_exec_error(script, script, ENOENT),
            "'" + script + "': its interpreter '/nowhere/sh -e' is not in this image");
}

TEST(ExplainExecError, NamesTheFileTheCauseAndTheRemedy) {
  const Case cases[] = {
      {"servr", "/bin/servr", ENOENT, "'servr'", "not found in PATH"},
      {"servr", "/bin/servr", ENOTDIR, "'servr'", "not found in PATH"},
      {"/app/run", "/app/run", ENOENT, "'/app/run'", "not found"},
      {"./run", "./run", ENOTDIR, "'./run'", "not found"},
      {"", "", ENOENT, "command", "empty"},
      {"run", "/bin/run", EACCES, "'/bin/run'", "chmod +x"},
      {"/tmp", "/tmp", EACCES, "'/tmp'", "directory"},
      {"run", "/bin/run", EMFILE, "'/bin/run'", "ulimit -n"},
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

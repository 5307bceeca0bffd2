#include "warminit/doctor/catalogue.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "warminit/doctor/answer.h"
#include "warminit/doctor/examine.h"

namespace warminit::doctor {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

TEST(Catalogue, IsTheTableOfTheDocumentation) {
  const std::string folder = PROJECT_FOLDER;
  std::set<std::string> documented;
  std::istringstream lines(read(folder + "/docs/DOCTOR.md"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| `")) {
      const std::size_t severity = line.find("` | ");
      documented.insert(line.substr(3, line.find(" |", severity + 4) - 3));
    }
  std::set<std::string> known;
  for (const auto& [code, severity] : kCatalogue)
    known.insert(std::string(code) + "` | " + std::string(to_string(severity)));
  EXPECT_EQ(documented, known);
}

TEST(Catalogue, HasNoCodeTwice) {
  std::set<std::string_view> codes;
  for (const CatalogueEntry& entry : kCatalogue) EXPECT_TRUE(codes.insert(entry.code).second);
}

TEST(Catalogue, HasNoCodeThatNoTestBringsAbout) {
  std::string tests;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(PROJECT_FOLDER) + "/tests/doctor"))
    tests += read(file.path());
  for (const CatalogueEntry& entry : kCatalogue)
    EXPECT_NE(tests.find("\"" + std::string(entry.code) + "\""), std::string::npos) << entry.code;
}

TEST(ExitCode, IsThatOfTheWorst) {
  const Finding note{"no-warminit", Severity::note, "", "", ""};
  const Finding warning{"no-init", Severity::warning, "", "", ""};
  const Finding error{"no-libcuda", Severity::error, "", "", ""};
  EXPECT_EQ(exit_code({}), 0);
  EXPECT_EQ(exit_code({note}), 0);
  EXPECT_EQ(exit_code({note, warning}), 1);
  EXPECT_EQ(exit_code({note, error, warning}), 2);
}

TEST(AnswerLine, SurvivesTheWayThroughAPipe) {
  Answer answer;
  answer.library = "/lib/libcuda.so.1";
  answer.init_seconds = 0.25;
  answer.devices.push_back({1, "GPU-1", "Default", 100, 40, warm::Problem{2, "why", "what to do"}});
  answer.gpus = {{"GPU-1", false, true, 2}, {"GPU-2", std::nullopt, false, 0}};
  const Answer read = from_line(to_line(answer));
  EXPECT_EQ(to_line(read), to_line(answer));
  EXPECT_TRUE(read.shows_devices());
  EXPECT_EQ(read.devices.at(0).free_bytes, 40U);
  answer.problem = warm::Problem{100, "no device", ""};
  EXPECT_TRUE(from_line(to_line(answer)).says(100));
}

TEST(AnswerLine, ThatMakesNoSenseIsSaidToMakeNone) {
  for (const char* line : {"", "{}", "[]", R"({"library":1})", "nonsense"}) {
    const Answer answer = from_line(line);
    EXPECT_EQ(answer.ending, Answer::Ending::failed) << line;
    EXPECT_FALSE(answer.failure.empty());
  }
}

}  // namespace
}  // namespace warminit::doctor

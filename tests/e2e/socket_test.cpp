#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "e2e/operated.h"
#include "warminit/os/unix_socket.h"

/// The control socket: where it is, whose it is, and when it is not.
namespace warminit::test {
namespace {

std::string shown_to_command(std::vector<std::string> options) {
  Process process({.argv = warminit(std::move(options), {"sh", "-c", "echo [$WARMINIT_SOCKET]"})});
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.out();
}

TEST(Socket, IsNamedToTheCommand) {
  const Place place;
  EXPECT_EQ(shown_to_command({"--hold=off", "--socket=" + place.socket}),
            "[" + place.socket + "]\n");
  EXPECT_EQ(shown_to_command({"--hold=off", "--socket=none"}), "[]\n");
}

TEST(Socket, ServesTheCommandItself) {
  const Place place;
  Process process({.argv = warminit({"--socket=" + place.socket, "--wait-ready"},
                                    {"sh", "-c", std::string(WARMINIT_BINARY) + " status --ready"}),
                   .environment = simulated()});
  EXPECT_EQ(process.wait(), 0) << process.err();
}

TEST(Socket, IsOfItsOwnerAlone) {
  Operated operated({"--hold=off"});
  operated.wait_for_socket();
  struct stat status {};
  ASSERT_EQ(::stat(operated.place.socket.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST(Socket, GetsAFolderOfItsOwnThatOnlyItsOwnerWrites) {
  const Place place;
  const std::string folder = place.folder.path() + "/run";
  Process process(
      {.argv = {"sh", "-c",
                "umask 0; exec " + std::string(WARMINIT_BINARY) + " --hold=off --socket=" + folder +
                    "/socket -- " + program("signals") + " 1000"}});
  ASSERT_TRUE(process.wait_for("started"));
  wait_for_socket(folder + "/socket");
  struct stat status {};
  ASSERT_EQ(::stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755U);
}

TEST(Socket, ThatCannotBeMadeIsSaidAndCostsTheCommandNothing) {
  Process process(
      {.argv = warminit({"--hold=off", "--socket=/proc/no/socket"}, {program("signals"), "1000"})});
  EXPECT_TRUE(process.wait_for("warning")) << process.err();
  EXPECT_EQ(count(process.err(), "no control socket at '/proc/no/socket', ignoring: No such file"),
            1)
      << process.err();
  ASSERT_TRUE(process.wait_for("listening"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 3);
}

TEST(Socket, BelongsToTheFirstOfTwo) {
  Operated first({"--hold=off"});
  first.wait_for_socket();
  {
    Process second({.argv = warminit({"--hold=off", "--socket=" + first.place.socket},
                                     {program("signals"), "1000"})});
    EXPECT_TRUE(second.wait_for("ignoring: Address already in use")) << second.err();
    EXPECT_EQ(first.status().at("pid"), first.process.pid());
    ASSERT_TRUE(second.wait_for("listening"));
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(), 3);
  }
  EXPECT_EQ(first.status().at("pid"), first.process.pid()) << "the second has left it alone";
  first.expect_command_untouched();
}

TEST(Socket, OfOneThatWasKilledIsTakenOver) {
  const Place place;
  {
    Process killed({.argv = warminit({"--hold=off", "--socket=" + place.socket},
                                     {program("signals"), "1000"})});
    wait_for_socket(place.socket);
  }
  ASSERT_TRUE(Operated::exists(place.socket));
  Process next(
      {.argv = warminit({"--hold=off", "--socket=" + place.socket}, {program("signals"), "1000"})});
  wait_for_socket(place.socket);
}

TEST(Socket, IsThereForAHoldWithoutACommandToo) {
  const Place place;
  Process process(
      {.argv = {WARMINIT_BINARY, "hold", "--socket=" + place.socket}, .environment = simulated()});
  ASSERT_TRUE(process.wait_for("ready: 1 of 1"));
  EXPECT_EQ(ask(place.socket, {"status", "--ready"}).code, 0);
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
  EXPECT_FALSE(Operated::exists(place.socket));
}

TEST(Socket, WithACrowdOfClientsKeepsNoSignalFromTheCommand) {
  Operated operated({"--hold=off"});
  operated.wait_for_socket();
  std::vector<os::Fd> crowd;
  for (int i = 0; i < 200; ++i) crowd.push_back(os::connect_to(operated.place.socket));
  operated.expect_command_untouched();
}

}  // namespace
}  // namespace warminit::test

#include "warminit/cli/exporter_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>

#include <array>
#include <vector>

#include "exporter/samples.h"
#include "exporter/served.h"
#include "init/world.h"
#include "os/child.h"
#include "warminit/exporter/answer.h"
#include "warminit/exporter/listen.h"

namespace warminit::cli {
namespace {

using namespace std::chrono_literals;
using test::in_child;
using test::World;
using ::testing::EndsWith;

/// A port that was free just now.
exporter::Address free_address() {
  return {"127.0.0.1", test::port_of(exporter::listen_on({"127.0.0.1", 0}))};
}

/// A link whose exporters are real ones, and what it has handed out.
struct Linked {
  explicit Linked(World& world, init::RestartPolicy restart = {1ms, 10ms, 3})
      : address(free_address()),
        link(world.loop, world.reaper, {address, restart, WARMINIT_BINARY},
             [this](os::Fd connection) {
               connections.push_back(std::move(connection));
               on_connected();
             }) {}

  exporter::Address address;
  std::vector<os::Fd> connections;
  std::function<void()> on_connected = [] {};
  ExporterLink link;
};

/// A client of an exporter that is about to listen: of that there is no event, so it keeps trying.
os::Fd patient_client(std::uint16_t port, const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + test::kUntilFailure;
  while (std::chrono::steady_clock::now() < deadline) {
    try {
      return test::connected_client(port, text);
    } catch (const std::system_error&) {
      ::sched_yield();
    }
  }
  return {};
}

/// Runs the loop until it has reaped somebody.
void run_until_reaped(World& world) {
  world.on_reaped = [&] { world.loop.stop(); };
  world.loop.run();
}

TEST(ExporterLink, StartsAnExporterThatAsksOverTheLinkAndServes) {
  in_child([] {
    World world;
    Linked linked(world);
    linked.link.start();
    ASSERT_EQ(linked.connections.size(), 1U);
    const os::Fd client = patient_client(linked.address.port, test::request("/livez"));
    ASSERT_TRUE(client);
    const int connection = linked.connections.front().get();
    ASSERT_TRUE(test::becomes_readable(connection));
    std::array<char, 256> question{};
    const ssize_t n = ::recv(connection, question.data(), question.size(), 0);
    EXPECT_EQ(std::string(question.data(), static_cast<std::size_t>(n)), exporter::kQuestion);
    const std::string line = test::answer_line(test::full_status());
    EXPECT_EQ(::send(connection, line.data(), line.size(), 0), static_cast<ssize_t>(line.size()));
    EXPECT_THAT(test::read_all(client.get()), EndsWith("ok\n"));
  });
}

TEST(ExporterLink, StartsAnotherExporterWithAnotherConnectionWhenItDies) {
  in_child([] {
    World world;
    Linked linked(world);
    linked.link.start();
    linked.on_connected = [&] {
      if (linked.connections.size() == 3) return world.loop.stop();
      linked.connections.back() = os::Fd();  // It ends by itself where its connection is closed.
    };
    ASSERT_TRUE(linked.link.pid());
    ::kill(*linked.link.pid(), SIGKILL);
    world.loop.run();
    EXPECT_EQ(linked.connections.size(), 3U);
  });
}

TEST(ExporterLink, EndsTheExporterForGoodWhenClosed) {
  in_child([] {
    World world;
    Linked linked(world);
    linked.link.start();
    linked.link.close();
    run_until_reaped(world);
    EXPECT_FALSE(linked.link.pid());
    EXPECT_EQ(linked.connections.size(), 1U);
    EXPECT_TRUE(test::becomes_readable(linked.connections.front().get()));  // Its end.
  });
}

TEST(ExporterLink, GivesUpAnExporterThatCannotListen) {
  in_child([] {
    World world;
    Linked linked(world, {1ms, 2ms, 2});
    const os::Fd taken = exporter::listen_on(linked.address);
    linked.link.start();
    world.on_reaped = [&] {
      if (linked.connections.size() == 3) world.loop.stop();
    };
    world.loop.run();
    EXPECT_FALSE(linked.link.pid());
  });
}

}  // namespace
}  // namespace warminit::cli

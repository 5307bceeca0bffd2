#include "warminit/os/stderr_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "os/child.h"
#include "os/full_pipe.h"

namespace warminit::os {
namespace {

using test::become_stderr;
using test::FullPipe;
using test::in_child;
using test::Pipe;

/// Counts the lines that it drops.
class CountingWriter : public StderrWriter {
 public:
  bool write(std::string_view line) {
    const bool written = StderrWriter::write(line);
    if (!written) ++dropped_;
    return written;
  }
  [[nodiscard]] unsigned dropped() const { return dropped_; }

 private:
  unsigned dropped_ = 0;
};

TEST(StderrWriter, WritesALineAsItIs) {
  EXPECT_EQ(test::stderr_of_child([] {
              CountingWriter writer;
              writer.write("one\n");
              writer.write("two\n");
            }),
            "one\ntwo\n");
}

TEST(StderrWriter, DropsAndCountsWhatAFullPipeDoesNotTake) {
  in_child([] {
    const FullPipe pipe;
    become_stderr(pipe.write_end.get());
    CountingWriter writer;
    writer.write("lost\n");  // Would block for ever.
    writer.write("lost too\n");
    EXPECT_EQ(writer.dropped(), 2U);
  });
}

TEST(StderrWriter, WritesAgainOnceThereIsRoomAndCountsWhatWasLost) {
  in_child([] {
    FullPipe pipe;
    become_stderr(pipe.write_end.get());
    CountingWriter writer;
    writer.write("lost\n");
    writer.write("lost too\n");
    (void)pipe.drain();
    EXPECT_TRUE(writer.write("comes through\n"));
    EXPECT_TRUE(writer.write("and so on\n"));
    EXPECT_EQ(pipe.drain(), "comes through\nand so on\n");
    EXPECT_EQ(writer.dropped(), 2U);
  });
}

TEST(StderrWriter, LeavesThePipeBlockingForOthers) {
  in_child([] {
    const Pipe pipe;
    become_stderr(pipe.write_end.get());
    CountingWriter writer;
    writer.write("x\n");
    EXPECT_EQ(::fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK, 0);
  });
}

TEST(StderrWriter, DropsWhenNobodyReads) {
  in_child([] {
    ::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    become_stderr(pipe.write_end.get());
    CountingWriter writer;
    pipe.read_end = Fd();
    writer.write("lost\n");
    EXPECT_EQ(writer.dropped(), 1U);
  });
}

TEST(StderrWriter, DropsWhenStderrIsClosed) {
  in_child([] {
    ::close(STDERR_FILENO);
    CountingWriter writer;
    writer.write("lost\n");
    EXPECT_EQ(writer.dropped(), 1U);
  });
}

TEST(StderrWriter, DropsWhatASocketDoesNotTake) {
  in_child([] {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    become_stderr(ends[1]);
    CountingWriter writer;
    writer.write("first\n");
    char text[6];
    ASSERT_EQ(::read(ends[0], text, sizeof text), 6);
    EXPECT_EQ(std::string(text, sizeof text), "first\n");

    const std::string line = std::string(1000, 'x') + "\n";
    for (int i = 0; i < 10000 && writer.dropped() == 0; ++i) writer.write(line);
    EXPECT_EQ(writer.dropped(), 1U);

    ::close(ends[0]);
    writer.write("lost\n");  // SIGPIPE would end the child.
    EXPECT_GE(writer.dropped(), 2U);
  });
}

TEST(StderrWriter, AppendsToAFile) {
  const test::TemporaryFolder folder;
  const std::string path = folder.add("log", "");
  in_child([&] {
    const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::write(file.get(), "command\n", 8), 8);
    become_stderr(file.get());
    CountingWriter writer;
    writer.write("init\n");
    ASSERT_EQ(::write(file.get(), "command\n", 8), 8);  // Shares the offset: nothing is lost.
    EXPECT_EQ(writer.dropped(), 0U);
  });
  EXPECT_EQ(test::read_all(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)).get()),
            "command\ninit\ncommand\n");
}

TEST(StderrWriter, CountsWhatAFullDiskDoesNotTake) {
  in_child([] {
    const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    if (!full) return;
    become_stderr(full.get());
    CountingWriter writer;
    writer.write("lost\n");
    EXPECT_EQ(writer.dropped(), 1U);
  });
}

}  // namespace
}  // namespace warminit::os

#include "warminit/exporter/status_link.h"

#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace warminit::exporter {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// A status with a thousand devices is a third of it.
constexpr std::size_t kMostLineBytes = 4U << 20U;

}  // namespace

struct StatusLink::Waiter {
  explicit Waiter(asio::io_context& io, Answered callback)
      : timer(io), answered(std::move(callback)) {}

  void answer(const Answer& what) {
    timer.cancel();
    if (const Answered callback = std::exchange(answered, nullptr)) callback(what);
  }

  asio::steady_timer timer;
  Answered answered;  ///< Empty once it was called.
};

StatusLink::StatusLink(asio::io_context& io, os::Fd link, std::chrono::milliseconds patience,
                       std::function<void()> closed)
    : io_(io),
      socket_(io, asio::local::stream_protocol(), link.release()),
      patience_(patience),
      closed_(std::move(closed)) {
  receive();
}

void StatusLink::ask(Answered answered) {
  const auto waiter = std::make_shared<Waiter>(io_, std::move(answered));
  waiter->timer.expires_after(patience_);
  waiter->timer.async_wait([this, waiter](const error_code& error) {
    if (!error) on_timeout(*waiter);
  });
  waiting_.push_back(waiter);
  if (!asking_) send();
}

void StatusLink::on_timeout(Waiter& waiter) {
  // Forgotten: while PID 1 hangs, nothing may pile up.
  const auto is_it = [&waiter](const auto& other) { return other.get() == &waiter; };
  std::erase_if(waiting_, is_it);
  std::erase_if(asked_, is_it);
  waiter.answer(
      {nullptr, "PID 1 has not answered for " + std::to_string(patience_.count()) + " ms"});
}

void StatusLink::send() {
  asking_ = true;
  asked_ = std::exchange(waiting_, {});
  // An error shows in receive() too.
  asio::async_write(socket_, asio::buffer(kQuestion), [](const error_code&, std::size_t) {});
}

void StatusLink::receive() {
  asio::async_read_until(socket_, asio::dynamic_buffer(received_, kMostLineBytes), '\n',
                         [this](const error_code& error, std::size_t size) {
                           if (error) return closed_();
                           const std::string line = received_.substr(0, size);
                           received_.erase(0, size);
                           on_line(line);
                           receive();
                         });
}

void StatusLink::on_line(const std::string& line) {
  if (!std::exchange(asking_, false)) return;  // Nobody asked for it.
  const auto asked = std::exchange(asked_, {});
  if (!asked.empty()) {
    const Answer answer = parse_answer(line);
    for (const auto& waiter : asked) waiter->answer(answer);
  }
  // Asked anew by one of them meanwhile, or by those who came later.
  if (!asking_ && !waiting_.empty()) send();
}

}  // namespace warminit::exporter

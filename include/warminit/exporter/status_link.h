#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warminit/exporter/answer.h"
#include "warminit/os/fd.h"

namespace warminit::exporter {

/// The exporter's side of its socket to PID 1: one question at a time, whoever asks.
///
/// All who ask while a question is under way share the next one: many scrapers together cost PID 1
/// no more than it can answer.
class StatusLink {
 public:
  using Answered = std::function<void(const Answer&)>;

  /// `closed` is called once PID 1 is gone, or writes what cannot be an answer.
  StatusLink(boost::asio::io_context& io, os::Fd link, std::chrono::milliseconds patience,
             std::function<void()> closed);

  /// `answered` is called once, later: with the answer, or after `patience` without one.
  void ask(Answered answered);

 private:
  struct Waiter;

  void send();
  void receive();
  void on_line(const std::string& line);
  void on_timeout(Waiter& waiter);

  boost::asio::io_context& io_;
  boost::asio::local::stream_protocol::socket socket_;
  std::chrono::milliseconds patience_;
  std::function<void()> closed_;
  std::string received_;
  bool asking_ = false;  ///< A question is under way; its answer may be late, but comes first.
  std::vector<std::shared_ptr<Waiter>> asked_;    ///< Who gets the answer to it.
  std::vector<std::shared_ptr<Waiter>> waiting_;  ///< Who gets the one after.
};

}  // namespace warminit::exporter

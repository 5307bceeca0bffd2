#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <memory>
#include <string>

#include "warminit/exporter/limits.h"
#include "warminit/exporter/reply.h"
#include "warminit/exporter/status_link.h"

namespace warminit::exporter {

/// One connection: a request, its reply, and the end. Keeps itself alive until then, no longer than
/// the limit for a request.
class Session : public std::enable_shared_from_this<Session> {
 public:
  /// `link` must outlive the io_context's run.
  Session(boost::asio::ip::tcp::socket socket, StatusLink& link, const Limits& limits);

  void start();

  /// Ends the connection now.
  void close();

 private:
  void on_request(const boost::system::error_code& error);
  void reply(const Reply& reply);
  void drain();

  StatusLink& link_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  boost::beast::http::request_parser<boost::beast::http::empty_body> parser_;
  std::string text_;  ///< What is being sent.
  std::array<char, 1024> ignored_{};
};

}  // namespace warminit::exporter

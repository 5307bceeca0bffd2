#include "warminit/exporter/session.h"

#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <utility>

namespace warminit::exporter {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

/// Why `request`, which can be read, is none of ours; 0 where it is one.
int refuse(const http::request_parser<http::empty_body>& parser) {
  const auto& request = parser.get();
  if (request.method() != http::verb::get && request.method() != http::verb::head) return 405;
  if (parser.chunked() || parser.content_length().value_or(0) > 0) return 413;
  const auto target = request.target();
  return endpoint_of({target.data(), target.size()}) ? 0 : 404;
}

}  // namespace

Session::Session(asio::ip::tcp::socket socket, StatusLink& link, const Limits& limits)
    : link_(link), stream_(std::move(socket)) {
  parser_.header_limit(limits.header_bytes);
  // For all that follows together: who sends or reads a byte a second gains nothing.
  stream_.expires_after(limits.request);
}

void Session::start() {
  http::async_read_header(stream_, buffer_, parser_,
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            self->on_request(error);
                          });
}

void Session::close() { stream_.close(); }

void Session::on_request(const error_code& error) {
  if (error == http::error::header_limit) return reply(refusal(431));
  // Beast's other complaints are about what was read; without them nobody is there to be told.
  if (error && error != http::error::end_of_stream &&
      error.category() == http::make_error_code(http::error::bad_method).category())
    return reply(refusal(400));
  if (error) return;
  if (const int code = refuse(parser_)) return reply(refusal(code));
  link_.ask([self = shared_from_this()](const Answer& answer) {
    const auto& request = self->parser_.get();
    const auto accept = request[http::field::accept];
    self->reply(reply_to(*endpoint_of({request.target().data(), request.target().size()}),
                         {accept.data(), accept.size()}, answer));
  });
}

void Session::reply(const Reply& reply) {
  text_ = to_http(reply, parser_.get().method() != http::verb::head);
  asio::async_write(stream_, asio::buffer(text_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      if (error) return;
                      error_code ignored;
                      self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send,
                                                      ignored);
                      self->drain();
                    });
}

void Session::drain() {
  // Closed with something unread, the kernel would reset the connection, and the client might lose
  // the reply.
  stream_.async_read_some(asio::buffer(ignored_),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (!error) self->drain();
                          });
}

}  // namespace warminit::exporter

#pragma once

namespace warminit::warm {

/// Lets the driver's threads sleep while nothing happens.
///
/// libcuda's event thread ("cuda-EvtHandlr") polls its descriptors with a timeout of 100 ms, for as
/// long as a context is held: ten wake-ups a second that find nothing (measured on driver 580). The
/// binary therefore exports a `poll` of its own, which libcuda finds before glibc's. Between
/// quiet() and loud(), a poll that would time out waits without a timeout; its descriptors wake it
/// as ever. Outside of that time, and in every process but the holder, it is glibc's.
void quiet();

/// Ends the quiet; whoever waits in such a poll returns as if its time were over.
void loud();

}  // namespace warminit::warm

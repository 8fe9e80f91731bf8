import Testing

/// One after the other, as there is one daemon, which some of them stop.
@Suite(
    "Discovery on a network", .serialized,
    .enabled(if: PrivateDaemon.isThere, "needs a network and a daemon of its own: script/with-avahi swift test"))
enum RealNetworkTests {}

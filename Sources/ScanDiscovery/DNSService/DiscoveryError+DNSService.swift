import CDNSSD

extension DiscoveryError {
    /// Converts a status of the library to an error. Avahi reports "unknown" whenever its daemon is absent, whatever
    /// the cause.
    init(status: DNSServiceErrorType, to purpose: String, wasOpen: Bool) {
        switch Int(status) {
        case kDNSServiceErr_Unknown where wasOpen:
            self.init(.daemonLost, "the discovery daemon has stopped; waiting until it is back")
        case kDNSServiceErr_Unknown:
            self =
                DiscoveryDaemon.diagnose().error
                ?? .init(.daemonLost, "the discovery daemon closed the connection; trying again")
        case kDNSServiceErr_NoSuchName:
            self.init(.noAnswer, "cannot \(purpose): no answer from the network")
        case kDNSServiceErr_Refused:
            self.init(.refused, "cannot \(purpose): the discovery daemon refused; it may have too many clients")
        case kDNSServiceErr_NameConflict:
            self.init(.refused, "cannot \(purpose): another service of this machine has the same name")
        case kDNSServiceErr_Unsupported:
            self.init(
                .daemonAbsent, "discovery is off: libdns_sd.so.1 is missing; install libavahi-compat-libdnssd1")
        case kDNSServiceErr_BadParam, kDNSServiceErr_Invalid:
            self.init(.invalid, "cannot \(purpose): the discovery daemon reported an invalid request (\(status))")
        default:
            self.init(.refused, "cannot \(purpose): the discovery daemon reported error \(status)")
        }
    }

    /// Returns the error for a daemon that has not answered a request within `timeout`.
    static func daemonHangs(_ timeout: Duration) -> DiscoveryError {
        DiscoveryError(
            .daemonNotAnswering,
            "the discovery daemon does not answer (waited \(timeout.components.seconds) s); "
                + DiscoveryDaemon.restartHint)
    }
}

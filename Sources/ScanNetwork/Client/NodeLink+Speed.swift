import Foundation
import ScanCluster
import ScanSockets

extension ScanSystem.Link {
    /// What is known of a connection before bulk bytes are sent over it: the speed of this machine's interface, if the
    /// system knows it, and the round trip. No more than 1 Gbit/s is expected of any network. `isMeasured`: a probe of it
    /// is sent.
    init(to node: NodeInfo, over connection: Connection, isMeasured: Bool) {
        self.init()
        if isMeasured { probeCount = TCPTransport.probeCount(of: node, over: connection) }
        readsReferences = node.identifiesBulk == true
        (speed, memory, address) = (node.speed, node.memory, "\(connection.peer)")
        if connection.isLocal {
            nominalRate = Self.localRate
        } else if let rate = InterfaceSpeed.bytesPerSecond(of: connection.localAddress.host) {
            nominalRate = min(rate, BulkLink.nominalRate)
        } else if let seconds = connection.socketRoundTrip, seconds > Self.wideRoundTrip {
            nominalRate = Self.wideRate
        }
    }

    /// Bytes per second within one machine.
    private static let localRate = 1e9
    /// Seconds of a round trip above which a network without a known speed counts as wireless or wide.
    private static let wideRoundTrip = 0.0015
    /// Bytes per second that are expected of such a network.
    private static let wideRate = 5e6
}

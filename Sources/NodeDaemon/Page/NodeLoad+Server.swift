import Console
import ImageJobs
package import ScanBasics
package import ScanNetwork

extension NodeLoad {
    package init(_ server: NodeServer, _ live: LiveNode, _ address: SocketAddress) {
        let (status, record, time) = (server.status, live.read(), live.elapsed)
        self.init(name: live.name, address: address.description, software: Software.name, slots: live.slots)
        (running, queued, done, coordinators) = (status.running, status.queued, status.done, status.connections)
        now = record.now(status, at: time)
        failures = record.failures.map { Failure(secondsAgo: time - $0.time, text: $0.text) }
    }
}

import Dispatch
import Glibc
import ScanDiscovery
import Testing

@Suite("Nodes in unicast DNS", .timeLimit(.minutes(10)))
struct SRVDiscoveryTests {
    @Test("targets appear, and those that the records no longer list disappear")
    func comingAndGoing() async throws {
        let server = try NameServer(answers: [["a.example": 4000, "b.example": 4001], ["b.example": 4001]])
        let discovery = SRVDiscovery("_skyfarm._tcp.example", server: server.address, pauses: .zero ... .zero)
        var events: [BrowseEvent] = []
        for try await event in discovery.browse() {
            events.append(event)
            if events.count == 4 { break }
        }
        let a = ServiceInstance(name: "a.example:4000", domain: "")
        let b = ServiceInstance(name: "b.example:4001", domain: "")
        #expect(events == [.started, .added(a), .added(b), .removed(a)])
    }

    @Test("a target resolves to its host and port")
    func resolution() async throws {
        let discovery = SRVDiscovery("x.example")
        for try await service in discovery.resolve(ServiceInstance(name: "a.example:4000", domain: "")) {
            #expect(service == ResolvedService(host: "a.example", port: 4000))
            break
        }
        await #expect(throws: DiscoveryError.self) {
            for try await _ in discovery.resolve(ServiceInstance(name: "nonsense", domain: "")) {}
        }
        for try await address in discovery.addresses(of: "127.0.0.1", interface: 0) {
            #expect(address.description == "127.0.0.1")
        }
    }

    @Test("a node cannot announce itself there")
    func registration() async {
        let service = ServiceAdvertisement(name: "a", port: 1, txt: TXTRecord())
        await #expect(throws: DiscoveryError.self) {
            for try await _ in SRVDiscovery("x.example").register(service) {}
        }
    }

    @Test("a name without records is named")
    func noRecords() async throws {
        let server = try NameServer(answers: [[:]])
        let discovery = SRVDiscovery("none.example", server: server.address)
        let error = await #expect(throws: DiscoveryError.self) { for try await _ in discovery.browse() {} }
        #expect(error?.code == .noAnswer)
        #expect(error?.message.contains("none.example") == true)
    }
}

/// A name server on loopback that gives its answers in turn, the last one for ever.
private final class NameServer {
    let address: SRVDiscovery.Server
    private let source: any DispatchSourceRead

    init(answers: [[String: UInt16]]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        address = SRVDiscovery.Server(
            address: try #require(HostAddress("127.0.0.1") as HostAddress?), port: UInt16(bigEndian: name.sin_port))
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "name server"))
        nonisolated(unsafe) var remaining = answers  // touched on the source's queue only
        source.setEventHandler {
            Self.answer(descriptor, remaining[0])
            if remaining.count > 1 { remaining.removeFirst() }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    private static func answer(_ descriptor: Int32, _ targets: [String: UInt16]) {
        var question = [UInt8](repeating: 0, count: 512)
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                guard recvfrom(descriptor, &question, question.count, 0, peer, &length) > 12 else { return }
                var name: [Substring] = []
                var place = 12
                while question[place] != 0 {
                    let label = question[place + 1..<place + 1 + Int(question[place])]
                    name.append(Substring(decoding: label, as: UTF8.self))
                    place += 1 + label.count
                }
                let message = DNSMessage.answer(
                    id: UInt16(question[0]) << 8 | UInt16(question[1]), question: name.joined(separator: "."),
                    targets.map { .init(priority: 0, weight: 0, port: $0.value, host: $0.key, seconds: 0) })
                _ = sendto(descriptor, message, message.count, 0, peer, length)
            }
        }
    }
}

import Dispatch
import ScanCluster
import ScanDiscovery

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Announces nodes or browses for them, and prints one line per event, for the scenarios of the lab.
///
///     discovery-probe advertise NAME PORT [COUNT]    announce COUNT nodes until SIGTERM
///     discovery-probe browse                         print events until SIGTERM
///     discovery-probe cycles COUNT                   announce and browse COUNT times, then check for leaks
@main
struct DiscoveryProbe {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("advertise", 3...4):
            guard let port = UInt16(arguments[2]), let count = Int(arguments.count > 3 ? arguments[3] : "1") else {
                return usage()
            }
            await advertise(arguments[1], port, count)
        case ("browse", 1):
            await browse()
        case ("cycles", 2):
            guard let count = Int(arguments[1]) else { return usage() }
            await cycle(count)
        default:
            usage()
        }
    }

    private static func usage() {
        say("usage: discovery-probe advertise NAME PORT [COUNT] | browse | cycles COUNT")
        exit(2)
    }

    /// Prints a line with the time in seconds of the real-time clock, which all hosts of the lab share.
    static func say(_ line: String) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let fraction = String(time.tv_nsec / 1_000_000 + 1000).dropFirst()
        let text = Array("\(time.tv_sec).\(fraction) \(line)\n".utf8)
        // One write per line, unbuffered, so that lines of concurrent tasks do not interleave.
        _ = write(1, text, text.count)
    }

    static func advertisement(_ name: String, _ port: UInt16) -> ServiceAdvertisement {
        var generator = SystemRandomNumberGenerator()
        let id = SystemID(using: &generator)
        let facts = NodeAdvertisement(versions: 2...2, slots: 2, keyFingerprint: "lab", id: id)
        return ServiceAdvertisement(
            name: ServiceAdvertisement.instanceName(name, of: id), port: port, txt: facts.record)
    }

    private static func advertise(_ name: String, _ port: UInt16, _ count: Int) async {
        let source = DNSServiceDiscovery()
        await untilTerminated {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    let advertiser = NodeAdvertiser(source, advertisement("\(name)\(number)", port + UInt16(number)))
                    group.addTask { await advertiser.run() }
                    group.addTask { for await event in advertiser.events { say(String(describing: event)) } }
                }
            }
        }
    }

    private static func browse() async {
        let discovery = NodeDiscovery(DNSServiceDiscovery())
        await untilTerminated {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await discovery.run() }
                group.addTask { for await event in discovery.events { say(line(event)) } }
            }
        }
    }

    private static func line(_ event: DiscoveryEvent) -> String {
        switch event {
        case .available: "available"
        case .unavailable(let error): "unavailable \(error.code): \(error)"
        case .found(let node): "found \(line(node))"
        case .changed(let node): "changed \(line(node))"
        case .lost(let node): "lost \(line(node))"
        }
    }

    private static func line(_ node: DiscoveredNode) -> String {
        "\(node.name) \(node.addresses.map(\.description).joined(separator: ",")) "
            + "slots \(node.advertisement.slots ?? 0)\(node.isOnThisMachine ? " here" : "")"
    }

    /// Runs `work` until SIGTERM or SIGINT, then cancels it and waits for its end.
    private static func untilTerminated(_ work: @escaping @Sendable () async -> Void) async {
        let task = Task { await work() }
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { @Sendable in task.cancel() }
            source.activate()
            return source
        }
        await task.value
        for source in sources { source.cancel() }
        say("end")
    }
}

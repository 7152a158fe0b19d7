import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import SkyScan

/// Nodes that work correctly or with faults, and a job that reports when each of its results arrives: for tests of
/// faults with real processes.
@main struct FaultProbe {
    static let usage = """
        usage: fault-probe node NAME SLOWNESS [BULK]
                                              naps; each takes SLOWNESS times as long; BULK bytes of them at most
               fault-probe crooked MANNER     a sky node that answers: garbage, another-band, nothing, reversed,
                                              fails after eight tasks: weary; or ends its process with
                                              the first task that any node has done, whose output is in the
                                              file $PROBE_DEADLY: deadly
               fault-probe naps COUNT MILLISECONDS[,BYTES] HOST:PORT…
                                              each with so many bulk bytes
               fault-probe keeper NAME        a node that keeps results
               fault-probe kept HOST:PORT…    lets nodes keep results, uses them there, and fetches them when one of
                                              the nodes has been lost
        """

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            switch words.first {
            case "node":
                guard words.count >= 3, let slowness = Double(words[2]) else { return print(usage) }
                Nap.slowness = slowness
                try await serve(
                    TaskTypes(Nap.self), name: words[1], bulkLimit: words.count > 3 ? Int(words[3]) : nil)
            case "crooked":
                guard words.count > 1, let manner = Manner(rawValue: words[1]) else { return print(usage) }
                try await serve(TaskTypes.sky.answering(manner.answer), name: "crooked")
            case "naps":
                let numbers = words.count > 3 ? words[2].split(separator: ",").compactMap { Int($0) } : []
                guard words.count > 3, let count = Int(words[1]), (1...2).contains(numbers.count) else {
                    return print(usage)
                }
                try await nap(
                    count, milliseconds: numbers[0], bulk: numbers.count > 1 ? numbers[1] : 0,
                    nodes: Array(words.dropFirst(3)))
            case "keeper":
                guard words.count > 1 else { return print(usage) }
                try await keep(as: words[1])
            case "kept": try await useKept(on: Array(words.dropFirst()))
            default: print(usage)
            }
        } catch {
            print("failed", error)
            exit(1)
        }
    }

    private static func serve(_ taskTypes: TaskTypes, name: String, bulkLimit: Int? = nil) async throws {
        var options = NodeServer.Options()
        if let bulkLimit { options.bulkLimit = bulkLimit }
        let node = NodeServer(
            name: name, keys: try KeyStore.user().ring(), slots: 2, taskTypes: taskTypes, listen: "127.0.0.1:0",
            options: options)
        print("ready", try node.start())
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Runs naps, after a line on standard input or its end; reports on standard error when each result arrived, in
    /// seconds since the job began, and all other events.
    private static func nap(_ count: Int, milliseconds: Int, bulk: Int, nodes: [String]) async throws {
        let farm = try await Farm(running: Nap.self, nodes: nodes, localSlots: 0)
        write("joined \(farm.systems.snapshot.count)")
        _ = readLine()
        let start = ContinuousClock.now
        @Sendable func seconds() -> Double { (ContinuousClock.now - start) / .seconds(1) }
        let tasks = (0..<count).map { Nap(id: $0, milliseconds: milliseconds, bulk: bulk) }
        let observer = { @Sendable (event: TaskEvent) in
            switch event {
            case .taskHedged(let index, let system, _, let slow, _):
                write("hedged \(seconds()) \(index) \(slow) \(system)")
            case .taskRetried(_, let system, _, let reason, _): write("retried \(seconds()) \(system): \(reason)")
            case .systemLeft(let name): write("left \(seconds()) \(name)")
            default: break
            }
        }
        let source = { @Sendable (nap: Nap) in
            nap.bulk == 0 ? nil : BulkSource(copying: [UInt8](repeating: nap.byte, count: nap.bulk))
        }
        for try await response in farm.responses(to: tasks, bulk: source, observer: observer) {
            write("result \(seconds()) \(try response.get()) \(response.system)")
        }
        write("done \(seconds())")
        await farm.close()
    }

    static func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}

/// Sleeps, and answers with its number.
struct Nap: ScanTask {
    static let typeName = "probe.nap/1"
    // Written once, before the node starts.
    nonisolated(unsafe) static var slowness = 1.0
    var id: Int
    var milliseconds: Int
    /// Bytes that travel beside it.
    var bulk: Int
    /// The value of each.
    var byte: UInt8 { UInt8(truncatingIfNeeded: id) }

    func scan(_ context: ScanContext) throws -> Int {
        if bulk > 0 {
            let isRight = try context.requireBulk().withUnsafeBytes {
                $0.count == bulk && $0.first == byte && $0.last == byte
            }
            guard isRight else { throw WrongNap() }
        }
        usleep(UInt32(Double(milliseconds) * 1000 * Self.slowness))
        return id
    }

    func validate(_ output: Int) throws {
        if output != id { throw WrongNap() }
    }
}

struct WrongNap: Error {}

struct Weariness: Error, CustomStringConvertible {
    var description: String { "eight tasks are enough" }
}

/// The answers of a faulty node.
enum Manner: String {
    case garbage
    case anotherBand = "another-band"
    case nothing
    case reversed
    case weary
    case deadly

    var answer: @Sendable ([UInt8]) throws -> [UInt8] {
        switch self {
        case .garbage:
            return { bytes in bytes.indices.map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) } }
        case .anotherBand:
            let first = Locked<[UInt8]?>(nil)
            return { bytes in
                first.withLock { first in
                    if first == nil { first = bytes }
                    return first ?? bytes
                }
            }
        case .nothing:
            return { bytes in
                while true { sleep(3600) }
            }
        case .reversed:
            return { bytes in Array(bytes.reversed()) }
        case .deadly:
            let output = URL(fileURLWithPath: ProcessInfo.processInfo.environment["PROBE_DEADLY"] ?? "deadly")
            return { bytes in
                let own = output.appendingPathExtension("\(getpid())")
                // A link is made once, and of a whole file.
                if access(output.path, F_OK) != 0 {
                    try Data(bytes).write(to: own)
                    link(own.path, output.path)
                }
                if try Data(contentsOf: output) == Data(bytes) { _exit(9) }
                return bytes
            }
        case .weary:
            let count = Locked(0)
            return { bytes in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number > 8 { throw Weariness() }
                return bytes
            }
        }
    }
}

extension TaskTypes {
    /// The same types with altered outputs: `change` gets each encoded output, and an error that it throws becomes the
    /// scan's failure.
    fileprivate func answering(_ change: @escaping @Sendable ([UInt8]) throws -> [UInt8]) -> TaskTypes {
        observed { _, outcome, _ in
            guard case .output(let output) = outcome else { return outcome }
            do { return .output(try change(output)) } catch { return .failure("\(error)") }
        }
    }
}

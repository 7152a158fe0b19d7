import CEcho
import Foundation
import ScanCluster
import ScanNetwork
import ScanSecurity
import SkyScan

/// A child process that serves a measurement and prints its port when it is ready. It ends with this object, or when its
/// standard input ends.
final class ChildProcess {
    private let process = Process()
    private let input = Pipe()
    let port: UInt16
    private let host: String

    /// The address at which it serves.
    var address: String { "\(host):\(port)" }

    /// Starts this program in `role`, on this host or on another one of the lab; with an argument, if the role has one.
    init(_ role: ChildRole, on host: LabHost? = nil, argument: String? = nil) throws {
        let output = Pipe()
        self.host = host?.address ?? "127.0.0.1"
        let program = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        let command = (try host?.command ?? []) + [program.path, role.rawValue, argument ?? self.host]
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkError("the child process for \(role.rawValue) did not start")
        }
        self.port = port
    }

    /// Stops the process as Ctrl-Z does; it stays stopped until it ends.
    func stop() { kill(process.processIdentifier, SIGSTOP) }

    deinit {
        process.terminate()
        kill(process.processIdentifier, SIGCONT)
        process.waitUntilExit()
    }
}

/// The role of a child process; also its first argument.
enum ChildRole: String {
    case skyNode = "serve-sky-scans"
    case pixelNode = "serve-pixel-receivers"
    case nullNode = "serve-null-tasks"
    case clearSkyNode = "serve-sky-scans-in-clear"
    case clearNullNode = "serve-null-tasks-in-clear"
    case echo = "serve-echoes"
    case napNode = "serve-naps"
    /// Its argument is the address of a node.
    case napCoordinator = "run-naps"

    /// Serves at an address of `host` until standard input or the only connection ends.
    func serve(on host: String) async throws {
        switch self {
        case .skyNode: try Self.serve(.sky, on: host)
        case .pixelNode: try Self.serve(ReceivedPixels.taskTypes, on: host, slots: 2)
        case .nullNode: try Self.serve(TaskTypes(NullTask.self, ProbeTask.self), on: host)
        case .clearSkyNode: try Self.serve(.sky, on: host, .clear)
        case .clearNullNode: try Self.serve(TaskTypes(NullTask.self, ProbeTask.self), on: host, .clear)
        case .echo: try Self.serveEchoes()
        case .napNode: try Self.serve(TaskTypes(ShareNap.self), on: host, slots: ShareNap.slots)
        case .napCoordinator: try await Self.runNaps(at: host)
        }
    }

    private static func serve(_ taskTypes: TaskTypes, on host: String, slots: Int = 1, _ sessions: SessionMaker = .tls)
        throws
    {
        var options = NodeServer.Options()
        options.sessions = sessions
        let server = NodeServer(
            name: "node-\(getpid())", keys: try KeyStore.user().ring(), slots: slots, taskTypes: taskTypes,
            listen: "\(host):0", options: options)
        announce(try server.start().port)
        _ = FileHandle.standardInput.readDataToEndOfFile()
        server.stop()
    }

    private static func serveEchoes() throws {
        var port: UInt16 = 0
        let listener = cecho_listen(&port)
        guard listener >= 0 else { throw BenchmarkError("cannot listen on the loopback interface") }
        announce(port)
        _ = cecho_serve(listener)
    }

    private static func runNaps(at addresses: String) async throws {
        var isAnnounced = false
        try await ShareNap.run(at: addresses.split(separator: ",").map(String.init), weight: 1) { _ in
            // It has no port; this tells that it has a result.
            if !isAnnounced { announce(0) }
            isAnnounced = true
        }
    }

    private static func announce(_ port: UInt16) {
        FileHandle.standardOutput.write(Data("\(port)\n".utf8))
    }
}

/// Why a benchmark failed.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

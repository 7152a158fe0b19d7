import Foundation

/// A host of the lab in `Tests/lab`, which has its own network and a link of its own to the others.
struct LabHost {
    var number: Int

    /// Its address.
    var address: String { "10.77.0.\(number)" }

    private static var folder: String? { ProcessInfo.processInfo.environment["LAB"] }

    /// Whether this process is in a lab.
    static var isInLab: Bool { folder != nil }

    /// The command that runs another command in its network.
    /// - Throws: ``BenchmarkError`` if it is not up.
    var command: [String] {
        get throws {
            let file = "\(Self.folder ?? "")/\(number)/pid"
            guard let process = Int(try String(contentsOfFile: file, encoding: .utf8).filter(\.isNumber)) else {
                throw BenchmarkError("host \(number) of the lab is not up")
            }
            return ["/usr/bin/nsenter", "-t", "\(process)", "-n", "--"]
        }
    }

    /// Replaces this process by a lab of `hosts` hosts, on the last of which this program runs with `arguments`.
    /// - Throws: ``BenchmarkError`` if that fails.
    static func enter(hosts: Int, _ arguments: [String]) throws -> Never {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let lab = repository.appending(path: "Tests/lab/lab").path
        let program = Bundle.main.executableURL?.path ?? CommandLine.arguments[0]
        let run = #". "$LAB_HOME/functions.sh"; on "$@""#
        let command = ["/bin/bash", lab, "-n", "\(hosts)", "-4", "bash", "-c", run, "lab", "\(hosts)", program]
        setenv("LAB_NO_DAEMON", "1", 1)
        var words = (command + arguments).map { strdup($0) } + [nil]
        execv(command[0], &words)
        throw BenchmarkError("\(lab) cannot be started: \(String(cString: strerror(errno)))")
    }

    /// Limits what this host sends to so many bits per second; nil for no limit.
    static func limitLink(to bitsPerSecond: Int?) throws {
        // Fails if there is no limit yet.
        _ = try? trafficControl(["del", "root"])
        guard let bitsPerSecond else { return }
        // The burst has room for the largest packet before it is segmented, and for what a timer's delay leaves over.
        _ = try trafficControl([
            "add", "root", "tbf", "rate", "\(bitsPerSecond)bit", "burst", "256kb", "latency", "50ms",
        ])
    }

    /// Bytes that this host has sent since its link was limited, headers of frames included.
    static func sentBytes() throws -> Int {
        let text = try trafficControl(["show"], options: ["-s"])
        guard let number = text.firstMatch(of: /Sent (\d+) bytes/)?.output.1, let bytes = Int(number) else {
            throw BenchmarkError("tc printed no number of bytes: \(text)")
        }
        return bytes
    }

    private static func trafficControl(_ words: [String], options: [String] = []) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.environment = ProcessInfo.processInfo.environment.merging(["PATH": "/usr/sbin:/sbin:/usr/bin:/bin"]) {
            $1
        }
        process.arguments = ["tc"] + options + ["qdisc", words[0], "dev", "eth0"] + words.dropFirst()
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("tc qdisc \(words[0]) failed") }
        return text
    }
}

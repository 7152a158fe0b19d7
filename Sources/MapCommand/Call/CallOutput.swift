import CommandLineKit
import Console
import Foundation
import ProgramTask
import ScanBasics

/// The result of an item, and where it was computed.
struct CallResult: Sendable {
    var output: PythonOutput
    /// The system that called the function; nil if none did.
    var system: String?
    /// Whether an earlier run has called it.
    var isRecorded = false
}

/// Writes results in the order of their items to standard output, and keeps those that are early.
struct CallOutput: Sendable {
    private var early: [Int: CallResult] = [:]
    private var next = 0
    private let usesFrames: Bool
    private let descriptor: Int32

    init(usesFrames: Bool, to descriptor: Int32 = STDOUT_FILENO) {
        (self.usesFrames, self.descriptor) = (usesFrames, descriptor)
    }

    /// Adds the result of the item at `index`.
    /// - Returns: the number of items that were written.
    /// - Throws: `CommandError` if they cannot be written.
    mutating func add(_ result: CallResult, at index: Int) throws -> Int {
        early[index] = result
        let first = next
        while let result = early.removeValue(forKey: next) {
            try write(usesFrames ? Self.frame(result) : Self.line(result))
            next += 1
        }
        return next - first
    }

    /// The head of a frame, beside its value.
    private struct Head: Encodable {
        var error: String?
        var trace: [String]?
        var log: [String]
        var system: String?
        var seconds: Double
        var version: String
        var isRecorded: Bool
    }

    /// The length of a head in JSON, the head, the length of the value, and the value. Lengths have 64 bits, little endian.
    static func frame(_ result: CallResult) throws -> [UInt8] {
        let output = result.output
        let head = Head(
            error: output.failure, trace: output.failure == nil ? nil : output.trace, log: output.log,
            system: result.system, seconds: output.seconds, version: output.version, isRecorded: result.isRecorded)
        let text = Array(try JSONOutput.line(head).utf8)
        var bytes: [UInt8] = []
        for part in [text, output.value] {
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { bytes += $0 }
            bytes += part
        }
        return bytes
    }

    private struct Failure: Encodable {
        var error: String
        var trace: [String]
    }

    /// A line of JSON. A value is one that ``CallRun`` has checked.
    static func line(_ result: CallResult) throws -> [UInt8] {
        let output = result.output
        if let failure = output.failure {
            return Array(try JSONOutput.line(Failure(error: failure, trace: output.trace)).utf8)
        }
        let text = PythonValue.json(of: output.value)?.text ?? []
        return Array("{\"value\":".utf8) + text + Array("}\n".utf8)
    }

    private func write(_ bytes: [UInt8]) throws(CommandError) {
        let error = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        if let error { throw CommandError(error == EPIPE ? .brokenPipe : .output, "standard output", errno: error) }
    }
}

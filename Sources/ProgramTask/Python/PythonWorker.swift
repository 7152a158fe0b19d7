import CProgramBox
import Foundation
import ScanBasics
import ScanCluster

/// A process that calls functions of one module, one at a time, in a place of its own. It ends with this object, and all
/// processes that descend from it. Used by one thread at a time.
final class PythonWorker: Sendable {
    /// The answer of a worker to a call.
    struct Answer: Decodable {
        var version: String?
        /// The number of the call, which its request has.
        var call: Int?
        var stale: Bool?
        var ok: Bool?
        var error: String?
        var lines: [String]?
        var size: Int?
    }

    /// The end of a call.
    enum Reply {
        case value([UInt8])
        case failure(String, trace: [String])
        /// The module's source has changed since it was imported, or the worker has ended before the call began, for this
        /// reason if it is known: nothing was called.
        case stale(reason: String?)
        /// The worker has ended during the call, or was ended, for this reason.
        case ended(String)
    }

    /// Module and processors.
    struct Kind: Hashable {
        var module: String
        var cpus: Int
    }

    let kind: Kind
    /// Checksum of the module's source.
    let version: String
    private let place: ProgramPlace
    private let channel: OpenDescriptor
    private let limits: ProgramLimits
    /// The number of calls.
    private let calls = Locked(0)

    /// The error of the import of a module.
    struct ImportFailure: Error {
        var reason: String
        var trace: [String]
        var log: [String]
    }

    /// When a call must have ended.
    struct Deadline {
        var time: ContinuousClock.Instant
        /// Seconds from the beginning of the call.
        var seconds: Double

        init(after seconds: Double, from start: ContinuousClock.Instant) {
            (time, self.seconds) = (start + .seconds(min(seconds, 1e9)), seconds)
        }
    }

    /// How a worker is started.
    struct Start {
        var kind: Kind
        var words: [String]
        /// Its environment, but for the variables that name its folder.
        var variables: [String]
        var limits: ProgramLimits
    }

    /// Starts a worker, and waits until it has imported the module.
    /// - Parameters:
    ///   - start: its command.
    ///   - place: its folder.
    ///   - deadline: when the import must have ended.
    ///   - context: cancels the import.
    /// - Throws: ``ImportFailure``; ``ProgramRefusal``; `CancellationError`.
    init(
        _ start: Start, in place: ProgramPlace, until deadline: Deadline, _ context: ScanContext
    ) throws {
        (kind, self.place, limits) = (start.kind, place, start.limits)
        var ends: [Int32] = [-1, -1]
        let error = skyfarm_make_channel(&ends)
        guard error == 0 else { throw ProgramPlace.refusal("the channel of a worker", error) }
        channel = OpenDescriptor(ends[0])
        let other = OpenDescriptor(ends[1])
        let home = ["HOME=\(place.path)", "TMPDIR=\(place.path)", "PWD=\(place.path)"]
        try place.begin(start.words, start.variables + home, limits, channel: other.number)
        let first = try Self.reply(of: place, channel, limits, until: deadline, context)
        guard case .message(let answer, _) = first, let version = answer.version else {
            let log = Self.lines(of: place)
            switch first {
            case .message(let answer, _):
                throw ImportFailure(
                    reason: "\(kind.module) cannot be imported: \(answer.error ?? "unknown")",
                    trace: answer.lines ?? [],
                    log: log)
            case .ended(let reason, _):
                throw ImportFailure(reason: "\(kind.module) cannot be imported: \(reason)", trace: [], log: log)
            }
        }
        self.version = version
    }

    /// Calls a function.
    /// - Throws: `CancellationError`, after the worker has ended; ``ProgramRefusal``.
    func call(
        _ function: String, _ value: UnsafeRawBufferPointer, until deadline: Deadline,
        _ context: ScanContext
    ) throws -> Reply {
        let number = calls.withLock { calls in
            calls += 1
            return calls
        }
        let head = Array("{\"call\":\(number),\"function\":\"\(function)\",\"size\":\(value.count)}".utf8) + [0]
        var file: OpenDescriptor?
        var message = head
        if value.count <= Self.inline {
            message += value
        } else {
            let memory = skyfarm_make_memory_file(value.baseAddress, value.count)
            guard memory >= 0 else { throw ProgramPlace.refusal("the memory of a value", -memory) }
            file = OpenDescriptor(memory)
        }
        let error = message.withUnsafeBytes {
            skyfarm_send_call(channel.number, $0.baseAddress, $0.count, file?.number ?? -1)
        }
        // It has ended since its last call.
        if error == EPIPE || error == ECONNRESET { return .stale(reason: nil) }
        guard error == 0 else { throw ProgramPlace.refusal("the call of a function", error) }
        switch try Self.reply(of: place, channel, limits, until: deadline, context) {
        case .ended(let reason, let isIdle): return isIdle ? .stale(reason: reason) : .ended(reason)
        case .message(let answer, let bytes):
            // A process that the function has left, for example, may have sent another one.
            guard answer.call == number else { throw Self.strangeAnswer }
            if answer.stale == true { return .stale(reason: nil) }
            if answer.ok == true { return .value(bytes) }
            return .failure(answer.error ?? "the worker gave no reason", trace: answer.lines ?? [])
        }
    }

    /// The last lines that were written since the last call of this function.
    func takeLines() -> [String] {
        let lines = Self.lines(of: place)
        for file in [place.output, place.errors] { ftruncate(file.number, 0) }
        return lines
    }

    /// Removes the files that a call has left.
    /// - Returns: false if that is not possible, or the worker's other files have grown to half of the limit.
    func isCleared() -> Bool {
        let number = openat(place.folder.number, "item", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { return false }
        let folder = OpenDescriptor(number)
        return skyfarm_empty_folder(place.folder.number, "item", folder.number) != 0
            && skyfarm_tree_bytes(place.folder.number, 200_000) < limits.disk / 2
    }

    // MARK: Messages

    /// Bytes of a value that travels in the message itself.
    private static let inline = 32 << 10
    /// Most bytes of a message.
    private static let longest = 160 << 10

    /// The only byte of the message with which a worker begins a call.
    private static let begins: UInt8 = 1

    private enum Message {
        case message(Answer, [UInt8])
        /// `isIdle` is true if the worker has ended by itself, and had not begun a call.
        case ended(String, isIdle: Bool)
    }

    /// Waits for a message, and ends the worker at the deadline or once `context` is cancelled.
    private static func reply(
        of place: ProgramPlace, _ channel: OpenDescriptor, _ limits: ProgramLimits,
        until deadline: Deadline, _ context: ScanContext
    ) throws -> Message {
        var bytes = [UInt8](repeating: 0, count: longest)
        var (reply, result) = (skyfarm_reply(), skyfarm_program_result())
        var isEnding: String?
        var isIdle = true
        while true {
            let answer = bytes.withUnsafeMutableBytes {
                skyfarm_await_reply(
                    place.supervisorSocket, channel.number, 20, $0.baseAddress, $0.count, &reply, &result)
            }
            if answer < 0 { return .ended("its supervisor has ended", isIdle: isIdle && isEnding == nil) }
            if answer == 2 {
                if context.isCancelled { throw CancellationError() }
                if place.hasExceededMemory { result.end = skyfarm_program_out_of_memory.rawValue }
                return .ended(isEnding ?? reason(result, limits), isIdle: isIdle && isEnding == nil)
            }
            if answer == 3, isEnding == nil { throw strangeAnswer }
            if answer == 1 {
                let file = reply.file < 0 ? nil : OpenDescriptor(reply.file)
                if bytes.prefix(reply.count) == [begins] {
                    isIdle = false
                    continue
                }
                if isEnding == nil { return try message(bytes[..<reply.count], file) }
            }
            if isEnding == nil, context.isCancelled || ContinuousClock.now >= deadline.time {
                isEnding = "took longer than \(deadline.seconds) s"
                skyfarm_cancel_program(place.supervisorSocket)
            }
        }
    }

    private static let strangeAnswer = ProgramRefusal(
        "a worker's answer cannot be read: its channel was written to by the module")

    private static func message(_ bytes: ArraySlice<UInt8>, _ file: OpenDescriptor?) throws -> Message {
        let head = bytes.prefix { $0 != 0 }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(head)) else {
            throw strangeAnswer
        }
        guard let file else { return .message(answer, Array(bytes.dropFirst(head.count + 1))) }
        let size = skyfarm_memory_file_size(file.number)
        guard size >= 0, Int(size) == answer.size else {
            throw ProgramRefusal("a worker's answer has another size than it says")
        }
        guard size <= PythonTask.valueLimit else {
            return .message(
                Answer(error: "the result has more than \(PythonTask.valueLimit >> 20) MiB", lines: []), [])
        }
        return .message(answer, try file.bytes(at: 0, count: Int(size)))
    }

    /// The reason for which a worker has ended.
    private static func reason(_ result: skyfarm_program_result, _ limits: ProgramLimits) -> String {
        switch skyfarm_program_end(result.end) {
        case skyfarm_program_ended:
            result.value < 0
                ? "ended the worker by signal \(-result.value)" : "ended the worker with exit code \(result.value)"
        case skyfarm_program_not_started:
            "the interpreter cannot be started: \(String(cString: strerror(result.value)).lowercased())"
        case skyfarm_program_out_of_memory: "used more than \(limits.mostMemory >> 20) MiB of memory"
        case skyfarm_program_out_of_disk: "wrote more than \(limits.disk >> 20) MiB to its folder"
        case skyfarm_program_out_of_processes: "ran more than \(limits.processes) processes"
        default: "was ended"
        }
    }

    private static func lines(of place: ProgramPlace) -> [String] {
        let limit = PythonOutput.lineLimit
        return [place.output, place.errors].flatMap { file -> [String] in
            let size = file.status?.size ?? 0
            let count = min(size, Int64(limit.bytes * limit.count / 2))
            guard count > 0, let bytes = try? file.bytes(at: size - count, count: Int(count)) else { return [] }
            return bytes.split(separator: UInt8(ascii: "\n")).suffix(limit.count / 2)
                .map { String(decoding: $0.suffix(limit.bytes), as: UTF8.self) }
        }
    }
}

extension PythonWorker.Answer {
    fileprivate init(error: String, lines: [String]) { (self.error, self.lines) = (error, lines) }
}

extension ProgramPlace {
    /// Starts a worker in the folder, with its end of a channel.
    /// - Throws: ``ProgramRefusal``.
    func begin(
        _ words: [String], _ variables: [String], _ limits: ProgramLimits, channel: Int32
    ) throws(ProgramRefusal) {
        var values = limits.values
        // Calls have limits, not the worker.
        values.milliseconds = 0
        let request = ProgramSupervisor.request(folder: name, words, variables, values)
        let descriptors = self.descriptors + [channel]
        let error = request.withUnsafeBytes {
            skyfarm_send_program(supervisorSocket, $0.baseAddress, $0.count, descriptors, descriptors.count)
        }
        guard error == 0 else { throw Self.refusal("the worker's process", error) }
    }
}

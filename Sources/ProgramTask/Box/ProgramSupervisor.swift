import CProgramBox
import Foundation
import ScanBasics
import ScanCluster

/// How a program ended, and what it used.
struct ProgramResult: Sendable {
    var end: skyfarm_program_end
    /// Exit code, negated signal, or error number.
    var value: Int32
    var killed: Int
    var survivors: Int
    var seconds: Double
    var processorSeconds: Double
}

/// A process that runs programs for this one. It ends with this object, or with this process, and takes with it what
/// it runs.
final class ProgramSupervisor: Sendable {
    let socket: OpenDescriptor
    /// Number of requests without a result.
    private let open = Locked(0)

    /// - Throws: ``ProgramRefusal``.
    init(_ command: [String]) throws(ProgramRefusal) {
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var (number, process): (Int32, pid_t) = (-1, 0)
        let error = skyfarm_start_supervisor(&words, &number, &process)
        guard error == 0 else { throw ProgramPlace.refusal("the supervisor of the program", error) }
        socket = OpenDescriptor(number)
        // A process that has ended must be waited for, and nothing else waits for this one.
        let waited = process
        Thread.detachNewThread { while waitpid(waited, nil, 0) < 0, errno == EINTR {} }
    }

    /// The message that starts a program.
    static func request(
        folder: String, _ words: [String], _ variables: [String], _ limits: skyfarm_program_limits
    ) -> [UInt8] {
        let head = skyfarm_program_request(
            limits: limits, words: UInt32(words.count), variables: UInt32(variables.count))
        var bytes = withUnsafeBytes(of: head) { Array($0) }
        for text in [folder] + words + variables {
            bytes += text.utf8
            bytes.append(0)
        }
        return bytes
    }

    /// Sends the request of a program, which begins as soon as the one before it has ended. At most two have no result.
    /// - Throws: ``ProgramRefusal`` if the supervisor has ended.
    func send(_ request: [UInt8], _ descriptors: [Int32]) throws(ProgramRefusal) {
        let error = request.withUnsafeBytes {
            skyfarm_send_program(socket.number, $0.baseAddress, $0.count, descriptors, descriptors.count)
        }
        guard error == 0 else { throw ProgramPlace.refusal("the program's process", error) }
        open.withLock { $0 += 1 }
    }

    /// Waits for the result of the earliest request that has none, and asks the supervisor to end its program once
    /// `context` is cancelled.
    /// - Throws: ``ProgramRefusal`` if the supervisor has ended; `CancellationError`, after all requests have results.
    func result(_ context: ScanContext) throws -> ProgramResult {
        while true {
            if let result = try nextResult(within: 20) {
                if context.isCancelled { try endAll(with: CancellationError()) }
                return result
            }
            if context.isCancelled { try endAll(with: CancellationError()) }
        }
    }

    /// Ends the program that runs, and waits until all requests have results.
    /// - Throws: `error`, or ``ProgramRefusal`` if the supervisor has ended.
    func endAll(with error: any Error) throws -> Never {
        if open.withLock({ $0 }) > 0 { skyfarm_cancel_program(socket.number) }
        while open.withLock({ $0 }) > 0 { _ = try nextResult(within: 1000) }
        throw error
    }

    /// Waits for a result; nil if the time is over.
    private func nextResult(within milliseconds: Int32) throws(ProgramRefusal) -> ProgramResult? {
        var result = skyfarm_program_result()
        let answer = skyfarm_await_program(socket.number, milliseconds, &result)
        if answer < 0 {
            open.withLock { $0 = 0 }
            throw ProgramRefusal("the supervisor of the program has ended")
        }
        if answer == 0 { return nil }
        open.withLock { $0 -= 1 }
        return ProgramResult(
            end: skyfarm_program_end(result.end), value: result.value, killed: Int(result.killed),
            survivors: Int(result.survivors), seconds: Double(result.elapsed) / 1e6,
            processorSeconds: Double(result.microseconds) / 1e6)
    }
}

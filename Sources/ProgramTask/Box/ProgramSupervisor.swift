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

    /// Runs a program, and asks the supervisor to end it once `context` is cancelled.
    /// - Throws: ``ProgramRefusal`` if the supervisor has ended; `CancellationError`.
    func run(_ request: [UInt8], _ descriptors: [Int32], _ context: ScanContext) throws -> ProgramResult {
        let start = ContinuousClock.now
        let error = request.withUnsafeBytes {
            skyfarm_send_program(socket.number, $0.baseAddress, $0.count, descriptors, descriptors.count)
        }
        guard error == 0 else { throw ProgramPlace.refusal("the program's process", error) }
        var result = skyfarm_program_result()
        var isCancelled = false
        while true {
            let answer = skyfarm_await_program(socket.number, isCancelled ? 1000 : 20, &result)
            if answer < 0 { throw ProgramRefusal("the supervisor of the program has ended") }
            if answer > 0 { break }
            if !isCancelled, context.isCancelled {
                isCancelled = true
                skyfarm_cancel_program(socket.number)
            }
        }
        if isCancelled { throw CancellationError() }
        return ProgramResult(
            end: skyfarm_program_end(result.end), value: result.value, killed: Int(result.killed),
            survivors: Int(result.survivors), seconds: (ContinuousClock.now - start) / .seconds(1),
            processorSeconds: Double(result.microseconds) / 1e6)
    }
}

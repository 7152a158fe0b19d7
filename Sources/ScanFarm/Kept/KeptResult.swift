public import ScanCluster

/// An output that stays on the system that has computed it.
///
/// ```swift
/// var kept: [KeptResult<Render>] = []
/// for try await response in farm.responses(keeping: frames) { kept.append(try response.get()) }
/// let first = try await farm.value(of: kept[0])
/// ```
///
/// The system keeps it as long as `KeptResults.limit(bytes:lifetime:)` there allows, and its process lives. If it is lost, the
/// task is done again where its output is needed, or ``KeptResultLost`` is thrown: see ``IfLost``.
public struct KeptResult<Work: ScanTask>: Sendable {
    /// What happens if the output is wanted and is not kept any more.
    public enum IfLost: Sendable {
        /// The task is done again, anywhere.
        case computeAgain
        /// ``KeptResultLost`` is thrown.
        case fail
    }

    /// The task.
    public let task: Work
    /// Name of the system that keeps its output.
    public let system: String
    /// Bytes that the output takes there.
    public let byteCount: Int
    let handle: KeptHandle
    /// The bulk bytes of the task, with which it is done again.
    let bulk: (@Sendable (Work) -> BulkSource?)?
}

/// An output that was to stay on a system is not there any more.
public struct KeptResultLost: Error, Equatable, CustomStringConvertible {
    /// Name of the system that kept it.
    public let system: String

    /// The cause and the remedy, in one line.
    public var description: String {
        "\(system) does not keep the result any more: it has ended, or has dropped it; with ifLost: .computeAgain the task"
            + " is done again"
    }
}

/// The response to a task whose output stays where it was computed.
public struct KeptResponse<Work: ScanTask>: Sendable {
    /// The task.
    public let task: Work
    /// Where its output is, or why there is none.
    public let result: Result<KeptResult<Work>, TaskFailure>

    /// Where the output is.
    /// - Throws: the failure of the task.
    public func get() throws(TaskFailure) -> KeptResult<Work> { try result.get() }
}

/// The responses to tasks whose outputs stay where they are computed, one for each, in the order of completion.
public struct KeptResponses<Work: ScanTask>: AsyncSequence, Sendable {
    /// A value of the sequence.
    public typealias Element = KeptResponse<Work>

    let responses: TaskResponses<Keeping<Work>>
    /// The tasks that are open, by their places.
    let open: Locked<[Int: Work]>
    let bulk: (@Sendable (Work) -> BulkSource?)?

    /// Begins the run.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(responses: responses.makeAsyncIterator(), open: open, bulk: bulk)
    }

    /// Takes the responses.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var responses: TaskResponses<Keeping<Work>>.AsyncIterator
        fileprivate let open: Locked<[Int: Work]>
        fileprivate let bulk: (@Sendable (Work) -> BulkSource?)?

        /// The next response; nil after the last one.
        /// - Throws: `ScanError` if the run ends early.
        public mutating func next() async throws -> KeptResponse<Work>? {
            while let response = try await responses.next() {
                guard let task = open.withLock({ $0.removeValue(forKey: response.index) }) else { continue }
                return KeptResponse(task: task, result: result(response, task))
            }
            return nil
        }

        private func result(
            _ response: TaskResponse<Keeping<Work>>, _ task: Work
        ) -> Result<KeptResult<Work>, TaskFailure> {
            response.result.flatMap { output in
                guard let handle = output.handle else {
                    return .failure(
                        TaskFailure(message: "nothing was kept", system: response.system, attempt: response.attempt))
                }
                return .success(
                    KeptResult(
                        task: task, system: response.system, byteCount: output.byteCount, handle: handle, bulk: bulk))
            }
        }
    }
}

/// Tasks as they are pulled, with their places.
struct KeepingTasks<Tasks: Sequence & Sendable>: Sequence, Sendable where Tasks.Element: ScanTask {
    let tasks: Tasks
    let open: Locked<[Int: Tasks.Element]>

    func makeIterator() -> AnyIterator<Keeping<Tasks.Element>> {
        var tasks = tasks.makeIterator()
        var place = 0
        return AnyIterator {
            guard let task = tasks.next() else { return nil }
            open.withLock { [place] in $0[place] = task }
            place += 1
            return Keeping(.keep(task), of: task.id)
        }
    }
}

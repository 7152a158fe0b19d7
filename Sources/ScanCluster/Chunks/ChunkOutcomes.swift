/// What came of the tasks of a chunk, in their order.
///
/// The outputs lie together, without the few failures between them: coding the former then takes little more than they
/// do by themselves.
package struct ChunkOutcomes<Output: Codable & Sendable>: Codable, Sendable {
    /// Why a task threw.
    package struct Failure: Error, Codable, Sendable {
        /// The task's place in the chunk, from 0.
        let place: Int
        package let message: String
    }
    private var outputs: [Output] = []
    private var failures: [Failure] = []

    /// Of no tasks yet.
    package init() {}

    /// Number of tasks.
    package var count: Int { outputs.count + failures.count }

    /// The next task gave an output.
    package mutating func append(_ output: Output) { outputs.append(output) }

    /// The next task threw.
    package mutating func append(failure message: String) {
        failures.append(Failure(place: count, message: message))
    }

    /// Whether each failure has a place of its own, in order.
    package var isSound: Bool {
        var last = -1
        for failure in failures {
            guard last < failure.place, failure.place < count else { return false }
            last = failure.place
        }
        return true
    }
}

extension ChunkOutcomes: Sequence {
    /// Hands out one result per task.
    package struct Iterator: IteratorProtocol {
        private var place = 0
        private var outputs: Array<Output>.Iterator
        private var failures: ArraySlice<Failure>

        fileprivate init(_ outputs: [Output], _ failures: [Failure]) {
            self.outputs = outputs.makeIterator()
            self.failures = failures[...]
        }

        /// What came of the next task; nil behind the last.
        package mutating func next() -> Result<Output, Failure>? {
            defer { place += 1 }
            if let failure = failures.first, failure.place == place {
                failures.removeFirst()
                return .failure(failure)
            }
            return outputs.next().map { .success($0) }
        }
    }

    package func makeIterator() -> Iterator { Iterator(outputs, failures) }
}

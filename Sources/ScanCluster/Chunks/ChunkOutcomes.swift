/// Outputs and failures of the tasks of a chunk, in their order.
///
/// The outputs are stored together, without the few failures between them: coding a chunk then takes little longer than
/// coding its outputs alone.
package struct ChunkOutcomes<Output: Codable & Sendable>: Codable, Sendable {
    /// Why a task threw.
    package struct Failure: Error, Codable, Sendable {
        /// The task's place in the chunk, from 0.
        let place: Int
        package let message: String
    }
    private var outputs: [Output] = []
    private var failures: [Failure] = []

    package init() {}

    package var count: Int { outputs.count + failures.count }

    /// The next task returned an output.
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

    /// Calls `body` with the output or failure of each task, in their order.
    package func forEach(_ body: (_ place: Int, Result<Output, Failure>) throws -> Void) rethrows {
        try forEachPlace { place, kind, index in
            switch kind {
            case .output: try body(place, .success(outputs[index]))
            case .failure: try body(place, .failure(failures[index]))
            }
        }
    }

    /// Calls `body` with the outputs, in their order.
    package func forEachOutput(_ body: (_ place: Int, Output) throws -> Void) rethrows {
        try forEachPlace { place, kind, index in
            if kind == .output { try body(place, outputs[index]) }
        }
    }

    private enum Kind { case output, failure }

    /// Calls `body` with the tasks' places, and the index of each output or failure among its kind.
    private func forEachPlace(_ body: (_ place: Int, Kind, _ index: Int) throws -> Void) rethrows {
        var (given, failed) = (0, 0)
        for place in 0..<count {
            if failed < failures.count, failures[failed].place == place {
                try body(place, .failure, failed)
                failed += 1
            } else if given < outputs.count {
                try body(place, .output, given)
                given += 1
            }
        }
    }
}

internal import Dispatch
internal import Synchronization

/// Threads that work side by side.
package struct Slots: Sendable {
    /// Number of threads, at least 1.
    package let count: Int

    package init(_ count: Int) { self.count = max(1, count) }

    /// Calls `body` for each index, in any order, and returns the results in the order of the indices.
    package func map<Value>(_ indices: Range<Int>, _ body: (Int) throws -> Value) -> [Result<Value, any Error>] {
        if count == 1 || indices.count <= 1 { return indices.map { index in Result { try body(index) } } }
        let next = Atomic<Int>(indices.lowerBound)
        var results = [Result<Value, any Error>?](repeating: nil, count: indices.count)
        results.withUnsafeMutableBufferPointer { results in
            // Each place is written by one thread.
            nonisolated(unsafe) let (results, body) = (results, body)
            withoutActuallyEscaping(body) { body in
                nonisolated(unsafe) let body = body
                DispatchQueue.concurrentPerform(iterations: min(count, indices.count)) { _ in
                    while true {
                        let index = next.add(1, ordering: .relaxed).oldValue
                        if index >= indices.upperBound { return }
                        results[index - indices.lowerBound] = Result { try body(index) }
                    }
                }
            }
        }
        return results.compactMap(\.self)
    }

    /// Calls `body` for each index, in any order.
    /// - Throws: the error of the least index that has one.
    package func forEach(_ indices: Range<Int>, _ body: (Int) throws -> Void) throws {
        for result in map(indices, body) { try result.get() }
    }
}

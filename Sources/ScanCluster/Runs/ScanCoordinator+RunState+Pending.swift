extension ScanCoordinator.RunState.Ledger {
    /// The look-ahead of a run: tasks that wait for a system, most urgent first. Removing one near the front is cheap.
    package struct Pending: RandomAccessCollection, Sendable {
        // Elements before `head` were taken.
        private var storage: [PendingTask] = []
        private var head = 0

        package init() {}

        package var startIndex: Int { head }
        package var endIndex: Int { storage.count }
        package subscript(position: Int) -> PendingTask { storage[position] }

        /// Adds the least urgent task of its priority. Suspects are behind all others.
        package mutating func append(_ task: PendingTask) {
            var end = storage.count
            while end > head, storage[end - 1].request.rank < task.request.rank { end -= 1 }
            storage.insert(task, at: end)
        }

        /// What a task that waits asks for has changed: it waits as if it were added now. Nothing happens if it does
        /// not wait.
        package mutating func change(_ task: PendingTask) {
            guard let position = firstIndex(where: { $0.entry == task.entry }) else { return }
            _ = remove(atOffset: position - head)
            append(task)
        }

        /// Adds the most urgent task of its priority; one that has to wait for a time is the least urgent.
        package mutating func prepend(_ task: PendingTask) {
            if task.request.notBefore != nil { return append(task) }
            if head < storage.count, storage[head].request.rank > task.request.rank {
                let place = storage[head...].firstIndex { $0.request.rank <= task.request.rank }
                return storage.insert(task, at: place ?? storage.count)
            }
            if head > 0 {
                head -= 1
                storage[head] = task
            } else {
                storage.insert(task, at: 0)
            }
        }

        /// Removes the task `offset` places behind the most urgent one.
        package mutating func remove(atOffset offset: Int) -> PendingTask {
            let task = storage[head + offset]
            for index in stride(from: head + offset, to: head, by: -1) { storage[index] = storage[index - 1] }
            head += 1
            if head == storage.count {
                storage.removeAll(keepingCapacity: true)
                head = 0
            } else if head >= 512, head * 2 > storage.count {
                storage.removeFirst(head)
                head = 0
            }
            return task
        }
    }
}

extension TaskRequest {
    /// The place of the task among those that wait: the highest is first.
    fileprivate var rank: Int { isSuspect ? .min : priority }
}

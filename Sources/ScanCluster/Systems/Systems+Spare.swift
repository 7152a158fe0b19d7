extension Systems {
    /// Starts processes of this machine for tasks with which another process has ended.
    struct Spares {
        let start: @Sendable (_ most: Int) async -> Bool
        var isStarting = false
    }

    /// Tasks with which a process has ended do not run in this process: `start` is called when they have to wait, with
    /// their number. It joins systems of other processes (``ScanSystem/Link/isSpare``), and returns whether there is one.
    package func offer(spares start: @escaping @Sendable (_ most: Int) async -> Bool) {
        registry.withLock { registry in
            registry.spares = Spares(start: start)
            registry.state.hasSpares = true
        }
    }

    /// Starts other processes if the most urgent task is a suspect, and none of those that were started is left. All
    /// other tasks are done or in flight then.
    func requestSpares(for pending: some Collection<PendingTask>, on executor: (any TaskExecutor)?) {
        guard pending.first?.request.isSuspect == true else { return }
        let start: (@Sendable (Int) async -> Bool)? = registry.withLock { registry in
            guard registry.state.hasSpares, let spares = registry.spares, !spares.isStarting,
                !registry.state.members.contains(where: \.isSpare)
            else { return nil }
            registry.spares?.isStarting = true
            return spares.start
        }
        guard let start else { return }
        let count = pending.count
        Task(executorPreference: executor) { [self] in
            let hasStarted = await start(count)
            change { registry in
                registry.spares?.isStarting = false
                registry.state.hasSpares = hasStarted
                return true
            }
        }
    }
}

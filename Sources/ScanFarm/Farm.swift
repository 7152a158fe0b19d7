#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ScanCluster
public import ScanDiscovery
public import ScanNetwork
public import ScanSecurity

/// A coordinator with connections to nodes and slots of its own, ready to run tasks.
///
/// A farm owns a ``ScanNode`` that does not serve. The node connects the nodes at given addresses and those that are
/// discovered, and lists them in ``systems``; ``coordinator`` distributes tasks among these systems and returns the
/// responses. The farm must be closed; `withFarm` does so by itself.
///
/// ```swift
/// let farm = try await Farm(running: PrimeCount.self)
/// for try await response in farm.responses(to: tasks) { print(try response.get()) }
/// await farm.close()
/// ```
public final class Farm: Sendable {
    /// The node of this process.
    public let node: ScanNode
    let journal: FarmJournal?

    /// The coordinator, which runs tasks on all systems of the farm. Its own runs have no journal and are not shown on the
    /// page.
    public var coordinator: ScanCoordinator { node.coordinator }
    /// Registry of the systems that are reachable now and of the known peers.
    public var systems: Systems { node.systems }
    /// Connections to the nodes.
    public var nodes: RemoteNodes { node.connections }

    /// Connects nodes at given addresses and nodes that are discovered. Nodes join and leave until the farm is closed;
    /// connections to given addresses are retried after a failure.
    ///
    /// Returns when the first attempt to connect each address has ended and, if nodes are discovered, when there is a
    /// system that can run a task.
    /// - Parameters:
    ///   - types: types of task that a node must support, as in `running: PrimeCount.self`. A node that does not
    ///     support one of them is not used, and ``unusableNodes`` has the reason. Without types, this shows only when a
    ///     node declines its first task of an unknown type.
    ///   - addresses: addresses of nodes, `HOST:PORT`.
    ///   - sources: sources of announcements of nodes; by default DNS-SD if no address is given, and none otherwise.
    ///   - keys: cluster keys, of which a node must hold one; by default those of this user, see `KeyStore.user()`.
    ///   - localSlots: number of tasks that this process runs at a time, 0 for none; by default as many as this machine has
    ///     processors, so that a program runs on one machine, too. Nodes of this machine that are discovered are then not
    ///     used, since they have the same processors.
    ///   - localTags: capabilities of this process that tasks may require, see `ScanTask.requiredTags`.
    ///   - wait: maximum time to wait for the first discovered node.
    ///   - journal: file to which responses are recorded before they are returned. A further run of the program with the
    ///     same file returns the recorded responses and runs only the other tasks, also after a crash. The file is made
    ///     if it does not exist. IDs of tasks must differ, and what a task depends on must be in its value or in the
    ///     value that the tasks share: bulk bytes are not compared. Failures are not recorded. Files with the same name and
    ///     the endings `-wal`, `-shm` and `.lock` belong to it.
    ///   - page: shows the tasks of the farm until it is closed, such as a `LivePage` of `SkyfarmKit`.
    ///   - options: limits of a scan.
    ///   - remote: how to connect.
    ///   - loop: the I/O thread.
    /// - Throws: the `ConnectError` of the first node which cannot be used, or `ScanError` if there is none. If
    ///   local slots are a default only, the first is thrown also if nodes were named and none of them can be used;
    ///   `KeyError` if the user's keys cannot be used; `SetupError` if two types have the same name, or slots cannot be
    ///   used; `ScanError` with `journal` if another process uses the journal, it cannot be written, or it is that of
    ///   another program or of other types.
    public init<each Work: ScanTask>(
        running types: repeat (each Work).Type, nodes addresses: [String] = [],
        discovering sources: [any ServiceDiscovery]? = nil, keys: KeyRing? = nil, localSlots: Int? = nil,
        localTags: Set<String> = [], wait: Duration = .seconds(5), journal: URL? = nil,
        page: (any StatusPage)? = nil, options: ScanCoordinator.Options = .init(),
        remote: RemoteNodes.Options = .init(), loop: EventLoop = .shared
    ) async throws {
        if let problem = SetupError(running: repeat each types) { throw problem }
        var remote = remote
        repeat remote.taskTypes.append((each Work).typeName)
        self.journal = try await FarmJournal.open(journal, types: remote.taskTypes)
        node = ScanNode(
            keys: try keys ?? KeyStore.user().ring(), nodes: addresses,
            discovering: sources ?? (addresses.isEmpty ? [DNSServiceDiscovery()] : []),
            localSlots: localSlots ?? ProcessInfo.processInfo.activeProcessorCount, localTags: localTags,
            options: options, remote: remote, page: page, loop: loop)
        do {
            try node.start()
            try await node.ready(within: wait)
            if localSlots == nil { try await node.checkNamed() }
        } catch {
            await close()
            throw error
        }
    }

    /// Why nodes that were named or discovered are not used at present, such as one that does not know a type of task.
    public var unusableNodes: [ConnectError] {
        get async {
            await nodes.states.compactMap { state in
                if case .failed(let error) = state.status { error } else { nil }
            }
        }
    }

    /// Runs `tasks` on all systems of the farm; see `ScanCoordinator.responses(to:bulk:observer:)`. With a journal, tasks
    /// whose responses it has are not run, and a response is returned when it is durable. The sequence then throws
    /// `ScanError` with `journal` if the file cannot be written or has a response to a task with the same ID and other
    /// values, or two tasks have the same ID.
    public func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, bulk: (@Sendable (Work) -> BulkSource?)? = nil,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> TaskResponses<Work> {
        let observer = node.page?.observing(Work.typeName, observer) ?? observer
        guard let journal else { return coordinator.responses(to: tasks, bulk: bulk, observer: observer) }
        return responses(to: tasks, in: journal) { [coordinator] in
            coordinator.responses(to: $0, bulk: bulk, observer: observer)
        }
    }

    /// Runs `tasks` on all systems of the farm, of which short ones are sent and run together, at most `limit` in one
    /// message; see `ScanCoordinator.responses(to:inChunksOf:observer:)`.
    public func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, inChunksOf limit: Int,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> TaskResponses<Work> {
        let observer = node.page?.observing(Work.typeName, observer) ?? observer
        guard let journal else { return coordinator.responses(to: tasks, inChunksOf: limit, observer: observer) }
        return responses(to: tasks, in: journal) { [coordinator] in
            coordinator.responses(to: $0, inChunksOf: limit, observer: observer)
        }
    }

    /// Runs the tasks that `tasks` yields while the run goes on; see `ScanCoordinator.responses(to:observer:bulk:)`.
    public func responses<Tasks: AsyncSequence & Sendable>(
        to tasks: Tasks, observer: (@Sendable (TaskEvent) -> Void)? = nil,
        bulk: (@Sendable (Tasks.Element) -> BulkSource?)? = nil
    ) -> TaskResponses<Tasks.Element> where Tasks.Element: ScanTask {
        guard journal == nil else { return Self.withoutJournal() }
        let observer = node.page?.observing(Tasks.Element.typeName, observer) ?? observer
        return coordinator.responses(to: tasks, observer: observer, bulk: bulk)
    }

    /// Runs `tasks`, and those that follow from their responses; see
    /// `ScanCoordinator.responses(to:observer:followedBy:)`.
    public func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, observer: (@Sendable (TaskEvent) -> Void)? = nil,
        followedBy next: @escaping @Sendable (TaskResponse<Work>) throws -> [Work]
    ) -> TaskResponses<Work> {
        guard journal == nil else { return Self.withoutJournal() }
        let observer = node.page?.observing(Work.typeName, observer) ?? observer
        return coordinator.responses(to: tasks, observer: observer, followedBy: next)
    }

    /// Runs by `run` the tasks whose responses `journal` does not have, and shows the others on the page.
    func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, sharing shared: BulkKey? = nil, in journal: FarmJournal,
        by run: @escaping @Sendable (JournalledTasks<Work>) -> TaskResponses<Work>
    ) -> TaskResponses<Work> {
        journal.responses(
            to: tasks, sharing: shared, buffer: coordinator.options.responseBuffer,
            onRecorded: { [page = node.page] in page?.noteRecorded(type: Work.typeName) }, by: run)
    }

    /// Responses that end with an error: tasks that are added during a run are not recorded.
    private static func withoutJournal<Work: ScanTask>() -> TaskResponses<Work> {
        TaskResponses(capacity: 1) { _ throws(ScanError) in
            throw ScanError(
                .journal,
                "a farm with a journal runs a sequence of tasks that are known beforehand; "
                    + "use a farm without one for tasks that are added during the run")
        }
    }

    /// The progress of the run that is under way, or of the next one: a value at once, every half second, and at the end.
    ///
    /// ```swift
    /// let progress = farm.progress
    /// async let shown: Void = { for await state in progress { print(state) } }()
    /// for try await response in farm.responses(to: tasks) { use(try response.get()) }
    /// await shown
    /// ```
    ///
    /// Take it before the run, so that it has the run's end however short that is; `Systems.progress(every:)` has the
    /// rest, with other intervals.
    public var progress: RunProgress.Updates { systems.progress() }

    /// Closes the connections, ends the local slots, and closes journal and page. Attempts of running scans are lost.
    public func close() async {
        await node.close()
        await journal?.close()
    }
}

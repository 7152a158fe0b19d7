/// Decides whether a system takes a task over from those that hold its bulk bytes, which have no room for it now. Pure.
///
/// It pays if the bytes reach the system, and the task is done there, before its holder has done all that waits for it.
/// The time of the transfer counts twice, since the link is then not free for others: over a slow link a band waits for
/// its node, over a fast one an idle node takes it.
struct Relief {
    /// Cost of the pending tasks for which each member waits that holds their bytes.
    private var backlog: [Int: Double] = [:]
    private var holders: [BulkKey: Int] = [:]

    /// Bytes per second that are expected of a network before it was used: 1 Gbit/s.
    private static let assumedRate = 118e6

    /// For the choice among `pending`.
    init(
        of state: SystemsState, from pending: some Sequence<PendingTask>, excluding excluded: Set<SystemID>,
        at now: Instant
    ) {
        let usable = state.members.indices.filter { index in
            state.members[index].isUsable(at: now) && !excluded.contains(state.members[index].id)
        }
        for task in pending {
            guard let key = task.request.key else { continue }
            let index = usable.first { index in
                let member = state.members[index]
                return member.held.contains(key) && !task.request.avoiding.contains(member.id)
                    && task.request.suits(member.tags)
            }
            guard let index else { continue }
            backlog[index, default: 0] += task.request.cost
            holders[key] = index
        }
    }

    /// Whether the task of `request` is to go to the member at `index`.
    func pays(_ index: Int, for request: TaskRequest, in state: SystemsState) -> Bool {
        guard let holder = request.key.flatMap({ holders[$0] }) else { return true }
        let wait = state.seconds(for: backlog[holder] ?? 0, at: holder)
        let transfer: Double
        if request.isRelayed {
            // Systems that are closer to the bytes come first: without a measurement nothing is known of the wait.
            if state.members[holder].throughput.rate == nil { return false }
            transfer = state.bulkPace.seconds(for: request.bytes, assumed: Self.assumedRate)
        } else {
            transfer = state.members[index].isLocal ? 0 : state.bulkPace.seconds(for: request.bytes)
        }
        return state.seconds(for: request.cost, at: index, alone: true) + 2 * transfer < wait
    }
}

extension SystemsState {
    /// The expected time until a member has done what is in flight to it, and then work of `cost`: on all its slots, or,
    /// if it is one task `alone`, on one.
    fileprivate func seconds(for cost: Double, at index: Int, alone: Bool = false) -> Double {
        let member = members[index]
        // A system that was never measured counts as one of the fastest.
        let rate = member.throughput.rate ?? members.lazy.compactMap(\.throughput.rate).max() ?? 1
        return (member.inFlightCost / Double(member.slots) + (alone ? cost : cost / Double(member.slots))) / rate
    }
}

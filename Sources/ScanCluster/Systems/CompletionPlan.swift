/// Expected times at which tasks are done, if they are assigned to systems one after the other. Pure.
///
/// A system does a task once its bulk bytes have arrived and a slot is free. The bytes wait for the system's own link and
/// for what all links share; see ``BulkLink`` and ``SharedLink``. Systems that share their only processor wait for it; see
/// ``SharedProcessors``. Times are seconds from now. Assigning each task of a list to the system where it is done first is
/// list scheduling with communication costs (earliest finish time: Topcuoglu, Hariri and Wu, IEEE TPDS 13, 2002).
struct CompletionPlan {
    private struct Server {
        let rate: Double
        let slots: Double
        let bytesPerSecond: Double
        let latency: Double
        let isLocal: Bool
        let reading: ReadableBytes
        /// See ``BulkLink/isProbed``.
        let isProbed: Bool
        /// Tasks in flight or planned.
        var tasks: Int
        /// Seconds of one slot for all of them.
        var backlog: Double
        /// Bytes in flight or planned, which its link has not carried yet.
        var bytes: Double

        /// When a slot is free.
        var free: Double { Double(tasks) < slots ? 0 : backlog / slots }
    }

    private var servers: [Int: Server] = [:]
    private var processors: SharedProcessors
    private let shared: SharedLink
    private let relayPace: BulkPace
    /// The local system, if its slots use all processors: sending takes some of their time.
    private let sender: (index: Int, slots: Double)?
    /// Bytes of all links together.
    private var bytes = 0.0

    /// A plan for the members `usable`, which begins with what they have in flight.
    init(_ state: Systems.State, usable: [Int], at now: Instant) {
        shared = state.sharedLink
        relayPace = state.relayPace
        processors = SharedProcessors(state, at: now)
        let busy = state.members.count { $0.link.isBusy }
        servers.reserveCapacity(usable.count)
        for index in usable {
            let member = state.members[index]
            let isShared = busy > (member.link.isBusy ? 1 : 0)
            let rate = state.rate(of: member)
            servers[index] = Server(
                rate: rate, slots: Double(max(1, member.slots - member.abandoned)),
                bytesPerSecond: member.link.expectedRate(isShared: isShared, at: now), latency: member.latency,
                isLocal: member.isLocal, reading: member.reading, isProbed: member.link.isProbed,
                tasks: member.takenSlots,
                backlog: member.backlog(rate: rate, at: now), bytes: member.link.waiting)
        }
        let local = usable.first { index in
            let member = state.members[index]
            return member.isLocal && member.slots >= member.processors?.count ?? .max
        }
        if let local, let slots = servers[local]?.slots { sender = (local, slots) } else { sender = nil }
        for member in state.members { bytes += member.link.waiting }
    }

    /// When a task would be done on a member; `sends`: its bulk bytes have to be brought there.
    func completion(of request: TaskRequest, on index: Int, sends: Bool = true) -> Double {
        guard let server = servers[index] else { return .infinity }
        let arrival = sends && request.bytes > 0 ? arrival(of: request, on: server) : server.latency / 2
        return max(arrival, start(on: index)) + request.cost / server.rate + server.latency / 2
    }

    /// When a slot of a member is free.
    func start(on index: Int) -> Double {
        servers[index].map { max($0.free, processors.free(for: index)) } ?? .infinity
    }

    private func arrival(of request: TaskRequest, on server: Server) -> Double {
        let fetching = request.isRelayed ? relayPace.seconds(for: request.bytes, assumed: BulkLink.nominalRate) : 0
        if server.isLocal { return fetching }
        if server.reading.allows(request) { return server.latency / 2 }
        if server.isProbed { return .infinity }
        let count = Double(request.bytes)
        let sending = max((server.bytes + count) / server.bytesPerSecond, shared.seconds(for: bytes + count))
        return fetching + sending + server.latency / 2
    }

    /// Seconds of a processor of this machine for a byte that it reads, encrypts and sends (measured: 2.8 to 3.3 ns).
    private static let sendingCost = 3e-9

    /// Bytes of a task that have to be sent to a member.
    private func sentBytes(_ request: TaskRequest, to server: Server) -> Double {
        server.isLocal || server.reading.allows(request) ? 0 : Double(request.bytes)
    }

    /// Part of the time that a transfer must save at least: what is expected of a link is less certain than of a slot.
    private static let leastSaving = 0.1

    /// The member of `indices` where a task is done first, and when. The local system wins unless others are sooner by a
    /// tenth, and by the time that its slots lose with sending.
    func best(for request: TaskRequest, among indices: [Int]) -> (index: Int, seconds: Double)? {
        var best: (index: Int, seconds: Double, compared: Double)?
        for index in indices {
            guard let server = servers[index] else { continue }
            let (seconds, isLocal) = (completion(of: request, on: index), server.isLocal)
            let lost = sender.map { sentBytes(request, to: server) * Self.sendingCost / $0.slots } ?? 0
            let compared = isLocal ? seconds * (1 - Self.leastSaving) : seconds + lost
            if let best, compared > best.compared || compared == best.compared && !isLocal { continue }
            best = (index, seconds, compared)
        }
        return best.map { ($0.index, $0.seconds) }
    }

    /// A member gets a task; `sends` as for ``completion(of:on:sends:)``.
    mutating func assign(_ request: TaskRequest, to index: Int, sends: Bool = true) {
        guard var server = servers[index] else { return }
        server.tasks += 1
        server.backlog += request.cost / server.rate
        processors.assign(request.cost / server.rate, to: index)
        let sent = sends ? sentBytes(request, to: server) : 0
        server.bytes += sent
        bytes += sent
        servers[index] = server
        if let sender { servers[sender.index]?.backlog += sent * Self.sendingCost }
    }

    /// When a member has done all that it was assigned.
    func finish(of index: Int) -> Double {
        servers[index].map { max($0.backlog / $0.slots, $0.bytes > 0 ? $0.bytes / $0.bytesPerSecond : 0) } ?? 0
    }

    /// When all members together have done what they were assigned and `cost` more, of tasks like `request`, if the work
    /// can be divided at will. A member is as fast as its slots, or as its link.
    func horizon(cost: Double, like request: TaskRequest) -> Double {
        var (work, speed) = (cost, 0.0)
        for server in servers.values {
            work += server.backlog * server.rate
            let slots = server.slots * server.rate
            let link =
                server.isLocal || request.bytes == 0
                ? .infinity : server.bytesPerSecond * request.cost / Double(request.bytes)
            speed += min(slots, link)
        }
        return speed > 0 ? work / speed : .infinity
    }
}

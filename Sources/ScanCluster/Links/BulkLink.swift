/// The link from this process to one remote system: the bulk bytes that wait for it, and its rate. Pure.
///
/// The bytes of an attempt wait from the moment at which its system is chosen. How many they are is an estimate until
/// the transport has them; from then on the transport reports how many it has still to write. A link carries them in
/// the order in which the systems were chosen.
package struct BulkLink: Equatable, Sendable {
    /// The bulk bytes of one attempt.
    struct Transfer: Equatable, Sendable {
        /// ``Systems/State/Reservation/ticket``.
        let ticket: UInt64
        /// Bytes that are not yet written.
        var left: Double
        /// All bytes of it.
        let count: Double
        /// When it could begin: it was assigned, and the one before it was complete.
        var start: Instant
    }

    /// Bytes per second of a link of which nothing is known: 1 Gbit/s, without the headers of Ethernet, TCP and TLS.
    package static let nominalRate = 118e6
    /// Time without progress after which a link counts as slower than measured.
    static let patience = 0.25

    /// Bytes per second before the first measurement.
    let nominal: Double
    /// Transfers that are not complete, oldest first.
    private(set) var transfers: [Transfer] = []
    /// Bytes per second that were measured last, beside the transfers to other systems.
    private(set) var rate: Double?
    /// Bytes per second that were measured while no other link had transfers.
    private(set) var aloneRate: Double?
    /// When bytes were last written, or when the oldest transfer began.
    private(set) var progress = Instant(nanoseconds: 0)

    /// The ticket of bytes that are sent to measure the link, and belong to no attempt.
    package static let probe = UInt64.max

    /// A link over which nothing was sent, but for the `probe` bytes that measure it; 0 for none.
    package init(nominal: Double = Self.nominalRate, probe: Int = 0, at now: Instant = Instant(nanoseconds: 0)) {
        self.nominal = nominal
        begin(Self.probe, count: probe, at: now)
    }

    /// Bytes that wait.
    var waiting: Double { transfers.reduce(0) { $0 + $1.left } }

    var isBusy: Bool { !transfers.isEmpty }

    /// Whether its first transfer is under way, by which its rate is being measured: it gets no other meanwhile.
    var isProbed: Bool { rate == nil && isBusy }

    /// An attempt whose bytes, `count` or so, are sent was assigned to the system.
    mutating func begin(_ ticket: UInt64, count: Int, at now: Instant) {
        guard count > 0 else { return }
        if transfers.isEmpty { progress = now }
        transfers.append(Transfer(ticket: ticket, left: Double(count), count: Double(count), start: now))
    }

    /// The transport has `left` bytes of an attempt to write.
    mutating func update(_ ticket: UInt64, left: Int, at now: Instant) {
        progress = max(progress, now)
        guard let index = transfers.firstIndex(where: { $0.ticket == ticket }) else {
            // Bytes of which the system was to read a copy itself.
            if left > 0 { begin(ticket, count: left, at: now) }
            return
        }
        guard left == 0 else { return transfers[index].left = Double(left) }
        let done = transfers.remove(at: index)
        for later in transfers.indices.dropFirst(index) { transfers[later].start = now }
        noteTime(of: done, at: now)
    }

    /// A link that is never full is not measured: what it has carried shows how fast it is at least.
    private mutating func noteTime(of done: Transfer, at now: Instant) {
        let seconds = max(1e-6, now.since(done.start) / .seconds(1))
        rate = max(rate ?? 0, done.count / seconds)
    }

    /// The attempt has ended, or its bytes are not sent any more.
    mutating func end(_ ticket: UInt64) {
        guard !transfers.isEmpty else { return }
        transfers.removeAll { $0.ticket == ticket }
    }

    /// The link took so many bytes per second. `isAlone`: no other link had transfers meanwhile.
    /// - Returns: whether that differs from what was known by more than a fifth.
    mutating func measure(_ bytesPerSecond: Double, isAlone: Bool) -> Bool {
        guard bytesPerSecond.isFinite, bytesPerSecond > 0 else { return false }
        let known = rate ?? nominal
        rate = bytesPerSecond
        if isAlone {
            aloneRate = bytesPerSecond
        } else if let alone = aloneRate, bytesPerSecond > alone {
            aloneRate = bytesPerSecond
        }
        return abs(bytesPerSecond - known) > 0.2 * known
    }

    /// Seconds until `count` more bytes have been written, if other links do not slow this one down; `isShared`: other
    /// links have transfers.
    func seconds(for count: Double, isShared: Bool, at now: Instant) -> Double {
        (waiting + count) / expectedRate(isShared: isShared, at: now)
    }

    /// Bytes per second that are expected from now on.
    func expectedRate(isShared: Bool, at now: Instant) -> Double {
        let measured = (isShared ? rate ?? aloneRate : aloneRate ?? rate) ?? nominal
        guard isBusy else { return measured }
        let stall = now.since(progress) / .seconds(1)
        return stall > Self.patience ? measured * Self.patience / stall : measured
    }

    /// Whether some bytes of an attempt were written, but not all.
    func hasBegun(_ ticket: UInt64) -> Bool {
        transfers.first.map { $0.ticket == ticket && $0.left < $0.count } ?? false
    }

    /// Bytes that are to be written before the bytes of an attempt are complete; nil if they are.
    func left(of ticket: UInt64) -> Double? {
        var sum = 0.0
        for transfer in transfers {
            sum += transfer.left
            if transfer.ticket == ticket { return sum }
        }
        return nil
    }
}

/// What the request of an attempt carries of the bulk bytes of its task.
///
/// The transport lists the payloads for a task in the order in which they are tried: if the system misses what it needs,
/// the next one is sent.
public enum Payload: Equatable, Sendable {
    /// Nothing: there are no bytes, or the system holds those of their key.
    case held
    /// A reference by which the system reads the bytes itself, before anyone has read them.
    case reference
    /// The bytes, packed like this; the transport may compress them. `isReferred`: it may send the reference to them with
    /// their checksum instead.
    case packed(BulkPacking, isReferred: Bool)
    /// The bytes as they are.
    case plain

    /// The payloads for a task with the bytes of `source`. `holdsKey`: the system is believed to hold the bytes of their key.
    /// `reads`: it reads the bytes by their reference, which identifies them. `packing`: how bytes are packed for it, if they
    /// have a packed form. `compresses`: the transport may compress the bytes.
    package static func order(
        of source: BulkSource, holdsKey: Bool, reads: Bool = false, packing: BulkPacking = .none,
        compresses: Bool = false
    ) -> [Payload] {
        let packing = source.isPackable ? packing : .none
        var order: [Payload] = holdsKey ? [.held] : []
        if source.reference != nil { order.append(reads ? .reference : .packed(packing, isReferred: true)) }
        if packing > .none || compresses && source.numberSize != nil {
            order.append(.packed(packing, isReferred: false))
        }
        order.append(.plain)
        return order
    }
}

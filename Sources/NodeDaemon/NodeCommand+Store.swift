package import CommandLineKit
import ImageJobs
import ScanNetwork

extension NodeCommand {
    package static let store = Option.optional(
        "store", .text("DIR", expected: "the name of a folder"), layers: .all,
        help:
            "Keep FITS files that holders of the key send with skyfarm spread below this folder, and read images there as"
            + " with --data")
    static let storeLimit = Option.value(
        "store-limit", .fileSize, default: 100 << 30, layers: .all,
        help: "Most bytes of all files below the folder of --store")

    /// Returns the file store of this node, or nil if its owner has not enabled one.
    func fileStore() throws(CommandError) -> FileStore? {
        guard let path = options.store else { return nil }
        return try FileStore(path, limit: options.storeLimit, clock: EventLoop.shared) { say($0) }
    }
}

/// Answers calls of holders of the key about files of the store and about jobs.
struct NodeCallService: Sendable {
    /// The file store, or nil if the node keeps no files.
    let store: FileStore?
    /// The job service, or nil if the environment defines no folder for jobs.
    let jobs: ClusterJobs?

    /// Installs the handlers of calls in the server's options.
    func serve(_ limits: inout NodeServer.Options) {
        if store != nil || jobs != nil { limits.onCall = { body, peer in await answer(body, peer) } }
        limits.onCallsEnded = { store?.ended($0) }
    }

    /// Returns the body of the reply to a call.
    func answer(_ body: [UInt8], _ peer: NodeServer.Peer) async -> [UInt8] {
        if let request = try? WireDecoder().decode(StoreRequest.self, from: body) {
            let refusal = CommandError(
                .noUsableNode,
                "keeps no files of other machines; its owner allows a folder by `skyfarm node --store DIR`")
            let reply = await store?.answer(request, of: peer) ?? StoreReply(refusal)
            // Encoding strings and numbers cannot fail.
            return (try? WireEncoder().encode(reply)) ?? []
        }
        if let jobs { return await jobs.answer(body, peer) }
        // Without a job service, the list of jobs is empty.
        var reply = ClusterReply()
        reply.jobs = []
        return (try? WireEncoder().encode(reply)) ?? []
    }
}

extension ValueForm where Value == Int {
    /// Parses a size on disk in bytes, such as `500M`, `100G` or `2T`.
    fileprivate static var fileSize: ValueForm {
        let units: [(Character, Int)] = [("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20)]
        return ValueForm(
            placeholder: "SIZE", expected: "a size, as in 500M, 100G or 2T",
            parse: { text in
                guard let unit = units.first(where: { $0.0 == text.last }), let number = Double(text.dropLast()),
                    number > 0, number <= 1e6
                else { return nil }
                return Int(number * Double(unit.1))
            },
            show: { bytes in
                let unit = units.first { bytes.isMultiple(of: $0.1) } ?? ("M", 1 << 20)
                return "\(bytes / unit.1)\(unit.0)"
            })
    }
}

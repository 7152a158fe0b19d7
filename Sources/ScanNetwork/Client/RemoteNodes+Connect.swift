package import ScanCluster
package import ScanSecurity

extension RemoteNodes {
    /// Connects to one node, once, outside any registry.
    /// - Throws: ``AddressError`` or `ConnectError`.
    package static func connect(
        _ address: String, keys: KeyRing, options: Options = Options(), loop: EventLoop = .shared
    ) async throws -> ScanSystem {
        let target = try SocketAddress(parsing: address)
        let info = CoordinatorInfo(
            name: options.name, frameLimit: options.frameLimit, job: options.job, weight: options.weight)
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                let dialer = Dialer(
                    loop: loop, target: .host(target), keys: keys.keys(at: .now), info: info, timing: options.timing
                ) { result in
                    continuation.resume(
                        with: result.map { node, connection in
                            let transport = TCPTransport(
                                node: node, packed: options.packed, compressor: BulkCompressor(),
                                connection: connection, onDraining: {},
                                onEnd: { _ in })
                            return ScanSystem(
                                remote: transport, id: node.identity, name: node.name, slots: node.slots,
                                depth: options.depth, tags: Set(node.tags ?? []), clock: loop, executor: loop)
                        })
                }
                dialer.start()
            }
        }
    }
}

extension NodeInfo {
    /// Most tasks in flight to the node: what it admits, or `limit` if that is less. Within that, how many depends on the
    /// measured throughput.
    package func depth(limit: Int?) -> Int { min(limit ?? .max, slots + queueLimit) }
}

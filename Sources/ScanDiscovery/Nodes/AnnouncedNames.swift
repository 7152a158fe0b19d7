import ScanBasics

/// The names of the nodes that are announced, without their addresses and facts, which take longer to resolve.
package enum AnnouncedNames {
    /// Returns the names that `source` reports within `limit`, or until it fails.
    package static func names(from source: any ServiceDiscovery, within limit: Duration) async -> Set<String> {
        let names = Locked<Set<String>>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await event in source.browse() {
                        guard case .added(let instance) = event else { continue }
                        names.withLock { _ = $0.insert(ServiceAdvertisement.nodeName(ofInstance: instance.name)) }
                    }
                } catch {
                    // Without discovery, no other name is known.
                }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        return names.withLock(\.self)
    }
}

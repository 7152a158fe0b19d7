#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ScanCluster
public import ScanDiscovery
public import ScanNetwork
public import ScanSecurity

/// Runs `body` with a farm of this machine and of discovered nodes or nodes at given addresses, and closes the farm even if
/// `body` throws.
///
/// ```swift
/// let primes = try await withFarm(running: PrimeCount.self) { farm in
///     var primes = 0
///     for try await response in farm.responses(to: tasks) { primes += try response.get() }
///     return primes
/// }
/// ```
///
/// The parameters are those of
/// ``Farm/init(running:nodes:discovering:keys:localSlots:localTags:wait:journal:page:options:remote:loop:)``.
/// - Throws: The errors of that initialiser, and those of `body`.
public func withFarm<each Work: ScanTask, Result>(
    running types: repeat (each Work).Type, nodes addresses: [String] = [],
    discovering sources: [any ServiceDiscovery]? = nil, keys: KeyRing? = nil, localSlots: Int? = nil,
    localTags: Set<String> = [], wait: Duration = .seconds(5), journal: URL? = nil,
    page: (any StatusPage)? = nil, options: ScanCoordinator.Options = .init(),
    remote: RemoteNodes.Options = .init(), loop: EventLoop = .shared, _ body: (Farm) async throws -> Result
) async throws -> Result {
    let farm = try await Farm(
        running: repeat each types, nodes: addresses, discovering: sources, keys: keys, localSlots: localSlots,
        localTags: localTags, wait: wait, journal: journal, page: page, options: options, remote: remote, loop: loop)
    do {
        let result = try await body(farm)
        await farm.close()
        return result
    } catch {
        await farm.close()
        throw error
    }
}

package import ScanSecurity

extension KeyStore {
    /// The keys each time they have changed, at first from `ring`, so that a rotation needs no restart. Checks the
    /// files every `interval`, until the task that reads the stream ends.
    package func changes(
        of ring: KeyRing, every interval: Duration = .seconds(2),
        onTrouble: @escaping @Sendable (KeyError) -> Void = { _ in }
    ) -> AsyncStream<KeyRing> {
        AsyncStream { continuation in
            let looking = Task { [self] in
                var known = ring
                var seen: Revision?
                while (try? await Task.sleep(for: interval)) != nil {
                    let revision = revision
                    guard revision != seen else { continue }
                    seen = revision
                    do throws(KeyError) {
                        let ring = try existingRing()
                        if ring != known { continuation.yield(ring) }
                        known = ring
                    } catch {
                        onTrouble(error)
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in looking.cancel() }
        }
    }
}

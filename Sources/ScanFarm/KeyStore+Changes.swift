import Dispatch
import Foundation
internal import ScanBasics
package import ScanSecurity

extension KeyStore {
    /// Returns a stream of the keys after each change, starting from `ring`, so that a rotation needs no restart. The
    /// files are checked when their folder changes and at every `interval`, until the task that reads the stream ends.
    package func changes(
        of ring: KeyRing, every interval: Duration = .seconds(2),
        onTrouble: @escaping @Sendable (KeyError) -> Void = { _ in }
    ) -> AsyncStream<KeyRing> {
        AsyncStream { continuation in
            let (occasions, occasion) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let ticking = Task {
                while (try? await Task.sleep(for: interval)) != nil { occasion.yield() }
                occasion.finish()
            }
            let folder = AbsolutePath.folder(of: path)
            let watch = FileEvents([folder], queue: DispatchQueue(label: "skyfarm.keys")) { _ in occasion.yield() }
            let looking = Task { [self] in
                var known = ring
                var seen: Revision?
                for await _ in occasions {
                    guard revision != seen else { continue }
                    seen = await settledRevision()
                    do throws(KeyError) {
                        let ring = try existingRing()
                        if ring != known { continuation.yield(ring) }
                        known = ring
                    } catch {
                        onTrouble(error)
                    }
                }
                withExtendedLifetime(watch) {}
                continuation.finish()
            }
            continuation.onTermination = { _ in
                ticking.cancel()
                looking.cancel()
            }
        }
    }

    /// Returns the revision once it has been stable for 20 ms, since a rotation writes two files.
    private func settledRevision() async -> Revision {
        var before = revision
        while (try? await Task.sleep(for: .milliseconds(20))) != nil {
            let now = revision
            if now == before { break }
            before = now
        }
        return before
    }
}

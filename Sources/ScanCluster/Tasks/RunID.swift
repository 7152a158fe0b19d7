/// Identifies a run among those of one ``Systems``: one call of ``ScanCoordinator/responses(to:bulk:observer:)`` that
/// is iterated over.
package struct RunID: Hashable, Comparable, Sendable {
    let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static func < (left: RunID, right: RunID) -> Bool { left.rawValue < right.rawValue }
}

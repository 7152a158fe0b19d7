public import ScanCluster

/// What a node reported about bulk bytes to which a reference that identifies them referred.
package struct BulkReport: Equatable, Sendable {
    package var reference: BulkReference
    /// Checksum of the bytes that it read; nil if it could not read them, or found others in their place.
    package var checksum: UInt64?
}

/// Bulk bytes that nodes should have read themselves, and what was wrong.
public enum BulkProblem: Equatable, Sendable {
    /// The node cannot read the origin, or has something else in its place; the bytes were sent to it.
    case unread(origin: [UInt8], node: String)
    /// Two nodes have read different bytes by one reference.
    case disagreement(BulkReference, nodes: [String])
}

/// Compares what nodes report about the bytes that they read by references. Pure.
package struct BulkReports: Sendable {
    private var first: [BulkReference: (node: String, checksum: UInt64)] = [:]
    /// The problems found, each origin once per node.
    package private(set) var problems: [BulkProblem] = []

    /// References that are remembered before all are forgotten, and problems.
    static let limit = 1 << 16
    static let problemLimit = 64

    package init() {}

    package mutating func add(_ report: BulkReport, of node: String) {
        guard let checksum = report.checksum else {
            return note(.unread(origin: report.reference.origin, node: node))
        }
        guard let known = first[report.reference] else {
            if first.count >= Self.limit { first = [:] }
            first[report.reference] = (node, checksum)
            return
        }
        if known.checksum != checksum { note(.disagreement(report.reference, nodes: [known.node, node])) }
    }

    private mutating func note(_ problem: BulkProblem) {
        guard problems.count < Self.problemLimit, !problems.contains(problem) else { return }
        problems.append(problem)
    }
}

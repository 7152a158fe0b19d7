// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization

/// What was counted and recorded, by labels: only this stub has it.
public enum Recorded {
    static let values = Mutex<[String: [Double]]>([:])

    public static func values(_ label: String) -> [Double] { values.withLock { $0[label] ?? [] } }

    static func add(_ value: Double, to label: String) { values.withLock { $0[label, default: []].append(value) } }
}

public final class Counter: Sendable {
    public let label: String
    public let dimensions: [(String, String)]

    public init(label: String, dimensions: [(String, String)] = []) {
        (self.label, self.dimensions) = (label, dimensions)
    }

    public func increment<Number: BinaryInteger>(by amount: Number) { Recorded.add(Double(amount), to: label) }
}

public final class Timer: Sendable {
    public let label: String
    public let dimensions: [(String, String)]

    public init(label: String, dimensions: [(String, String)] = []) {
        (self.label, self.dimensions) = (label, dimensions)
    }

    public func recordSeconds<Number: BinaryFloatingPoint>(_ duration: Number) {
        Recorded.add(Double(duration), to: label)
    }
}

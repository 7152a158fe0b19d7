// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization

/// A logger that keeps its lines.
public struct Logger: Sendable {
    public enum Level: String, Codable, CaseIterable, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    public struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible,
        Sendable
    {
        public let description: String

        public init(stringLiteral value: String) { description = value }
    }

    public enum MetadataValue: Sendable, Equatable {
        case string(String)
    }

    public typealias Metadata = [String: MetadataValue]

    public struct Line: Sendable {
        public var level: Level
        public var message: String
        public var metadata: Metadata
    }

    private final class Lines: Sendable {
        let kept = Mutex<[Line]>([])
    }

    public let label: String
    private let written = Lines()

    public init(label: String) { self.label = label }

    /// What was logged: only this stub has it.
    public var lines: [Line] { written.kept.withLock { $0 } }

    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        let line = Line(level: level, message: message().description, metadata: metadata() ?? [:])
        written.kept.withLock { $0.append(line) }
    }
}

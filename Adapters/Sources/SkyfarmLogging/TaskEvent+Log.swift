public import Logging
public import ScanCluster

extension TaskEvent {
    /// The level at which the event is logged: `debug` for the course of a task, `warning` for attempts that failed, and
    /// `error` for tasks that were given up.
    public var logLevel: Logger.Level {
        switch self {
        case .taskFailed: .error
        case .taskRetried, .attemptLost: .warning
        case .systemJoined, .systemLeft: .info
        default: .debug
        }
    }

    /// Logs the event: its kind as the message, its values as metadata.
    ///
    /// ```swift
    /// let logger = Logger(label: "primes")
    /// for try await response in farm.responses(to: tasks, observer: { $0.log(to: logger) }) { … }
    /// ```
    public func log(to logger: Logger) {
        let mirror = Mirror(reflecting: self)
        var metadata: Logger.Metadata = [:]
        // The one child of a case has its values as children.
        let values = mirror.children.first
        for (name, value) in values.map({ Mirror(reflecting: $0.value).children }) ?? Mirror.Children([]) {
            metadata[name ?? "value"] = .string("\(value)")
        }
        if metadata.isEmpty, let value = values?.value { metadata["value"] = .string("\(value)") }
        logger.log(level: logLevel, "\(values?.label ?? "event")", metadata: metadata)
    }
}

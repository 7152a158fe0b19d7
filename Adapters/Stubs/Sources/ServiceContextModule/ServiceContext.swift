// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A context that has the headers of a trace.
public struct ServiceContext: Sendable {
    public static var topLevel: ServiceContext { ServiceContext() }
    @TaskLocal public static var current: ServiceContext?

    /// Only this stub has it.
    public var traceparent: String?

    public init() {}
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import ServiceContextModule

public enum SpanKind: Sendable {
    case server, client, producer, consumer, `internal`
}

public protocol Span: Sendable {
    var context: ServiceContext { get }
}

private struct StubSpan: Span {
    var context: ServiceContext
}

/// The span has the trace of its parent, and the name of the operation as its own part.
public func withSpan<Result>(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, function: String = #function, file fileID: String = #fileID,
    line: UInt = #line, _ operation: (any Span) throws -> Result
) rethrows -> Result {
    var context = context()
    context.traceparent = "\(context.traceparent ?? "none") > \(operationName)"
    return try ServiceContext.$current.withValue(context) { try operation(StubSpan(context: context)) }
}

import CDNSSD

// Each request passes a context object and one of the functions below to the library; the function recovers the object.
// The functions are free functions, so that they belong to no actor: the library calls them on an operation's queue.

/// Receives the replies to a registration.
final class RegistrationContext: Sendable {
    let continuation: AsyncThrowingStream<String, any Error>.Continuation
    init(_ continuation: AsyncThrowingStream<String, any Error>.Continuation) { self.continuation = continuation }
}

/// Receives the replies to browsing.
final class BrowseContext: Sendable {
    let continuation: AsyncThrowingStream<BrowseEvent, any Error>.Continuation
    init(_ continuation: AsyncThrowingStream<BrowseEvent, any Error>.Continuation) { self.continuation = continuation }
}

/// Receives the replies to a resolution.
final class ResolutionContext: Sendable {
    let continuation: AsyncThrowingStream<ResolvedService, any Error>.Continuation
    init(_ continuation: AsyncThrowingStream<ResolvedService, any Error>.Continuation) {
        self.continuation = continuation
    }
}

/// Receives the replies to an address query.
final class AddressContext: Sendable {
    let continuation: AsyncThrowingStream<HostAddress, any Error>.Continuation
    init(_ continuation: AsyncThrowingStream<HostAddress, any Error>.Continuation) { self.continuation = continuation }
}

let registrationReply: DNSServiceRegisterReply = { _, _, error, name, _, _, context in
    guard let continuation = object(RegistrationContext.self, at: context)?.continuation else { return }
    guard error == kDNSServiceErr_NoError else {
        continuation.finish(throwing: DiscoveryError(status: error, to: "announce the node", wasOpen: true))
        return
    }
    continuation.yield(text(name))
}

let browseReply: DNSServiceBrowseReply = { _, flags, interface, error, name, _, domain, context in
    guard let continuation = object(BrowseContext.self, at: context)?.continuation else { return }
    guard error == kDNSServiceErr_NoError else {
        continuation.finish(throwing: DiscoveryError(status: error, to: "browse for nodes", wasOpen: true))
        return
    }
    let instance = ServiceInstance(name: text(name), domain: text(domain), interface: interface)
    continuation.yield(flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0 ? .added(instance) : .removed(instance))
}

let resolutionReply: DNSServiceResolveReply = { _, _, _, error, _, host, port, length, record, context in
    guard let continuation = object(ResolutionContext.self, at: context)?.continuation else { return }
    guard error == kDNSServiceErr_NoError, let host else {
        continuation.finish(throwing: DiscoveryError(.noAnswer, "the node's announcement could not be resolved"))
        return
    }
    let bytes = UnsafeBufferPointer(start: record, count: record == nil ? 0 : Int(length))
    continuation.yield(
        ResolvedService(host: text(host), port: UInt16(bigEndian: port), txt: TXTRecord(parsing: bytes)))
}

let addressReply: DNSServiceQueryRecordReply = { _, flags, interface, error, _, _, _, length, data, _, context in
    guard let continuation = object(AddressContext.self, at: context)?.continuation else { return }
    guard error == kDNSServiceErr_NoError else {
        continuation.finish(throwing: DiscoveryError(.noAnswer, "the node's host has no known address"))
        return
    }
    guard flags & DNSServiceFlags(kDNSServiceFlagsAdd) != 0, let data else { return }
    let bytes = UnsafeRawBufferPointer(start: data, count: Int(length))
    if let address = HostAddress(bytes: bytes, interface: interface) { continuation.yield(address) }
}

private func object<Context: AnyObject>(_: Context.Type, at pointer: UnsafeMutableRawPointer?) -> Context? {
    pointer.map { Unmanaged<Context>.fromOpaque($0).takeUnretainedValue() }
}

private func text(_ string: UnsafePointer<CChar>?) -> String { string.map { String(cString: $0) } ?? "" }

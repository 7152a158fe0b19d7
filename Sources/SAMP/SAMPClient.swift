internal import ScanBasics

/// A client that is registered with a SAMP hub and sends messages, but receives none.
///
/// Skyfarm uses it to show images and catalogues in other programs. ``init(_:name:description:)`` registers with the
/// hub that a ``SAMPHub`` describes, ``programs(for:)`` lists the programs that accept a message type,
/// ``send(_:_:to:seconds:)`` sends a message to one of them, and ``unregister()`` ends the registration. Each call is
/// one XML-RPC request over HTTP (``XMLRPCServer``), with a time limit for each answer and one for all.
public struct SAMPClient: Sendable {
    /// A program that accepts a type of message.
    public struct Program: Hashable, Sendable {
        let id: String
        /// The name that the program declares, such as TOPCAT; its identifier if it declares none.
        public let name: String
    }

    /// Time limit, in seconds, for an answer of the hub itself.
    private static let hubSeconds = 10
    /// Time limit, in seconds, for the sum of these answers.
    private static let patience = 30
    /// Maximum number of programs whose names are requested.
    private static let programLimit = 256
    private let server: XMLRPCServer
    private let key: XMLRPCValue
    private let waited = Locked(Duration.zero)

    /// Registers with the hub under a name.
    /// - Throws: ``SAMPError``; `CancellationError`.
    public init(_ hub: SAMPHub, name: String, description: String) async throws {
        server = hub.server
        let answer: XMLRPCValue
        do {
            answer = try await server.call("samp.hub.register", [.text(hub.secret)], seconds: Self.hubSeconds)
        } catch let error as SAMPError where error.code == .unreachable {
            // The lock file may have been left by a hub that was killed.
            throw SAMPError(.noHub, "the SAMP hub does not answer (\(error)); start TOPCAT or Aladin again")
        }
        guard let key = answer["samp.private-key"] else {
            throw SAMPError(.malformed, "the SAMP hub gives no key to its client")
        }
        self.key = key
        _ = try await call(
            "declareMetadata", .map(["samp.name": .text(name), "samp.description.text": .text(description)]))
    }

    /// Ends the registration, even if this task is cancelled. Failures are ignored.
    public func unregister() async {
        await Task { _ = try? await call("unregister") }.value
    }

    /// Returns the programs that accept a type of message, sorted by name.
    /// - Throws: ``SAMPError``; `CancellationError`.
    public func programs(for type: String) async throws -> [Program] {
        guard case .map(let subscribed) = try await call("getSubscribedClients", .text(type)) else {
            throw SAMPError(.malformed, "the SAMP hub lists no programs")
        }
        guard subscribed.count <= Self.programLimit else {
            throw SAMPError(.malformed, "the SAMP hub lists \(subscribed.count) programs: it is no hub of a user")
        }
        var programs: [Program] = []
        for id in subscribed.keys {
            let name = try await call("getMetadata", .text(id))["samp.name"]?.text ?? id
            programs.append(Program(id: id, name: name))
        }
        return programs.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Sends a message to a program, and waits at most `seconds` for it to be processed.
    /// - Throws: ``SAMPError``, with `refused` and the program's reason if it fails; `CancellationError`.
    public func send(
        _ type: String, _ parameters: [String: String], to program: Program, seconds: Int = 60
    ) async throws {
        let message = XMLRPCValue.map([
            "samp.mtype": .text(type), "samp.params": .map(parameters.mapValues(XMLRPCValue.text)),
        ])
        let answer: XMLRPCValue
        do {
            answer = try await call(
                "callAndWait", .text(program.id), message, .text(String(seconds)), seconds: seconds + Self.hubSeconds)
        } catch let error as SAMPError {
            throw SAMPError(error.code, "\(program.name) did not answer: \(error)")
        }
        // A program reports a warning when it has processed the message.
        guard ["samp.ok", "samp.warning"].contains(answer["samp.status"]?.text) else {
            throw SAMPError(.refused, answer["samp.error"]?["samp.errortxt"]?.text ?? "no reason given")
        }
    }

    private func call(
        _ method: String, _ parameters: XMLRPCValue..., seconds: Int = hubSeconds
    ) async throws -> XMLRPCValue {
        let isOwn = seconds <= Self.hubSeconds
        guard !isOwn || waited.withLock(\.self) < .seconds(Self.patience) else {
            throw SAMPError(.unreachable, "the SAMP hub takes too long for its answers")
        }
        let start = ContinuousClock.now
        defer { if isOwn { waited.withLock { $0 += .now - start } } }
        return try await server.call("samp.hub." + method, [key] + parameters, seconds: seconds)
    }
}

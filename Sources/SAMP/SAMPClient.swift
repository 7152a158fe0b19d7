internal import ScanBasics

/// A program that is registered with a hub and sends messages, but receives none.
public struct SAMPClient: Sendable {
    /// A program that takes messages of some type.
    public struct Program: Hashable, Sendable {
        let id: String
        /// Its name, such as TOPCAT.
        public let name: String
    }

    /// Seconds that the hub may take for an answer of its own.
    private static let hubSeconds = 10
    /// Seconds that it may take for all of these answers.
    private static let patience = 30
    /// Most programs that are asked for their names.
    private static let programLimit = 256
    private let server: XMLRPCServer
    private let key: XMLRPCValue
    private let waited = Locked(Duration.zero)

    /// Registers with the hub under this name.
    /// - Throws: ``SAMPError``; `CancellationError`.
    public init(_ hub: SAMPHub, name: String, description: String) async throws {
        server = hub.server
        let answer: XMLRPCValue
        do {
            answer = try await server.call("samp.hub.register", [.text(hub.secret)], seconds: Self.hubSeconds)
        } catch let error as SAMPError where error.code == .unreachable {
            // A hub that was killed leaves its lock file.
            throw SAMPError(.noHub, "the SAMP hub does not answer (\(error)); start TOPCAT or Aladin again")
        }
        guard let key = answer["samp.private-key"] else {
            throw SAMPError(.malformed, "the SAMP hub gives no key to its client")
        }
        self.key = key
        _ = try await call(
            "declareMetadata", .map(["samp.name": .text(name), "samp.description.text": .text(description)]))
    }

    /// Ends the registration, also if this task is cancelled. The hub need not answer.
    public func unregister() async {
        await Task { _ = try? await call("unregister") }.value
    }

    /// The programs that take messages of a type, by name.
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

    /// Sends a message to a program, and waits at most `seconds` until it has been carried out.
    /// - Throws: ``SAMPError``, with `refused` and the program's words if it is not carried out; `CancellationError`.
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
        // A warning is given by a program that has carried out the message.
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

import CommandLineKit
import Foundation
import ScanNetwork

/// A file that is copied to the store of a node.
struct StoredFile: Codable, Hashable, Sendable {
    /// Relative to the store's folder.
    var path: String
    var byteCount: Int
    /// Nanoseconds since 1970.
    var modified: Int
}

/// A request about the files that a node keeps for holders of the key (`skyfarm node --store`), as the body of a call.
/// Docs/Protocol.md describes calls.
struct StoreRequest: Codable, Equatable, Sendable {
    enum Action: String, Codable, Sendable {
        /// The store's room, and which of these files it has, by size and time of change.
        case look
        /// A file will be sent, unless it is there.
        case begin
        case piece
        /// All pieces were sent.
        case commit
        /// The rest of the file will not be sent.
        case abandon
    }

    var v = 1
    var store: Action
    /// The files that `look` asks for.
    var files: [StoredFile]?
    /// The file that `begin` announces.
    var file: StoredFile?
    /// ``ContentDigest`` of the file. `commit` has it, and `begin` if the node has asked for it.
    var digest: [UInt8]?
    /// The number that `begin` gave, for `piece`, `commit` and `abandon`.
    var upload: UInt64?
    /// Where a `piece` begins, a multiple of ``JobFile/pieceSize``.
    var offset: Int?
    var bytes: [UInt8]?

    /// Most files of a `look`.
    static let lookLimit = 10_000

    init(_ action: Action) { store = action }

    init(_ action: Action, of upload: UInt64) { (store, self.upload) = (action, upload) }
}

/// A node's answer to a ``StoreRequest``.
struct StoreReply: Codable, Equatable, Sendable {
    enum State: String, Codable, Sendable {
        /// The store has a file of the same bytes, with this time of change.
        case present
        /// It has another file of this name.
        case different
        /// It has a file of this name and size: `begin` needs the digest.
        case unsure
        /// The pieces may be sent.
        case accepted
        /// The file has its name.
        case kept
    }

    var v = 1
    /// The answer to `look`: bytes that the store still takes, and the positions of the files that it has.
    var room: Int?
    var has: [Int]?
    var state: State?
    var upload: UInt64?
    /// Why the request was not carried out.
    var error: String?
    /// The exit code of that error.
    var code: Int32?

    init() {}

    init(_ state: State, upload: UInt64? = nil) { (self.state, self.upload) = (state, upload) }

    init(_ error: CommandError) { (self.error, code) = (error.description, error.code.rawValue) }
}

extension NodeCalls {
    /// Sends a request, and waits for the reply.
    /// - Throws: `CommandError` if the node cannot be reached or does not carry it out.
    func send(_ request: StoreRequest) async throws -> StoreReply {
        let name = node.name
        do {
            let bytes = try await call(WireEncoder().encode(request))
            let reply = try WireDecoder().decode(StoreReply.self, from: bytes)
            guard let error = reply.error else { return reply }
            throw CommandError(
                ExitCode.all.first { $0.rawValue == reply.code } ?? .failure, "\(name): \(error.printable)")
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.noUsableNode, "\(name): \(error)")
        }
    }
}

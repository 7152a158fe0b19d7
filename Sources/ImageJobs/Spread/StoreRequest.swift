package import CommandLineKit
import Foundation
import ScanNetwork

/// A file that is copied to the store of a node.
package struct StoredFile: Codable, Hashable, Sendable {
    /// Relative to the store's folder.
    package var path: String
    package var byteCount: Int
    /// Nanoseconds since 1970.
    package var modified: Int

    package init(path: String, byteCount: Int, modified: Int) {
        self.path = path
        self.byteCount = byteCount
        self.modified = modified
    }
}

/// A request about the files that a node keeps for holders of the key (`skyfarm node --store`), as the body of a call.
/// Docs/Protocol.md describes calls.
package struct StoreRequest: Codable, Equatable, Sendable {
    package enum Action: String, Codable, Sendable {
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

    package var v = 1
    package var store: Action
    /// The files that `look` asks for.
    package var files: [StoredFile]?
    /// The file that `begin` announces.
    package var file: StoredFile?
    /// ``ContentDigest`` of the file. `commit` has it, and `begin` if the node has asked for it.
    package var digest: [UInt8]?
    /// The number that `begin` gave, for `piece`, `commit` and `abandon`.
    package var upload: UInt64?
    /// Where a `piece` begins, a multiple of ``JobFile/pieceSize``.
    package var offset: Int?
    package var bytes: [UInt8]?

    /// Most files of a `look`.
    package static let lookLimit = 10_000

    package init(_ action: Action) { store = action }

    package init(_ action: Action, of upload: UInt64) { (store, self.upload) = (action, upload) }
}

/// A node's answer to a ``StoreRequest``.
package struct StoreReply: Codable, Equatable, Sendable {
    package enum State: String, Codable, Sendable {
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

    package var v = 1
    /// The answer to `look`: bytes that the store still takes, and the positions of the files that it has.
    package var room: Int?
    package var has: [Int]?
    package var state: State?
    package var upload: UInt64?
    /// Why the request was not carried out.
    package var error: String?
    /// The exit code of that error.
    package var code: Int32?

    package init() {}

    package init(_ state: State, upload: UInt64? = nil) { (self.state, self.upload) = (state, upload) }

    package init(_ error: CommandError) { (self.error, code) = (error.description, error.code.rawValue) }
}

extension NodeCalls {
    /// Sends a request, and waits for the reply.
    /// - Throws: `CommandError` if the node cannot be reached or does not carry it out.
    package func send(_ request: StoreRequest) async throws -> StoreReply {
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

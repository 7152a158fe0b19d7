package import CommandLineKit
import Foundation
import ScanNetwork

/// A file that is copied to the store of a node.
package struct StoredFile: Codable, Hashable, Sendable {
    /// Path relative to the store's folder.
    package var path: String
    package var byteCount: Int
    /// Modification time in nanoseconds since 1970.
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
        /// Return the free space of the store, and which of these files it has, by size and modification time.
        case look
        /// Announce a file that will be sent unless it exists.
        case begin
        case piece
        /// Complete a file after all pieces were sent.
        case commit
        /// Abandon a file of which the rest will not be sent.
        case abandon
    }

    package var v = 1
    package var store: Action
    /// Files that `look` asks for.
    package var files: [StoredFile]?
    /// File that `begin` announces.
    package var file: StoredFile?
    /// ``ContentDigest`` of the file, for `commit`, and for `begin` if the node requested it.
    package var digest: [UInt8]?
    /// Number that `begin` returned, for `piece`, `commit` and `abandon`.
    package var upload: UInt64?
    /// Offset of a `piece`, a multiple of ``JobFile/pieceSize``.
    package var offset: Int?
    package var bytes: [UInt8]?

    /// Maximum number of files of a `look`.
    package static let lookLimit = 10_000

    package init(_ action: Action) { store = action }

    package init(_ action: Action, of upload: UInt64) { (store, self.upload) = (action, upload) }
}

/// Reply of a node to a ``StoreRequest``.
package struct StoreReply: Codable, Equatable, Sendable {
    package enum State: String, Codable, Sendable {
        /// The store has a file with the same bytes and this modification time.
        case present
        /// The store has a different file of this name.
        case different
        /// The store has a file of this name and size, and needs its digest in `begin`.
        case unsure
        /// The store accepts pieces of the file.
        case accepted
        /// The file is complete and has its name.
        case kept
    }

    package var v = 1
    /// Free space of the store in bytes, and positions of the files that it has, for `look`.
    package var room: Int?
    package var has: [Int]?
    package var state: State?
    package var upload: UInt64?
    /// Reason why the request failed, or nil if it succeeded.
    package var error: String?
    /// Exit code that belongs to the error.
    package var code: Int32?

    package init() {}

    package init(_ state: State, upload: UInt64? = nil) { (self.state, self.upload) = (state, upload) }

    package init(_ error: CommandError) { (self.error, code) = (error.description, error.code.rawValue) }
}

extension NodeCalls {
    /// Sends a request and waits for the reply.
    /// - Throws: `CommandError` if the node cannot be reached or the request fails.
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

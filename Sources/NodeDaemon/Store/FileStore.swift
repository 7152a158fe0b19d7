package import CommandLineKit
import Console
import Dispatch
import Foundation
package import ImageJobs
package import ScanBasics
import ScanCluster
package import ScanNetwork

/// Keeps files that holders of the key send, below one folder (`skyfarm node --store`). `StoreLedger` decides and
/// ``StoreFolder`` performs the operations. Docs/Security.md describes the rights that the owner of the machine grants.
///
/// A peer asks which files exist (`look`), announces a file (`begin`), sends its pieces in any order, and completes it
/// (`commit`) or gives it up (`abandon`). The file is written below a reserved folder, and gets its name only when all
/// pieces have arrived and the digest is correct. Uploads without data for `StoreLedger.patience`, and those of peers
/// whose connection has ended, are removed. Readers begin with ``answer(_:of:)``.
package final class FileStore: @unchecked Sendable {
    // Sendable, since mutable state is accessed only on `queue`.
    private let queue = DispatchQueue(label: "skyfarm.store", qos: .utility)
    private let folder: StoreFolder
    private var ledger: StoreLedger
    private var open: [UInt64: (file: OpenDescriptor, peer: NodeServer.Peer)] = [:]
    private let clock: any ScanClock
    /// Time when the size of the folder was last counted.
    private var counted: Instant?
    private var isWatching = false
    private let say: @Sendable (String) -> Void

    /// First six bytes of a FITS file.
    private static let magic = Array("SIMPLE".utf8)
    /// Time after which the size of a full store is counted again, since its owner may have removed files.
    private static let recount = Duration.seconds(10)

    /// Opens a store in a folder, for at most `limit` bytes; `say` writes a line to the node's log.
    /// - Throws: `CommandError` if the folder cannot be used.
    package init(_ path: String, limit: Int, clock: any ScanClock, say: @escaping @Sendable (String) -> Void)
        throws(CommandError)
    {
        folder = try StoreFolder(path)
        ledger = StoreLedger(limit: limit)
        (self.clock, self.say) = (clock, say)
    }

    /// Answers a request of a holder of the key, on a queue that may block on disk operations.
    package func answer(_ request: StoreRequest, of peer: NodeServer.Peer) async -> StoreReply {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                dropStale()
                do throws(CommandError) {
                    continuation.resume(returning: try carryOut(request, peer))
                } catch {
                    continuation.resume(returning: StoreReply(error))
                }
            }
        }
    }

    /// Drops the incomplete files of a peer whose connection has ended.
    package func ended(_ peer: NodeServer.Peer) {
        queue.async { [self] in
            for id in open.filter({ $0.value.peer == peer }).keys { drop(id) }
        }
    }

    private func carryOut(_ request: StoreRequest, _ peer: NodeServer.Peer) throws(CommandError) -> StoreReply {
        if ledger.used == nil { count() }
        switch request.store {
        case .look: return look(request.files ?? [])
        case .begin:
            guard let file = request.file else { throw Self.incomplete }
            return try begin(file, digest: request.digest, peer)
        case .piece:
            guard let id = request.upload, let offset = request.offset, let bytes = request.bytes,
                let file = open[id]?.file
            else { throw Self.incomplete }
            return try drop(id, onError: { () throws(CommandError) in try take(bytes, at: offset, of: id, into: file) })
        case .commit:
            guard let id = request.upload, let file = open[id]?.file else { throw Self.incomplete }
            defer { drop(id) }
            return try commit(id, file, digest: request.digest, peer)
        case .abandon:
            if let id = request.upload { drop(id) }
            return StoreReply()
        }
    }

    private static let incomplete = CommandError(.output, "the file is not being sent; send it again")

    private func look(_ files: [StoredFile]) -> StoreReply {
        var reply = StoreReply()
        reply.room = max(0, min(ledger.room, folder.free - ledger.reserved))
        reply.has = files.indices.prefix(StoreRequest.lookLimit).filter { index in
            guard (try? StoreLedger.check(files[index])) != nil else { return false }
            return (try? folder.existing(files[index]))??.resembles(files[index]) == true
        }
        return reply
    }

    private func begin(
        _ file: StoredFile, digest: [UInt8]?, _ peer: NodeServer.Peer
    ) throws(CommandError) -> StoreReply {
        try StoreLedger.check(file)
        if let old = try folder.existing(file) {
            guard old.status?.size == Int64(file.byteCount) else { return StoreReply(.different) }
            guard let digest else { return StoreReply(.unsure) }
            return try old.digest(of: file.byteCount) == digest ? try touch(old, file) : StoreReply(.different)
        }
        let id = UInt64.random(in: 1 ... .max)
        makeRoom(for: file)
        try ledger.begin(file, as: id, free: folder.free, at: clock.now)
        do throws(CommandError) {
            open[id] = (try folder.create(id), peer)
        } catch {
            ledger.ended(id)
            throw error
        }
        watch()
        return StoreReply(.accepted, upload: id)
    }

    /// Sets the modification time of an existing file with the same bytes, since nodes find it by that time.
    private func touch(_ old: OpenDescriptor, _ file: StoredFile) throws(CommandError) -> StoreReply {
        guard old.resembles(file) || old.setModified(file.modified) else {
            throw CommandError(.output, file.path, errno: errno, remedy: ": its time of change cannot be set")
        }
        return StoreReply(.present)
    }

    private func take(
        _ bytes: [UInt8], at offset: Int, of id: UInt64, into file: OpenDescriptor
    ) throws(CommandError) -> StoreReply {
        if offset == 0, !bytes.starts(with: Self.magic) {
            throw CommandError(.input, "\(ledger.uploads[id]?.file.path ?? ""): is no FITS file")
        }
        try ledger.take(
            bytes.count, bytesAt: offset, digest: try ContentDigest.piece(bytes), of: id, at: clock.now)
        try file.write(bytes, at: offset)
        return StoreReply(.accepted, upload: id)
    }

    private func commit(
        _ id: UInt64, _ file: OpenDescriptor, digest: [UInt8]?, _ peer: NodeServer.Peer
    ) throws(CommandError) -> StoreReply {
        let upload = try ledger.complete(id, digest: digest)
        guard try folder.keep(id, upload, in: file, made: { ledger.madeFolders($0) }) else {
            return StoreReply(.different)
        }
        ledger.ended(id, kept: StoreLedger.charge(upload.file.byteCount))
        say("\(peer.name.printable) sent \(upload.file.path), \(HumanFormat.byteCount(upload.file.byteCount))")
        return StoreReply(.kept)
    }

    private func count() {
        ledger.counted(folder.count())
        counted = clock.now
    }

    private func makeRoom(for file: StoredFile) {
        guard ledger.room < StoreLedger.charge(file.byteCount), let counted, clock.now.since(counted) >= Self.recount
        else {
            return
        }
        count()
    }

    private func drop(_ id: UInt64) {
        ledger.ended(id)
        if open.removeValue(forKey: id) != nil { folder.remove(id) }
    }

    private func drop<Result>(
        _ id: UInt64, onError body: () throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        do throws(CommandError) {
            return try body()
        } catch {
            drop(id)
            throw error
        }
    }

    private func dropStale() {
        for id in ledger.stale(at: clock.now) { drop(id) }
    }

    /// Removes files whose sender has disappeared, even if no further request arrives.
    private func watch() {
        guard !isWatching, !ledger.uploads.isEmpty else { return }
        isWatching = true
        _ = clock.schedule(at: clock.now.advanced(by: StoreLedger.patience)) { [weak self] in
            guard let self else { return }
            queue.async {
                self.isWatching = false
                self.dropStale()
                self.watch()
            }
        }
    }
}

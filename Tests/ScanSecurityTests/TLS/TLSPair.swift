import Foundation
import ScanBasics
import ScanSecurity

/// A client and a server session connected in memory.
struct TLSPair {
    let client: TLSSession
    let server: TLSSession
    /// Plaintext received by each side.
    var receivedByClient: [UInt8] = []
    var receivedByServer: [UInt8] = []

    init(client: TLSSession, server: TLSSession) {
        self.client = client
        self.server = server
    }

    init(
        _ clientKey: ClusterKey, _ ring: KeyRing, at time: Date = .now, recordsPerKey: UInt64 = 1 << 23
    ) throws {
        try self.init(
            client: TLSSession(client: clientKey, recordsPerKey: recordsPerKey),
            server: TLSSession(server: ring, at: time, recordsPerKey: recordsPerKey))
    }

    /// Transfers bytes in both directions, at most `chunk` at once, until both outputs are empty.
    mutating func run(chunk: Int = .max) throws {
        while client.outputCount > 0 || server.outputCount > 0 {
            try server.feed(client.takeOutput(), chunk: chunk, into: &receivedByServer)
            try client.feed(server.takeOutput(), chunk: chunk, into: &receivedByClient)
        }
    }

    /// The errors with which both sides end, after each received the other's last bytes.
    mutating func failures() -> (client: TLSError?, server: TLSError?) {
        var clientError: TLSError?
        var serverError: TLSError?
        while client.outputCount > 0 || server.outputCount > 0 {
            do { try server.feed(client.takeOutput(), into: &receivedByServer) } catch {
                serverError = serverError ?? error
            }
            do { try client.feed(server.takeOutput(), into: &receivedByClient) } catch {
                clientError = clientError ?? error
            }
        }
        return (clientError, serverError)
    }
}

extension TLSSession {
    func takeOutput() -> [UInt8] {
        var output: [UInt8] = []
        withOutput {
            output = Array($0)
            return $0.count
        }
        return output
    }

    /// Receives `ciphertext`, at most `chunk` bytes at once, and appends its plaintext to `plaintext`.
    func feed(
        _ ciphertext: [UInt8], chunk: Int = .max, into plaintext: inout [UInt8]
    ) throws(TLSError) {
        var rest = ciphertext[...]
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while !rest.isEmpty {
            let space = space()
            guard !space.isEmpty else { return }
            let piece = rest.prefix(min(chunk, space.count))
            space.copyBytes(from: piece)
            rest.removeFirst(piece.count)
            try received(piece.count)
            while true {
                let count = try read(into: &buffer)
                if count == 0 { break }
                plaintext += buffer[..<count]
            }
        }
    }

    private func read(into buffer: inout [UInt8]) throws(TLSError) -> Int {
        var result = Result<Int, TLSError>.success(0)
        buffer.withUnsafeMutableBytes { bytes in
            result = Result { () throws(TLSError) in try read(into: bytes) }
        }
        return try result.get()
    }

    func seal(_ plaintext: [UInt8]) throws {
        try plaintext.withUnsafeBytes { try seal($0) }
    }
}

extension SplitMix64 {
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
}

extension TLSSession {
    /// Moves this session's output to `other` without copies, and its plaintext into `memory`.
    /// - Returns: the number of bytes of plaintext.
    @discardableResult
    func carry(to other: TLSSession, into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        var filled = 0
        while outputCount > 0 {
            var moved = 0
            withOutput { output in
                let space = other.space()
                moved = min(space.count, output.count)
                space.copyMemory(from: UnsafeRawBufferPointer(rebasing: output[..<moved]))
                return moved
            }
            try other.received(moved)
            while true {
                let count = try other.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[filled...]))
                if count == 0 { break }
                filled += count
            }
        }
        return filled
    }
}

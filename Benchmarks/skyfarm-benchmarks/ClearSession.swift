import ScanSecurity

/// A session in clear text. It replaces TLS on the loopback interface, to measure the cost of TLS in one build.
final class ClearSession: SecureSession {
    private(set) var phase = TLSSession.Phase.established
    let key: KeyFingerprint?
    let isRecognised = true
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var waiting = 0..<0
    private var output: [UInt8] = []

    init(_ key: KeyFingerprint) { self.key = key }

    deinit { input.deallocate() }

    func space() -> UnsafeMutableRawBufferPointer {
        waiting.isEmpty ? input : UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    func received(_ count: Int) { waiting = 0..<count }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, waiting.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[waiting.prefix(count)]))
        waiting.removeFirst(count)
        return count
    }

    func receiveEnd() { phase = .closed }

    func seal(_ plaintext: UnsafeRawBufferPointer) { output += plaintext }

    func close() {}

    var outputCount: Int { output.count }

    func withOutput(_ body: (UnsafeRawBufferPointer) throws -> Int) rethrows {
        let sent = try output.withUnsafeBytes(body)
        output.removeFirst(sent)
    }
}

extension SessionMaker {
    /// Clear text.
    static let clear = SessionMaker { key in
        ClearSession(key.fingerprint)
    } server: { keys, _, _ in
        ClearSession(keys.current.fingerprint)
    }
}

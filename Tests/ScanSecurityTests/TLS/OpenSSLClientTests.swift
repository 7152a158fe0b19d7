import Foundation
import ScanSecurity
import Testing

/// `openssl s_client`, an independent client, against a session on a loopback socket.
@Suite("openssl s_client", .enabled(if: OpenSSLClient.isInstalled, "needs the openssl command"))
struct OpenSSLClientTests {
    let key: ClusterKey
    let other: ClusterKey

    init() throws { (key, other) = (try ClusterKey.random(), try ClusterKey.random()) }

    private func secret(_ key: ClusterKey) -> String { String(key.exportText().suffix(64)) }
    private func name(_ key: ClusterKey) -> String { "skyfarm-1-\(key.fingerprint)" }

    private func outcome(_ options: [String]) throws -> Result<[UInt8], TLSError> {
        try OpenSSLClient.outcome(options, session: TLSSession(server: KeyRing(current: key), at: .now))
    }

    private func refusal(_ options: [String]) throws -> TLSErrorCode? {
        guard case .failure(let error) = try outcome(options) else { return nil }
        return error.code
    }

    @Test("with the key is accepted, and its data is read")
    func rightKey() throws {
        let outcome = try outcome(["-tls1_3", "-psk", secret(key), "-psk_identity", name(key)])
        #expect(outcome == .success(Array("hello\n".utf8)))
    }

    @Test(
        "with the key and other ciphers and groups beside ours agrees on ours",
        arguments: [
            (["-groups", "P-256:X25519"], ""), (["-groups", "P-521:X25519", "-allow_no_dhe_kex"], ""),
            (["-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"], "TLS_CHACHA20_POLY1305_SHA256"),
            (["-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256"], "TLS_CHACHA20_POLY1305_SHA256"),
            (["-ciphersuites", "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256"], "TLS_AES_128_GCM_SHA256"),
        ])
    func otherParameters(options: [String], cipher: String) throws {
        let session = try TLSSession(server: KeyRing(current: key), at: .now)
        let psk = ["-tls1_3", "-psk", secret(key), "-psk_identity", name(key)]
        #expect(try OpenSSLClient.outcome(psk + options, session: session) == .success(Array("hello\n".utf8)))
        #expect(session.parameters.group == "x25519")
        #expect(cipher.isEmpty || session.parameters.cipher == cipher)
    }

    @Test("with another key is refused, whatever its identity")
    func wrongKey() throws {
        #expect(try refusal(["-tls1_3", "-psk", secret(other), "-psk_identity", name(other)]) == .wrongKey)
        #expect(try refusal(["-tls1_3", "-psk", secret(other), "-psk_identity", name(key)]) == .wrongKey)
        #expect(try refusal(["-tls1_3", "-psk", secret(key), "-psk_identity", "Client_identity"]) == .wrongKey)
    }

    @Test("without a key is refused")
    func noKey() throws {
        #expect(try refusal(["-tls1_3"]) == .noKey)
        #expect(try refusal([]) == .noKey)
    }

    @Test("with an old version of TLS is refused, also if it has the key", arguments: ["-tls1_2", "-tls1_1", "-tls1"])
    func oldVersion(option: String) throws {
        #expect(try refusal([option, "-cipher", "ALL:@SECLEVEL=0"]) == .oldVersion)
        #expect(try refusal([option, "-cipher", "PSK:@SECLEVEL=0", "-psk", secret(key)]) == .oldVersion)
    }

    @Test("without a common cipher or group is refused")
    func noCommonParameters() throws {
        let psk = ["-tls1_3", "-psk", secret(key), "-psk_identity", name(key)]
        #expect(try refusal(psk + ["-ciphersuites", "TLS_AES_256_GCM_SHA384"]) != nil)
        #expect(try refusal(psk + ["-groups", "P-256"]) != nil)
    }
}

enum OpenSSLClient {
    static let path = "/usr/bin/openssl"

    static var isInstalled: Bool { access(path, X_OK) == 0 }

    /// The outcome of a client that sends "hello": the plaintext that `session` read, or the refusal.
    static func outcome(_ options: [String], session: TLSSession) throws -> Result<[UInt8], TLSError> {
        signal(SIGPIPE, SIG_IGN)
        let listener = try LoopbackListener()
        let client = Process()
        client.executableURL = URL(fileURLWithPath: path)
        client.arguments = ["s_client", "-connect", "127.0.0.1:\(listener.port)", "-quiet"] + options
        let input = Pipe()
        client.standardInput = input
        client.standardOutput = FileHandle.nullDevice
        client.standardError = FileHandle.nullDevice
        try client.run()
        defer { client.waitUntilExit() }
        try input.fileHandleForWriting.write(contentsOf: Data("hello\n".utf8))
        try input.fileHandleForWriting.close()
        let socket = try listener.accept()
        defer { close(socket) }
        return Result { () throws(TLSError) in try serve(session, on: socket) }
    }

    /// Reads a line, or to the end of the stream.
    private static func serve(_ session: TLSSession, on socket: Int32) throws(TLSError) -> [UInt8] {
        var plaintext: [UInt8] = []
        defer { session.withOutput { write(socket, $0.baseAddress, $0.count) } }
        while plaintext.last != UInt8(ascii: "\n") {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else {
                try session.receiveEnd()
                break
            }
            try session.feed(Array(buffer[..<count]), into: &plaintext)
            session.withOutput { write(socket, $0.baseAddress, $0.count) }
        }
        session.close()
        return plaintext
    }
}

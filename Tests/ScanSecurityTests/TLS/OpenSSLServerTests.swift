import Foundation
import ScanSecurity
import Testing

/// A session against `openssl s_server` with a certificate, as when a coordinator is given a web server's address.
@Suite("openssl s_server", .enabled(if: OpenSSLClient.isInstalled, "needs the openssl command"))
struct OpenSSLServerTests {
    let key: ClusterKey

    init() throws { key = try ClusterKey.random() }

    @Test("with a certificate and no key is not trusted")
    func certificate() throws {
        #expect(try refusal(["-tls1_3"]) == .noProof)
    }

    @Test("with our identity but another key is not trusted")
    func otherKey() throws {
        let secret = String(try ClusterKey.random().exportText().suffix(64))
        let name = "skyfarm-1-\(key.fingerprint)"
        #expect(try refusal(["-tls1_3", "-psk", secret, "-psk_identity", name]) == .wrongKey)
    }

    @Test("with TLS 1.2 is distinguished from one with another key")
    func oldVersion() throws {
        #expect(try refusal(["-tls1_2"]) == .oldVersion)
    }

    @Test("with our key serves us")
    func ourKey() throws {
        let secret = String(key.exportText().suffix(64))
        let name = "skyfarm-1-\(key.fingerprint)"
        #expect(try refusal(["-tls1_3", "-psk", secret, "-psk_identity", name]) == nil)
    }

    /// Why a session with this server is refused.
    private func refusal(_ options: [String]) throws -> TLSErrorCode? {
        let server = try OpenSSLServer(options)
        let socket = try server.connect()
        defer { close(socket) }
        let session = try TLSSession(client: key)
        do {
            try shakeHands(session, on: socket)
            return nil
        } catch {
            return error.code
        }
    }

    private func shakeHands(_ session: TLSSession, on socket: Int32) throws(TLSError) {
        var none: [UInt8] = []
        while session.phase == .handshaking {
            session.withOutput { write(socket, $0.baseAddress, $0.count) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return try session.receiveEnd() }
            try session.feed(Array(buffer[..<count]), into: &none)
        }
    }
}

/// `openssl s_server` on any port of the loopback interface, with a self-signed certificate.
private final class OpenSSLServer {
    private let process = Process()
    private let folder: URL
    private let port: UInt16

    struct Failure: Error {}

    init(_ options: [String]) throws {
        signal(SIGPIPE, SIG_IGN)
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (secret, certificate) = (folder.appending(path: "key").path, folder.appending(path: "certificate").path)
        let maker = Process()
        maker.executableURL = URL(fileURLWithPath: OpenSSLClient.path)
        maker.arguments =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
            + ["-subj", "/CN=untrusted", "-keyout", secret, "-out", certificate]
        maker.standardError = FileHandle.nullDevice
        try maker.run()
        maker.waitUntilExit()
        process.executableURL = URL(fileURLWithPath: OpenSSLClient.path)
        process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-key", secret, "-cert", certificate] + options
        let output = Pipe()
        process.standardInput = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It prints "ACCEPT 127.0.0.1:PORT" when it is ready.
        var text = ""
        var found: UInt16?
        while found == nil {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure() }
            text += String(decoding: data, as: UTF8.self)
            found = text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) }
        }
        port = try #require(found)
    }

    deinit {
        // Threads of the pool block SIGTERM, and a child inherits the mask.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func connect() throws -> Int32 { try LoopbackSocket.connect(port: port) }
}

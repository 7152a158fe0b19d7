package import CSystem
package import CommandLineKit
import Console
package import Foundation
import ScanBasics
import ScanCluster

/// A request to this user's node on this machine, as one line of JSON.
package struct LocalRequest: Codable, Equatable, Sendable {
    package enum Action: String, Codable, Sendable {
        case submit, pause, resume, cancel, priority, remove, pauseNode, resumeNode, peers
    }

    package var v = 1
    package var action: Action
    /// ID of the submitted job.
    package var id: String?
    /// The command, for `submit`; nil for `skyfarm scan`.
    package var verb: JobVerb?
    /// Arguments of the command, for `submit`.
    package var words: [String]?
    /// IDs, or their beginnings, of the jobs after which the job begins, for `submit`.
    package var after: [String]?
    package var folder: String?
    package var environment: [String: String]?
    /// User and host of the submitter, for a job of another machine; `permit` has the folders that it may use.
    package var from: String?
    package var permit: JobPermit?
    /// Folder of `--accept-jobs` in which the job is kept, so that other nodes can take it over.
    package var store: String?
    /// Weight of the job, for `priority`.
    package var weight: Double?

    package init(_ action: Action, of id: String? = nil) { (self.action, self.id) = (action, id) }
}

/// The reply, as one line of JSON.
package struct LocalReply: Codable, Equatable, Sendable {
    package var v = 1
    /// ID of the submitted job.
    package var id: String?
    /// Reason why the request failed, or nil if it succeeded.
    package var error: String?
    /// Exit code that belongs to the error.
    package var code: Int32?
    /// Reason why the node is paused.
    package var pause: String?
    /// Addresses of the nodes that it has discovered, and its own.
    package var peers: [[String]]?

    package init(
        id: String? = nil, error: String? = nil, code: Int32? = nil, pause: String? = nil, peers: [[String]]? = nil
    ) {
        (self.id, self.error, self.code, self.pause, self.peers) = (id, error, code, pause, peers)
    }
}

/// The socket by which commands of a user reach the user's node on this machine.
package enum LocalSocket {
    /// Maximum number of bytes of a request, since the words of a job may name many files.
    package static let limit = 16 << 20

    /// Returns `$XDG_RUNTIME_DIR/skyfarm/node.sock`, or the equivalent in the state folder, or nil if the environment
    /// defines neither.
    package static func path(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return folder + "/skyfarm/node.sock" }
        return UserFolder.state.path(environment).map { $0 + "/node.sock" }
    }

    /// Sends a request and waits for the reply.
    /// - Throws: `CommandError` if no node answers or the request fails.
    package static func send(
        _ request: LocalRequest, _ environment: [String: String], timeLimit: Int = 10
    ) throws -> LocalReply {
        guard let path = path(environment) else { throw CommandError(.failure, "set HOME or XDG_RUNTIME_DIR") }
        let descriptor = socket(AF_UNIX, streamType, 0)
        defer { close(descriptor) }
        // The limit is set first, since connecting also blocks if a process accepts no connections.
        limitTime(ofSocket: descriptor, seconds: timeLimit)
        let connected = try withAddress(path) { connect(descriptor, $0, $1) }
        guard connected == 0, peer(of: descriptor) == geteuid() else {
            throw CommandError(
                .noUsableNode,
                "no node of yours runs on this machine (\(path)): start `skyfarm node`, or the service of your user by"
                    + " `skyfarm node --install-service --user`")
        }
        let handle = FileHandle(fileDescriptor: descriptor)
        try handle.write(contentsOf: Data(JSONOutput.line(request).utf8))
        guard let line = try readLine(descriptor), let reply = try? JSONDecoder().decode(LocalReply.self, from: line)
        else { throw CommandError(.failure, "the node of this machine did not answer; see its log") }
        if let error = reply.error {
            throw CommandError(ExitCode.all.first { $0.rawValue == reply.code } ?? .failure, error)
        }
        return reply
    }

    // MARK: Parts

    #if os(Linux)
        package static let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
        package static let streamType = SOCK_STREAM
    #endif

    /// Calls `body` with the socket address for `path`.
    /// - Throws: `CommandError` if the path is too long for the system.
    package static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(CommandError) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw CommandError(.failure, "\(path): too long for a socket; set XDG_RUNTIME_DIR to a shorter folder")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Returns the user of the process at the other end, or nil if the system does not report it.
    package static func peer(of descriptor: Int32) -> uid_t? {
        var user = uid_t()
        return skyfarm_peer_user(descriptor, &user) == 0 ? nil : user
    }

    /// Reads up to the first newline. Returns nil if the peer sends none, or sends too much.
    package static func readLine(_ descriptor: Int32) throws -> Data? {
        var line = Data()
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while line.count <= limit {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            line.append(contentsOf: bytes[..<count])
            if let end = line.lastIndex(of: 10) { return line[..<end] }
        }
        return nil
    }
}

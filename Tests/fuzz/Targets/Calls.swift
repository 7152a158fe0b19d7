import ScanCluster
import ScanNetwork

@testable import Console
@testable import ImageJobs
@testable import NodeDaemon

extension FuzzTarget {
    /// The bodies of calls and of their replies, as a member of the cluster sends them: about jobs, about the files of a
    /// store, of a node that joins; the first byte chooses.
    static let calls = FuzzTarget(name: "calls") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte() % 5
        do {
            switch choice {
            case 0:
                let request = try WireDecoder().decode(ClusterRequest.self, from: input.rest)
                use(words: request.words ?? [], folder: request.folder ?? "/")
                for stamp in request.stamps ?? [] { _ = stamp == InputStamp("/usr/share/doc/libc6/copyright") }
            case 1: use(try WireDecoder().decode(ClusterReply.self, from: input.rest))
            case 2: keep(try WireDecoder().decode([StoreRequest].self, from: input.rest))
            case 3:
                let reply = try WireDecoder().decode(StoreReply.self, from: input.rest)
                precondition((reply.error ?? "").printable.unicodeScalars.allSatisfy(\.isPrintable))
            default:
                let call = try WireDecoder().decode(JoinCall.self, from: input.rest)
                precondition(!"\(SocketAddress(host: "host", port: call.port))".isEmpty)
            }
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        var submit = ClusterRequest(.submit)
        (submit.words, submit.folder) = (["copyright", "-o", "{name}.fits"], "/usr/share/doc/libc6")
        (submit.from, submit.stamps) = ("me@there", [InputStamp("/usr/share/doc/libc6/copyright")].compactMap(\.self))
        submit.stamps = submit.stamps?.map { stamp in
            var stamp = stamp
            // The seeds are the same on each machine.
            (stamp.byteCount, stamp.modified) = (1, 2)
            return stamp
        }
        var read = ClusterRequest(.read, id: "00ff")
        (read.name, read.offset) = ("/usr/share/doc/libc6/copyright", 4 << 20)
        let file = StoredFile(path: "night/a.fits", byteCount: 3, modified: 1)
        return [
            "submit": try WireEncoder().encode(submit).chosen(0), "read": try WireEncoder().encode(read).chosen(0),
            "rows": try WireEncoder().encode(reply()).chosen(1),
            "store": try WireEncoder().encode(upload(file)).chosen(2),
            "kept": try WireEncoder().encode(StoreReply(.kept, upload: 7)).chosen(3),
            "join": try WireEncoder().encode(JoinCall(name: "n", port: 4870, slots: 2)).chosen(4),
        ]
    }

    private static func reply() -> ClusterReply {
        var job = SubmittedJob(
            id: "00ff", words: ["a.fits"], folder: "/data", environment: [:], submitted: 0)
        job.from = "me@there"
        var row = JobRow(SubmittedEntry(job: job, process: 7))
        row.ageSeconds = 90
        row.progress = JobProgress(
            event: "progress", tasks: 40, tasksDone: 12, pixels: 1000, pixelsDone: 100, rate: 1e6, secondsLeft: 3,
            retries: 1, systems: 2, slotsTotal: 4)
        var reply = ClusterReply()
        (reply.jobs, reply.id) = ([row], "00ff")
        var load = NodeLoad(name: "n", address: "127.0.0.1:4870", software: "skyfarm", slots: 2)
        (load.running, load.done, load.coordinators, load.now) = (1, 9, 1, "scans")
        load.failures = [NodeLoad.Failure(secondsAgo: 3, text: "lost")]
        reply.load = load
        return reply
    }

    private static func upload(_ file: StoredFile) -> [StoreRequest] {
        var (look, begin) = (StoreRequest(.look), StoreRequest(.begin, of: 7))
        (look.files, begin.file) = ([file], file)
        var piece = StoreRequest(.piece, of: 7)
        (piece.offset, piece.bytes) = (0, Array("SIM".utf8))
        var commit = StoreRequest(.commit, of: 7)
        commit.digest = Array(repeating: 0, count: 32)
        return [look, begin, piece, commit, StoreRequest(.abandon, of: 7)]
    }

    /// Prints what a node answers, as `jobs` and the page of the cluster do.
    private static func use(_ reply: ClusterReply) {
        guard let reply = try? reply.get(from: "node") else { return }
        let rows = reply.jobs ?? []
        _ = (JobRow.text(rows), rows.map(\.text), rows.map(\.failureText))
        var (watched, picture) = (WatchedProgress(), ClusterPicture())
        for row in rows.prefix(3) { _ = watched.events(to: row.progress, row.systems) }
        picture.set(rows)
        for time in [0.0, 1] {
            guard var load = reply.load else { continue }
            if time > 0 { load.done = ~load.done }
            picture.answered(load, at: time)
        }
        // JSON has no numbers that are none.
        let update = try? JSONOutput.line(ClusterUpdate(picture))
        let document = try? JSONOutput.document(JobRow.Listing(jobs: rows))
        precondition(update != nil && document != nil)
        let names = JobFile.localNames(of: (reply.files ?? []).map(\.name)).filter(JobFile.isUsable)
        precondition(names.allSatisfy { !$0.hasPrefix("/") && !$0.split(separator: "/").contains("..") })
    }

    /// What a node's store decides about these requests, one after the other.
    private static func keep(_ requests: [StoreRequest]) {
        var ledger = StoreLedger(limit: 1 << 30)
        ledger.counted(0)
        let now = Instant(nanoseconds: 0)
        for request in requests.prefix(200) {
            for file in request.files ?? [] { _ = try? StoreLedger.check(file) }
            guard let id = request.upload else { continue }
            switch request.store {
            case .look: break
            case .begin:
                guard let file = request.file, (try? StoreLedger.check(file)) != nil else { continue }
                _ = try? ledger.begin(file, as: id, free: 1 << 30, at: now)
            case .piece:
                guard let offset = request.offset, let bytes = request.bytes,
                    let digest = try? ContentDigest.piece(bytes)
                else { continue }
                _ = try? ledger.take(bytes.count, bytesAt: offset, digest: digest, of: id, at: now)
            case .commit: if (try? ledger.complete(id, digest: request.digest)) != nil { ledger.ended(id, kept: 1) }
            case .abandon: ledger.ended(id)
            }
            precondition(ledger.room >= 0 && ledger.reserved <= ledger.limit && ledger.uploads.count <= 64)
        }
    }
}

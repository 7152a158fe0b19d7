import CommandLineKit
import Foundation
import ScanBasics
import ScanCluster

/// Jobs that several machines can run. Each run has a lease with a number, and a folder with that number for its
/// journal and its log.
extension SubmittedJobs {
    /// Creates the folder of jobs in a folder that other nodes can access as well.
    package init(sharedIn folder: String) { self.init(path: Self.path(in: folder), isShared: true) }

    /// Creates the folder of jobs from the absolute path of the folder of one job.
    package init(sharedFolder path: String) {
        self.init(path: (path as NSString).deletingLastPathComponent, isShared: true)
    }

    package static func path(in folder: String) -> String {
        ([folder == "/" ? "" : folder] + sharedNames).joined(separator: "/")
    }

    /// Path of the folder of jobs within a folder of `--accept-jobs`.
    static let sharedNames = [ConfinedFolders.reserved, "jobs"]

    /// Returns the newest lease of a job, or nil if the job never ran.
    package func lease(_ id: String) -> JobLease? { try? inFolder { lease(id, $0) } }

    package func lease(_ id: String, _ names: JobFolder) -> JobLease? {
        guard let number = names.newest(id), let lease: JobLease = read(names.lease(id, number)) else { return nil }
        return lease.number == number && lease.isPossible ? lease : nil
    }

    /// Returns the greatest number of a lease, or nil if there is none or the folder cannot be read.
    package func newest(_ id: String) -> Int? { try? inFolder { $0.newest(id) } }

    /// Takes the lease after `last`, and prepares its folder with a copy of the last run's files. They are not moved,
    /// since that run may still write.
    /// - Returns: The lease, or nil if another node has it.
    /// - Throws: `CommandError` if the folder cannot be written.
    package func claim(_ id: String, after last: Int, owner: String, node: String, limit: Double) throws -> JobLease? {
        let (number, overflow) = last.addingReportingOverflow(1)
        guard !overflow, JobLease.numbers.contains(number) else {
            throw CommandError(.failure, "job \(id) was begun too often; remove it, and submit it again")
        }
        let lease = JobLease(number: number, owner: owner, node: node, beat: 0, limit: limit)
        return try inFolder { names in
            // Written to a temporary file and linked to a name that must not exist, which is atomic on network file
            // systems as well.
            let temporary = "\(names.folder(id))/.lease-\(UInt64.random(in: 0...UInt64.max).hexadecimal)"
            try write(lease, to: temporary)
            defer { unlink(temporary) }
            guard link(temporary, names.lease(id, number)) == 0 else {
                if errno == EEXIST { return nil }
                throw CommandError(.output, folder(id), errno: errno)
            }
            let (run, old) = (names.run(id, number), names.run(id, last) + "/state")
            try? FileManager.default.removeItem(atPath: run)
            try FileManager.default.createDirectory(
                atPath: run, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            if FileManager.default.fileExists(atPath: old) {
                try FileManager.default.copyItem(atPath: old, toPath: run + "/state")
            }
            return lease
        }
    }

    /// Writes a renewed lease.
    package func renew(_ lease: JobLease, _ id: String) throws {
        try inFolder { try write(lease, to: $0.lease(id, lease.number)) }
    }

    /// Removes the folders of all runs but the newest, after the job is done.
    package func removeOldRuns(of id: String) {
        _ = try? inFolder { names in
            let runs = (try? FileManager.default.contentsOfDirectory(atPath: names.folder(id))) ?? []
            let newest = names.newest(id) ?? 0
            for run in runs where run.hasPrefix("run-") && (Int(run.dropFirst(4)) ?? newest) < newest {
                try? FileManager.default.removeItem(atPath: "\(names.folder(id))/\(run)")
            }
        }
    }

    /// Returns the folder with the journals of the newest run.
    package func stateFolder(_ id: String) -> String { JobFolder(base: path, isShared: true).run(id) + "/state" }
}

/// Renews a lease until it is released, and reports if the lease is lost.
final class LeaseRenewal {
    private let queue = DispatchQueue(label: "skyfarm.lease")
    private let timer: any DispatchSourceTimer

    /// Starts to renew the lease. `onLoss` is called on a separate queue.
    init(_ lease: JobLease, of id: String, in jobs: SubmittedJobs, onLoss: @escaping @Sendable (String) -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        let start = Self.seconds
        let state = Locked((lease, LeaseKeeper(limit: lease.limit, at: start)))
        timer.schedule(deadline: .now(), repeating: lease.period, leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable in
            var (lease, keeper) = state.withLock(\.self)
            lease.beat &+= 1
            // The number is read first, since nothing may be written after a loss.
            let before = jobs.newest(id)
            let isRenewed = before == lease.number && (try? jobs.renew(lease, id)) != nil
            let verdict = keeper.attempted(isRenewed: isRenewed, newest: before, own: lease.number, at: Self.seconds)
            state.withLock { $0 = (lease, keeper) }
            switch verdict {
            case .holds: break
            case .superseded: onLoss("\(jobs.lease(id)?.node ?? "another node") has taken the job over")
            case .expired: onLoss("the job's folder could not be written for too long")
            }
        }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Stops the renewal. Returns after a renewal in progress is done.
    func stop() {
        timer.cancel()
        queue.sync {}
    }

    /// Seconds of a clock that also counts while the machine sleeps.
    static var seconds: Double {
        var time = timespec()
        #if os(Linux)
            clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

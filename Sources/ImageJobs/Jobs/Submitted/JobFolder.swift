import Foundation

/// Paths of the files of jobs, below a folder of jobs.
package struct JobFolder {
    package let base: String
    /// Whether each run of a job has its own folder.
    let isShared: Bool

    package func folder(_ id: String) -> String { "\(base)/\(id)" }
    package func job(_ id: String) -> String { folder(id) + "/job.json" }
    package func result(_ id: String) -> String { folder(id) + "/result.json" }
    /// Record of the files that the job has written, one per line.
    package func written(_ id: String) -> String { folder(id) + "/written" }
    package func lock(_ id: String) -> String { run(id) + "/lock" }
    package func log(_ id: String) -> String { run(id) + "/log" }

    /// Folder with lock and log of the newest run.
    package func run(_ id: String) -> String { isShared ? run(id, newest(id) ?? 0) : folder(id) }
    package func run(_ id: String, _ number: Int) -> String { "\(folder(id))/run-\(number)" }
    package func lease(_ id: String, _ number: Int) -> String { "\(folder(id))/lease-\(number)" }

    /// Greatest number of a lease, or nil if there is none or the folder cannot be read.
    package func newest(_ id: String) -> Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: folder(id)))?
            .compactMap { $0.hasPrefix("lease-") ? Int($0.dropFirst(6)) : nil }
            .filter(JobLease.numbers.contains).max()
    }

    /// Returns whether `id` is a valid ID of a job, which becomes a component of a path.
    static func isID(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= 16
            && id.utf8.allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }
}

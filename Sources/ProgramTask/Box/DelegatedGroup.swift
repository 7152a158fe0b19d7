import CProgramBox
import Foundation
import ScanBasics

/// The control group (version 2) of this process, if its service manager has delegated it (`Delegate=` of systemd). Each
/// place of programs then has a group of its own in it.
///
/// A group with processes has no controllers for the groups below it: this process moves to the group `node` first.
final class DelegatedGroup: Sendable {
    /// Folder of the group.
    let path: String

    /// The group of this process, which programs and workers share; nil if none is delegated.
    static let shared = DelegatedGroup()

    /// Whether the memory of groups below it can be limited.
    let limitsMemory: Bool
    private let number = Locked(0)

    /// Returns nil unless the group is delegated and this user may make groups in it.
    init?(of process: String = "/proc/self") {
        let (groups, mounts) = (Self.text(process + "/cgroup"), Self.text(process + "/mountinfo"))
        guard let path = Self.path(groups: groups, mounts: mounts), skyfarm_is_delegated(path) != 0 else { return nil }
        let own = path + "/node"
        guard mkdir(own, 0o755) == 0 || errno == EEXIST, Self.write("\(getpid())", own + "/cgroup.procs") else {
            return nil
        }
        _ = Self.write("+memory", path + "/cgroup.subtree_control")
        self.path = path
        limitsMemory = Self.text(path + "/cgroup.subtree_control").split(whereSeparator: \.isWhitespace)
            .contains("memory")
    }

    /// Makes a group for programs with at most so many bytes of memory.
    /// - Returns: nil if that fails.
    func group(memory: Int) -> ProgramGroup? {
        let number = number.withLock { number in
            number += 1
            return number
        }
        let group = "\(path)/programs-\(getpid())-\(number)"
        guard mkdir(group, 0o755) == 0 else { return nil }
        if limitsMemory {
            // All processes of a program end if one of them would exceed it.
            let isLimited =
                Self.write("\(memory)", group + "/memory.max") && Self.write("1", group + "/memory.oom.group")
            _ = Self.write("0", group + "/memory.swap.max")
            if !isLimited {
                rmdir(group)
                return nil
            }
        }
        return ProgramGroup(group)
    }

    /// The folder of a process's group, from the lines of its `cgroup` and `mountinfo` in `/proc`.
    static func path(groups: String, mounts: String) -> String? {
        guard let group = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else {
            return nil
        }
        for line in mounts.split(separator: "\n") {
            // 30 23 0:26 ROOT PLACE OPTIONS - TYPE SOURCE OPTIONS
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), words.count > dash + 1, words[dash + 1] == "cgroup2", dash > 4
            else { continue }
            let (root, place) = (words[3], words[4])
            if root == "/" { return group == "/" ? String(place) : "\(place)\(group)" }
            if group == root || group.hasPrefix(root + "/") { return "\(place)\(group.dropFirst(root.count))" }
        }
        return nil
    }

    static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Writes to a file of a control group in one call.
    static func write(_ text: String, _ path: String) -> Bool {
        let number = open(path, O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { return false }
        let file = OpenDescriptor(number)
        return Array(text.utf8).withUnsafeBytes { writeAll($0, to: file.number) } == nil
    }
}

/// The control group of a place of programs.
final class ProgramGroup: Sendable {
    private let path: String
    /// Its list of processes, to which a program writes itself.
    let processes: OpenDescriptor

    fileprivate init?(_ path: String) {
        let number = open(path + "/cgroup.procs", O_WRONLY | O_CLOEXEC)
        guard number >= 0 else {
            rmdir(path)
            return nil
        }
        (self.path, processes) = (path, OpenDescriptor(number))
    }

    deinit {
        killAll()
        rmdir(path)
    }

    /// How often processes were ended because their memory was at its limit.
    var memoryKills: Int { Self.number("oom_kill", in: DelegatedGroup.text(path + "/memory.events")) }

    /// The number in the line of a name.
    static func number(_ name: String, in text: String) -> Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }

    /// Kills all processes of the group, also those that a program has hidden from its supervisor by ending it, and waits
    /// until they have ended, for up to ten seconds.
    func killAll() {
        func hasProcesses() -> Bool { Self.number("populated", in: DelegatedGroup.text(path + "/cgroup.events")) > 0 }
        guard hasProcesses() else { return }
        let end = ContinuousClock.now + .seconds(10)
        repeat {
            if !DelegatedGroup.write("1", path + "/cgroup.kill") {
                // Linux before 5.14.
                for id in DelegatedGroup.text(path + "/cgroup.procs").split(separator: "\n").compactMap({ pid_t($0) })
                where id > 1 { kill(id, SIGKILL) }
            }
            usleep(1000)
        } while hasProcesses() && .now < end
    }
}

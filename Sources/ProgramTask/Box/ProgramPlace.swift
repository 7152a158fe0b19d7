import CProgramBox
import Foundation
import ScanBasics
import ScanCluster

/// A folder in which programs run one after the other, the files for their standard output and standard error, and
/// their supervisor, which may have two places. Used by one thread at a time.
final class ProgramPlace: Sendable {
    let path: String
    let folder: OpenDescriptor
    let output: OpenDescriptor
    let errors: OpenDescriptor
    let scratch: ScratchFolder
    /// Name of the folder in that of all tasks.
    let name: String
    let supervisor: ProgramSupervisor
    /// The control group of the programs; nil if there is none.
    private let group: ProgramGroup?
    /// Where a program notes itself that has no group.
    private let nowhere: OpenDescriptor

    /// Makes the folder.
    /// - Throws: ``ProgramRefusal``.
    private init(
        in scratch: ScratchFolder, _ supervisor: ProgramSupervisor, group: ProgramGroup?
    ) throws(ProgramRefusal) {
        (self.scratch, self.supervisor, self.group) = (scratch, supervisor, group)
        nowhere = try Self.open(Foundation.open("/dev/null", O_WRONLY | O_CLOEXEC))
        name = scratch.newName()
        path = scratch.path + "/" + name
        guard mkdirat(scratch.descriptor.number, name, 0o700) == 0 else { throw Self.refusal("its folder", errno) }
        do {
            folder = try Self.open(
                openat(scratch.descriptor.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
            output = try Self.newFile(in: scratch, name + ".out")
            errors = try Self.newFile(in: scratch, name + ".err")
        } catch {
            skyfarm_remove_tree(scratch.descriptor.number, name)
            throw error
        }
    }

    /// Makes the folder and, in `delegated` if there is one, a control group for it.
    /// - Throws: ``ProgramRefusal``.
    convenience init(
        in scratch: ScratchFolder, _ supervisor: ProgramSupervisor, _ limits: ProgramLimits,
        below delegated: DelegatedGroup? = .shared
    ) throws(ProgramRefusal) {
        var group: ProgramGroup?
        if let delegated {
            group = delegated.group(memory: Int(limits.mostMemory))
            if group == nil {
                throw ProgramRefusal("the control group of the program cannot be made in \(delegated.path)")
            }
        }
        try self.init(in: scratch, supervisor, group: group)
    }

    deinit { skyfarm_remove_tree(scratch.descriptor.number, name) }

    static func refusal(_ what: String, _ code: Int32) -> ProgramRefusal {
        ProgramRefusal("\(what) cannot be made: \(String(cString: strerror(code)).lowercased())")
    }

    private static func open(_ number: Int32) throws(ProgramRefusal) -> OpenDescriptor {
        guard number >= 0 else { throw refusal("its folder", errno) }
        return OpenDescriptor(number)
    }

    /// A new file without a name, to which every write appends.
    private static func newFile(in scratch: ScratchFolder, _ name: String) throws(ProgramRefusal) -> OpenDescriptor {
        let root = scratch.descriptor.number
        let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC
        let file = try open(openat(root, name, flags, 0o600))
        unlinkat(root, name, 0)
        return file
    }

    /// Creates the input files of a task, whose bytes begin at `start` in `bulk`, and the links to the shared files.
    /// - Throws: ``ProgramRefusal``, for example if the disk is full.
    func fill(with task: ProgramTask, bulk: BulkBytes?, at start: Int, shared: [String]) throws(ProgramRefusal) {
        var problem: ProgramRefusal?
        func write(_ bytes: UnsafeRawBufferPointer) {
            var rest = bytes[...]
            for input in task.inputs where problem == nil {
                problem = Self.write(UnsafeRawBufferPointer(rebasing: rest.prefix(input.size)), input.name, in: folder)
                rest = rest.dropFirst(input.size)
            }
        }
        if task.shared.isEmpty, let bulk {
            bulk.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0.dropFirst(start))) }
        } else {
            task.inlined.withUnsafeBytes(write)
        }
        if let problem { throw problem }
        guard !shared.isEmpty else { return }
        guard mkdirat(folder.number, ProgramTask.sharedFolder, 0o700) == 0 else {
            throw Self.refusal(ProgramTask.sharedFolder, errno)
        }
        for (file, path) in zip(task.shared, shared)
        where symlinkat(path, folder.number, "\(ProgramTask.sharedFolder)/\(file.name)") != 0 {
            throw Self.refusal(file.name, errno)
        }
    }

    /// Creates a file with these bytes.
    static func write(
        _ bytes: UnsafeRawBufferPointer, _ name: String, in folder: OpenDescriptor, mode: mode_t = 0o600
    ) -> ProgramRefusal? {
        let number = openat(folder.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard number >= 0 else { return refusal(name, errno) }
        let file = OpenDescriptor(number)
        return writeAll(bytes, to: file.number).map { refusal(name, $0) }
    }

    /// Has a command run in the folder as soon as the supervisor's other one has ended.
    /// - Returns: how often its group's processes were ended for their memory before.
    /// - Throws: ``ProgramRefusal``.
    func begin(_ words: [String], _ variables: [String], _ limits: ProgramLimits) throws(ProgramRefusal) -> Int {
        let kills = group?.memoryKills ?? 0
        try supervisor.send(
            ProgramSupervisor.request(folder: name, words, variables, limits.values), descriptors)
        return kills
    }

    /// Waits until the command has ended that was begun after so many `kills`.
    /// - Throws: ``ProgramRefusal``; `CancellationError`, after the command has ended.
    func result(after kills: Int, _ context: ScanContext) throws -> ProgramResult {
        defer { group?.killAll() }
        var result = try supervisor.result(context)
        if let group, group.memoryKills > kills { result.end = skyfarm_program_out_of_memory }
        return result
    }

    /// Whether the kernel has ended processes since the memory of all of them was at its limit.
    var hasExceededMemory: Bool { (group?.memoryKills ?? 0) > 0 }

    /// The descriptors that accompany the request of a program.
    var descriptors: [Int32] {
        [scratch.descriptor, folder, output, errors, group?.processes ?? nowhere].map(\.number)
    }

    /// Socket of the supervisor.
    var supervisorSocket: Int32 { supervisor.socket.number }

    /// Removes what a task has left.
    /// - Returns: Whether the place can be used again.
    func isCleared() -> Bool {
        for file in [output, errors] where ftruncate(file.number, 0) != 0 { return false }
        return skyfarm_empty_folder(scratch.descriptor.number, name, folder.number) != 0
    }
}

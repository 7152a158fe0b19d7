import CProgramBox
import Foundation
package import ScanBasics
package import ScanCluster

/// The programs that the owner of a system gives away, and the place where they run.
///
/// Each run has a ``ProgramPlace`` of its own: a private folder and a supervisor, a small process that starts the
/// program, watches its limits and, in the end, kills every process that descends from it. Places are kept for the next
/// run. Short programs come in a ``ProgramSeries``, whose runs have two places by turns. ``run(_:_:)`` blocks, and is
/// called on scan threads.
package final class ProgramHost: Sendable {
    /// Programs and limits, as the owner has set them.
    package struct Options: Equatable, Sendable {
        /// Absolute paths of the programs by name.
        package var programs: [String: String]
        package var limits = ProgramLimits()
        /// Folder for the tasks' folders; nil for the system's folder for temporary files.
        package var scratch: String?
        /// Number of tasks that run at a time.
        package var slots = 1
        /// Command of the supervisor's process.
        package var supervisor = ProgramHost.supervisor

        package init(programs: [String: String]) { self.programs = programs }
    }

    /// The only argument of a supervisor's process.
    package static let word = "--program-supervisor"
    /// The command of a supervisor: this program itself.
    package static let supervisor = ["/proc/self/exe", word]

    /// The host of this process; nil if it runs no programs.
    package static let current = Locked<ProgramHost?>(nil)

    package let options: Options
    let taskLimits: ProgramTaskLimits
    private let scratch: ScratchFolder
    let shared: SharedFiles
    private let idle = Locked<[ProgramPlaces]>([])
    /// Variables of the environment that are the same for all tasks.
    let environment: [String]

    /// Variables that a program gets from the environment of its node.
    package static let inherited = ["PATH", "LANG", "LC_ALL", "TZ"]

    /// Makes the folder of all tasks.
    /// - Throws: ``ProgramRefusal`` if a program or the folder cannot be used.
    package init(_ options: Options, environment: [String: String]) throws(ProgramRefusal) {
        guard skyfarm_program_box_works() != 0 else { throw ProgramRefusal("programs can be run on Linux only") }
        for (name, path) in options.programs.sorted(by: { $0.key < $1.key }) {
            try Self.check(name, path)
        }
        self.options = options
        var limits = ProgramTaskLimits()
        limits.slots = options.slots
        taskLimits = limits
        scratch = try ScratchFolder(in: options.scratch ?? FileManager.default.temporaryDirectory.path)
        shared = SharedFiles(in: scratch, limit: Int(clamping: options.limits.disk))
        self.environment = Self.inherited.compactMap { name in environment[name].map { "\(name)=\($0)" } }
    }

    private static func check(_ name: String, _ path: String) throws(ProgramRefusal) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ProgramRefusal("the program \(name) needs an absolute path, not \(path)")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ProgramRefusal("the program \(name), \(path): \(String(cString: strerror(errno)).lowercased())")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw ProgramRefusal("the program \(name), \(path), is no file that this user may execute")
        }
    }

    /// Tags of a system with this host.
    package var tags: Set<String> { Set(options.programs.keys.map(ProgramTask.tag)) }

    /// Runs the programs of a series.
    /// - Returns: the output of the first program, and of so many of those after it as were run.
    /// - Throws: ``ProgramRefusal`` if the series is not acceptable or its first program cannot be run here;
    ///   `CancellationError`.
    package func run(_ series: ProgramSeries, _ context: ScanContext) throws -> [ProgramOutput] {
        let bulk = context.takeBulk()
        if let problem = series.problem(taskLimits, bulk: bulk?.count ?? 0) {
            throw ProgramRefusal("refused: \(problem)")
        }
        guard let path = options.programs[series.program] else {
            throw ProgramRefusal("refused: this node gives no program \(series.program) away")
        }
        try context.checkCancellation()
        let places = try idle.withLock({ $0.popLast() }) ?? ProgramPlaces(first: newPlace())
        var run = SeriesRun(self, path, series, bulk, in: places)
        let outputs = try run.outputs(context)
        if run.isClean { idle.withLock { $0.append(run.places) } }
        return outputs
    }

    /// Runs one task; the only one of its series.
    package func run(_ task: ProgramTask, _ context: ScanContext) throws -> ProgramOutput {
        try run(ProgramSeries([task]), context)[0]
    }

    /// Makes a place, with a supervisor of its own unless there is one already.
    func newPlace(_ supervisor: ProgramSupervisor? = nil) throws(ProgramRefusal) -> ProgramPlace {
        guard let supervisor else { return try newPlace(ProgramSupervisor(options.supervisor)) }
        return try ProgramPlace(in: scratch, supervisor, options.limits)
    }

    /// The limits of a task.
    func limits(of task: ProgramTask) -> ProgramLimits {
        var limits = options.limits
        limits.seconds = min(limits.seconds, task.seconds ?? .infinity)
        return limits
    }

    /// Ends the supervisors, and removes the folder of all tasks. No task may run any more.
    package func close() {
        idle.withLock { $0 = [] }
        scratch.remove()
    }

    /// Runs the process of a supervisor, whose socket is its standard input.
    /// - Returns: Its exit code.
    package static func supervise() -> Int32 { skyfarm_supervise_programs(STDIN_FILENO) }
}

/// What an owner allows a program. Sizes are in bytes.
package struct ProgramLimits: Equatable, Sendable {
    /// Memory of all processes of a task together; each process has no more address space. Nil: three quarters of the
    /// machine's memory, and any address space.
    package var memory: Int?
    /// Longest time of a task in seconds.
    package var seconds = 86_400.0
    /// Files in a task's folder together, and each file.
    package var disk: UInt64 = 10 << 30
    /// Processes of a task at a time.
    package var processes: UInt32 = 1024
    /// Open files of each process.
    package var openFiles: UInt32 = 4096
    /// Nice value of the programs.
    package var niceness: Int32 = 0

    package init() {}

    /// Bytes of memory of all processes of a task.
    var mostMemory: UInt64 { UInt64(memory ?? PhysicalMemory.byteCount / 4 * 3) }

    /// The limits as the supervisor gets them.
    var values: skyfarm_program_limits {
        // A control group limits the memory itself, and counts pages once that processes share.
        let isGrouped = DelegatedGroup.shared?.limitsMemory == true
        return skyfarm_program_limits(
            address_space: isGrouped ? 0 : UInt64(memory ?? 0), memory: isGrouped ? 0 : mostMemory, disk: disk,
            milliseconds: UInt64(max(1, seconds * 1000)), processes: processes, open_files: openFiles,
            niceness: niceness)
    }
}

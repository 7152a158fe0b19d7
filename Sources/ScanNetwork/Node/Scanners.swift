public import ScanCluster

/// The types of task that a node runs. Nothing else runs, whatever comes over the wire.
public struct Scanners: Sendable {
    /// What running one attempt led to.
    enum Outcome: Sendable {
        case output([UInt8])
        case failure(String)
        /// The bulk bytes to which the task refers are not here, for this reason.
        case elsewhere(String)
    }

    /// Decodes a task, runs it and encodes its output; also measures the scan itself.
    typealias Run = @Sendable (_ task: [UInt8], ScanContext, any ScanClock) -> (Outcome, seconds: Double)

    /// One type of task, under its name.
    struct Scanner: Sendable {
        let name: String
        let run: Run

        func isNamed(_ bytes: UnsafeRawBufferPointer) -> Bool {
            var name = name
            return name.withUTF8 { $0.elementsEqual(bytes) }
        }
    }

    private var runs: [String: Run] = [:]
    private let encoders = WireEncoders()

    /// The scanners of these types, as in `Scanners(PrimeCount.self, PrimeSum.self)`.
    public init<each Task: ScanTask>(_ types: repeat (each Task).Type) {
        repeat add(each types)
        repeat add(TaskChunk<each Task>.self)
    }

    /// Names of all scanners, sorted.
    public var names: [String] { runs.keys.sorted() }

    /// The same scanners with other answers than they have, for tests of distrust: `change` gets each coded output, and
    /// what it throws becomes the scan's failure.
    package func answering(_ change: @escaping @Sendable ([UInt8]) throws -> [UInt8]) -> Scanners {
        var scanners = self
        scanners.runs = runs.mapValues { run in
            { bytes, context, clock in
                let (outcome, seconds) = run(bytes, context, clock)
                guard case .output(let output) = outcome else { return (outcome, seconds) }
                do {
                    return (.output(try change(output)), seconds)
                } catch {
                    return (.failure("\(error)"), seconds)
                }
            }
        }
        return scanners
    }

    /// The scanner of that name.
    func find(_ name: UnsafeRawBufferPointer) -> Scanner? {
        let name = String(decoding: name, as: UTF8.self)
        return runs[name].map { Scanner(name: name, run: $0) }
    }

    private mutating func add<Task: ScanTask>(_ type: Task.Type) {
        precondition(runs[Task.scanner] == nil, "two scanners have the name \(Task.scanner)")
        precondition((1...255).contains(Task.scanner.utf8.count), "a scanner's name has 1 to 255 bytes")
        runs[Task.scanner] = { [encoders] bytes, context, clock in
            let task: Task
            do {
                task = try WireDecoder().decode(Task.self, from: bytes)
            } catch {
                return (.failure("the task cannot be decoded: \(error)"), 0)
            }
            let start = clock.now
            let result = Result { try task.scan(context) }
            let seconds = clock.now.since(start) / .seconds(1)
            do {
                return (.output(try encoders.encode(try result.get())), seconds)
            } catch {
                return (.failure("\(error)"), seconds)
            }
        }
    }
}

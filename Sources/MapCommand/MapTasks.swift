import Foundation
import ProgramTask
import ScanBasics
import ScanCluster
import SkyFITS
import SkyScan
import TaskJournal

/// The tasks of a round, in series, with the bytes that travel beside them.
///
/// The bulk bytes of a series are those of its input files. With shared files they are the bytes of these, under one key,
/// so that a node gets them once; the input files are then in the task itself.
final class MapTasks: Sendable {
    /// Files of an item that travel in the task itself, in bytes; larger ones are refused.
    static let inlineLimit = 256 << 20

    private let items: [PreparedItem]
    private let shared: [MapPlan.Shared]
    private let key: BulkKey
    /// The bytes of the shared files, once a node needs them.
    private let sharedBytes = Locked<BulkBytes?>(nil)
    /// Why the files of an item could not be read, by its place in the run.
    private let unreadable = Locked<[Int: String]>([:])
    /// The items of each series, by its first one, and the first ones of the latest series in their order.
    private let members = Locked<(byFirst: [Int: [Int]], firsts: [Int])>(([:], []))
    private let length = Locked(SeriesLength())
    /// Reads the files, so that the event loop does not wait for a disk.
    private let reader = BlockingExecutor(label: "skyfarm.map.reader")

    /// The tasks of `items`, those of the whole run at their places.
    init(_ items: [PreparedItem], shared: [MapPlan.Shared]) {
        (self.items, self.shared) = (items, shared)
        key = BulkKey(job: .random(in: .min ... .max), index: 0)
    }

    /// Why the files of the item at this place could not be read; nil if they could.
    func problem(at index: Int) -> String? { unreadable.withLock { $0[index] } }

    /// The tasks of the items at these places, `singly` or in series. Items whose files cannot be read get no task.
    func sequence(_ indices: [Int], singly: Bool) -> some Sequence<ProgramSeries> & Sendable {
        members.withLock { $0.firsts = [] }
        return SeriesSequence(tasks: self, indices: indices, isSingle: singly)
    }

    private struct SeriesSequence: Sequence, IteratorProtocol, Sendable {
        let tasks: MapTasks
        let indices: [Int]
        let isSingle: Bool
        var position = 0

        mutating func next() -> ProgramSeries? {
            let count = isSingle ? 1 : tasks.length.withLock { $0.count(of: indices.count - position) }
            var series: [ProgramTask] = []
            while position < indices.count, series.count < count {
                let index = indices[position]
                // A large item is in a series of its own.
                let isLarge = tasks.items[index].byteCount > SeriesLength.bytes
                if isLarge, !series.isEmpty { break }
                position += 1
                guard let task = tasks.task(at: index) else { continue }
                series.append(task)
                if isLarge { break }
            }
            guard let first = series.first else { return nil }
            tasks.members.withLock { members in
                members.byFirst[first.id] = series.map(\.id)
                members.firsts.append(first.id)
            }
            return ProgramSeries(series)
        }
    }

    /// The items of a series whose first item is at this place.
    func items(of first: Int) -> [Int] { members.withLock { $0.byFirst[first] } ?? [first] }

    /// The names of the items of a series, by its place in the latest sequence.
    func names(at place: Int) -> [String] {
        let indices = members.withLock { members in
            members.firsts.indices.contains(place) ? members.byFirst[members.firsts[place]] ?? [] : []
        }
        return indices.map { items[$0].item.name }
    }

    /// Notes how long a run took.
    func note(_ output: ProgramOutput) { length.withLock { $0.note(output) } }

    private func task(at index: Int) -> ProgramTask? {
        let item = items[index]
        if shared.isEmpty { return item.task }
        var task = item.task
        do {
            let count = item.byteCount
            guard count <= Self.inlineLimit else {
                throw ProgramRefusal(
                    "its files have more than \(Self.inlineLimit >> 20) MiB, the most beside shared files")
            }
            task.inlined = try [UInt8](unsafeUninitializedCapacity: count) { bytes, used in
                try item.read(to: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[..<count])))
                used = count
            }
            return task
        } catch {
            note("\(error)", at: index)
            return nil
        }
    }

    /// Forgets that the files of these items could not be read, before they are tried again.
    func forgetProblems(of indices: [Int]) { unreadable.withLock { for index in indices { $0[index] = nil } } }

    private func note(_ problem: String, at index: Int) { unreadable.withLock { $0[index] = problem } }

    /// The bytes beside a series; nil if it has no files.
    func bulk(of series: ProgramSeries) -> BulkSource? {
        if !shared.isEmpty {
            let count = shared.reduce(0) { $0 + $1.file.size }
            let reference = WholeFiles(shared.map(\.path))?.reference
            return BulkSource(key: key, reference: reference, byteCount: count) { [self] in
                try await reader.run { try self.readShared(count) }
            }
        }
        let indices = series.tasks.map(\.id)
        let count = indices.reduce(0) { $0 + items[$1].byteCount }
        if count == 0 { return nil }
        // A reference to small files is not worth the question.
        let isLarge = indices.count == 1 && count > SeriesLength.bytes
        let reference = isLarge ? WholeFiles(items[indices[0]].paths)?.reference : nil
        return BulkSource(reference: reference, byteCount: count) { [self] in
            // A system refuses a series whose files have other sizes than its bytes; an error here would end the run.
            try await reader.run { try self.inputs(indices, count) } ?? BulkBytes(byteCount: 0) { _ in }
        }
    }

    /// The input files of these items; nil, with a note, if one of them cannot be read.
    private func inputs(_ indices: [Int], _ count: Int) throws -> BulkBytes? {
        var reading = indices[0]
        do {
            return try BulkBytes(byteCount: count) { bytes in
                var rest = bytes[...]
                for index in indices {
                    reading = index
                    let part = rest.prefix(items[index].byteCount)
                    try items[index].read(to: UnsafeMutableRawBufferPointer(rebasing: part))
                    rest = rest.dropFirst(part.count)
                }
            }
        } catch {
            note("\(error)", at: reading)
            return nil
        }
    }

    /// A shared file that is not what it was when the run began, so that no item can be run with it.
    struct SharedChange: Error, CustomStringConvertible {
        var path: String
        var description: String {
            "--shared \(path): has changed since the run began; the same command with --resume runs all items with what"
                + " it has now"
        }
    }

    /// The bytes of the shared files, which stay in memory.
    private func readShared(_ count: Int) throws -> BulkBytes {
        try sharedBytes.withLock { held in
            if let held { return held }
            let bytes = try BulkBytes(byteCount: count) { bytes in
                var rest = bytes[...]
                for shared in shared {
                    guard let data = try? ReadableFiles.current.contents(of: shared.path),
                        data.count == shared.file.size, data.withUnsafeBytes(Checksum.of) == shared.file.checksum
                    else { throw SharedChange(path: shared.path) }
                    UnsafeMutableRawBufferPointer(rebasing: rest.prefix(data.count)).copyBytes(from: data)
                    rest = rest.dropFirst(data.count)
                }
            }
            held = bytes
            return bytes
        }
    }
}

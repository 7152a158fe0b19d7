import SkyScan
import Testing

import ImageScanning

struct ArrivalStateTests {
    private var state = ArrivalState(limit: .seconds(300))
    private let small = FileStamp(path: "a", size: 2880, seconds: 1)
    private let large = FileStamp(path: "a", size: 5760, seconds: 2)

    private func seconds(_ count: Int) -> Duration { .seconds(count) }

    @Test mutating func aFileThatItsWriterClosedIsCheckedAndScannedAtOnce() {
        #expect(state.handle(.found("a", small, isClosed: true), at: .zero) == [.check("a", small)])
        #expect(state.handle(.checked("a", small, incomplete: nil), at: .zero) == [.scan("a")])
        #expect(state.handle(.found("a", small, isClosed: false), at: seconds(9)) == [])
        #expect(state.handle(.scanned("a"), at: seconds(10)) == [])
        #expect(state.handle(.found("a", small, isClosed: true), at: seconds(20)) == [], "it was scanned already")
        #expect(state.waitingCount == 0)
    }

    @Test mutating func withoutAnEventAFileIsCheckedOnceItNoLongerChanges() {
        #expect(state.handle(.found("a", small, isClosed: false), at: .zero) == [])
        #expect(state.handle(.found("a", large, isClosed: false), at: seconds(2)) == [])
        #expect(state.handle(.found("a", large, isClosed: false), at: seconds(3)) == [])
        #expect(state.waitingCount == 1)
        #expect(state.handle(.found("a", large, isClosed: false), at: seconds(4)) == [.check("a", large)])
        #expect(state.handle(.found("a", large, isClosed: false), at: seconds(6)) == [], "one check at a time")
    }

    @Test mutating func anIncompleteFileIsWaitedForAndNamedOnceAfterTheLimit() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        #expect(state.handle(.checked("a", small, incomplete: "a: truncated"), at: .zero) == [])
        #expect(state.handle(.found("a", small, isClosed: false), at: seconds(299)) == [])
        #expect(
            state.handle(.found("a", small, isClosed: false), at: seconds(300)) == [
                .warn("a: truncated; it has not changed for 5:00, and is scanned once its writer completes it")
            ])
        #expect(state.handle(.found("a", small, isClosed: false), at: seconds(999)) == [])
        #expect(state.handle(.found("a", large, isClosed: true), at: seconds(1000)) == [.check("a", large)])
        #expect(state.handle(.checked("a", large, incomplete: nil), at: seconds(1000)) == [.scan("a")])
    }

    @Test mutating func aFileThatGrowsWhileItIsCheckedIsNotScannedWithTheOldResult() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        #expect(state.handle(.found("a", large, isClosed: false), at: seconds(1)) == [])
        #expect(state.handle(.checked("a", small, incomplete: nil), at: seconds(1)) == [])
        #expect(state.handle(.found("a", large, isClosed: true), at: seconds(1)) == [.check("a", large)])
    }

    @Test mutating func aFileThatGrewBeforeItsEventArrivesIsScannedOnce() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        #expect(state.handle(.checked("a", small, incomplete: nil, changed: large), at: seconds(1)) == [])
        #expect(state.handle(.found("a", large, isClosed: true), at: seconds(1)) == [.check("a", large)])
        #expect(state.handle(.checked("a", large, incomplete: nil), at: seconds(1)) == [.scan("a")])
        #expect(state.handle(.scanned("a"), at: seconds(2)) == [])
    }

    @Test mutating func aChangeThatIsKnownAlreadyIsNotUndone() {
        let whole = FileStamp(path: "a", size: 8640, seconds: 3)
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        _ = state.handle(.found("a", whole, isClosed: true), at: .zero)
        #expect(
            state.handle(.checked("a", small, incomplete: nil, changed: large), at: .zero) == [.check("a", whole)])
    }

    @Test mutating func aChangeDuringTheCheckWithoutAnEventIsCheckedOnceItNoLongerChanges() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        #expect(state.handle(.checked("a", small, incomplete: "a: truncated", changed: large), at: .zero) == [])
        #expect(state.handle(.found("a", large, isClosed: false), at: seconds(1)) == [])
        #expect(state.handle(.found("a", large, isClosed: false), at: seconds(2)) == [.check("a", large)])
    }

    @Test mutating func aFileThatIsReplacedBeforeItsScanBeginsIsCheckedAndScannedOnce() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        _ = state.handle(.checked("a", small, incomplete: nil), at: .zero)
        Self.expect(state.begin("a", large, at: seconds(1)), false, [])
        #expect(state.handle(.found("a", large, isClosed: true), at: seconds(1)) == [.check("a", large)])
        #expect(state.handle(.checked("a", large, incomplete: nil), at: seconds(1)) == [.scan("a")])
        Self.expect(state.begin("a", large, at: seconds(1)), true, [])
        #expect(state.handle(.scanned("a"), at: seconds(2)) == [])
    }

    @Test mutating func aReplacementWhoseEventCameFirstIsCheckedWhenTheOldScanWouldBegin() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        _ = state.handle(.checked("a", small, incomplete: nil), at: .zero)
        #expect(state.handle(.found("a", large, isClosed: true), at: .zero) == [])
        Self.expect(state.begin("a", large, at: seconds(1)), false, [.check("a", large)])
    }

    @Test mutating func aFileThatIsRemovedBeforeItsScanBeginsIsForgotten() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        _ = state.handle(.checked("a", small, incomplete: nil), at: .zero)
        Self.expect(state.begin("a", nil, at: seconds(1)), false, [])
        #expect(state.fileCount == 0)
        Self.expect(state.begin("a", small, at: seconds(1)), false, [])
    }

    private static func expect(
        _ answer: (isAllowed: Bool, [ArrivalState.Action]), _ isAllowed: Bool, _ actions: [ArrivalState.Action],
        _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.isAllowed == isAllowed && answer.1 == actions, sourceLocation: place)
    }

    @Test mutating func aFileThatIsReplacedWhileItIsScannedIsScannedAgain() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        _ = state.handle(.checked("a", small, incomplete: nil), at: .zero)
        #expect(state.handle(.found("a", large, isClosed: true), at: seconds(1)) == [])
        #expect(state.handle(.scanned("a"), at: seconds(2)) == [.check("a", large)])
        #expect(state.handle(.checked("a", large, incomplete: nil), at: seconds(2)) == [.scan("a")])
    }

    @Test mutating func aRemovedFileIsForgotten() {
        _ = state.handle(.found("a", small, isClosed: true), at: .zero)
        _ = state.handle(.checked("a", small, incomplete: "a: truncated"), at: .zero)
        #expect(
            state.handle(.removed("a"), at: seconds(1)) == [
                .warn("a: removed before it was complete; it is not scanned")
            ])
        #expect(state.handle(.removed("a"), at: seconds(2)) == [])
        #expect(state.handle(.found("a", small, isClosed: true), at: seconds(3)) == [.check("a", small)])
    }

    @Test mutating func aFileThatWasScannedIsScannedAgainOnlyWithOtherContents() {
        for file in ["in/a", "in/b", "c"] {
            _ = state.handle(.found(file, small, isClosed: true), at: .zero)
            _ = state.handle(.checked(file, small, incomplete: nil), at: .zero)
            #expect(state.handle(.scanned(file), at: .zero) == [])
            #expect(state.handle(.found(file, small, isClosed: true), at: seconds(1)) == [])
        }
        #expect(state.fileCount == 3)
        #expect(state.handle(.found("in/a", large, isClosed: true), at: seconds(2)) == [.check("in/a", large)])
        #expect(state.handle(.removed("in/b"), at: seconds(2)) == [])
        #expect(state.handle(.found("in/b", small, isClosed: true), at: seconds(3)) == [.check("in/b", small)])
    }

    @Test mutating func whatAListingLacksIsRemoved() {
        for file in ["in/a", "in/b", "in/c", "other/d"] {
            _ = state.handle(.found(file, small, isClosed: true), at: .zero)
            let isHalf = file == "in/b" || file == "other/d"
            _ = state.handle(.checked(file, small, incomplete: isHalf ? "truncated" : nil), at: .zero)
            _ = state.handle(.scanned(file), at: .zero)
        }
        #expect(
            state.handle(.listed("in", ["in/a"]), at: seconds(1)) == [
                .warn("in/b: removed before it was complete; it is not scanned")
            ])
        #expect(state.fileCount == 2 && state.waitingCount == 1)
        #expect(state.handle(.found("in/a", small, isClosed: true), at: seconds(2)) == [])
        #expect(state.handle(.found("in/c", small, isClosed: true), at: seconds(2)) == [.check("in/c", small)])
    }

    @Test mutating func tenThousandFilesThatComeAndGoLeaveNothing() {
        for number in 0..<10_000 {
            let (path, now) = ("f\(number)", Duration.seconds(number))
            #expect(state.handle(.found(path, small, isClosed: true), at: now) == [.check(path, small)])
            #expect(state.handle(.checked(path, small, incomplete: nil), at: now) == [.scan(path)])
            #expect(state.handle(.scanned(path), at: now) == [])
            #expect(state.handle(.removed(path), at: now) == [])
        }
        #expect(state.fileCount == 0)
    }
}

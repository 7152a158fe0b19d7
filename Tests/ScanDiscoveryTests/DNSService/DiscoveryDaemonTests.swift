@testable import ScanDiscovery
import Testing

@Suite("The daemon seen from outside", .timeLimit(.minutes(10)))
struct DiscoveryDaemonTests {
    @Test(
        "the bus is sought where libdbus does",
        arguments: [
            (nil, "/run/dbus/system_bus_socket"), ("", "/run/dbus/system_bus_socket"),
            ("unix:path=/tmp/bus", "/tmp/bus"), ("unix:guid=1,path=/tmp/bus;tcp:host=x", "/tmp/bus"),
            ("unix:abstract=bus", nil), ("tcp:host=x,port=1", nil),
        ] as [(String?, String?)])
    func busPath(address: String?, path: String?) {
        #expect(DiscoveryDaemon.busPath(address: address) == path)
    }

    @Test("each fault names its cure")
    func cures() {
        #expect(DiscoveryDaemon.listening.error == nil)
        #expect(DiscoveryDaemon.absent.error?.message.contains("start") == true)
        #expect(DiscoveryDaemon.busAbsent(path: "/x").error?.message.contains("/x") == true)
    }

    @Test("a record that breaks a rule is refused before the daemon is asked")
    func invalidRecord() async {
        let service = ServiceAdvertisement(name: "a", port: 0, txt: TXTRecord())
        let error = await #expect(throws: DiscoveryError.self) {
            for try await _ in DNSServiceDiscovery().register(service) {}
        }
        #expect(error?.code == .invalid)
    }

    @Test(
        "each status of the library becomes a cause",
        arguments: [
            (-65538, .noAnswer), (-65540, .invalid), (-65548, .refused), (-65549, .invalid), (-65553, .refused),
            (-65555, .refused),
        ] as [(Int32, DiscoveryErrorCode)])
    func statuses(status: Int32, code: DiscoveryErrorCode) {
        #expect(DiscoveryError(status: status, to: "test", wasOpen: false).code == code)
    }

    @Test("a daemon that was there and is gone is lost")
    func lost() {
        #expect(DiscoveryError(status: -65537, to: "test", wasOpen: true).code == .daemonLost)
    }
}

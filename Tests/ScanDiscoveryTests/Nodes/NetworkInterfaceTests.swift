import Foundation
import ScanDiscovery
import Testing

@Suite struct NetworkInterfaceTests {
    private func interface(_ addresses: [String], isUp: Bool = true) -> NetworkInterface {
        NetworkInterface(
            name: "eth0", isUp: isUp, hasMulticast: true, addresses: addresses.compactMap { HostAddress($0) })
    }

    @Test(
        "a node that listens on all addresses names one that others reach",
        arguments: [
            ("::", ["fe80::1%2", "192.168.1.7"], "192.168.1.7"), ("::", ["fe80::1%2", "2001:db8::7"], "2001:db8::7"),
            ("0.0.0.0", ["2001:db8::7", "10.0.0.7"], "10.0.0.7"), ("0.0.0.0", ["2001:db8::7"], "127.0.0.1"),
            ("::", ["169.254.3.4", "fe80::1%2"], "127.0.0.1"), ("::", [], "127.0.0.1"),
            ("192.168.1.7", ["10.0.0.7"], nil), ("::1", ["10.0.0.7"], nil),
        ] as [(String, [String], String?)])
    func address(host: String, addresses: [String], expected: String?) {
        #expect(NetworkInterface.address(for: host, among: [interface(addresses)]) == expected)
    }

    @Test(
        "a bridge leads to other machines only over a device, a VLAN or a bond",
        arguments: [
            ("eth0", false), ("docker0", true), ("virbr0", true), ("br-empty", true), ("br0", false), ("br1", false),
            ("none", false),
        ])
    func bridges(name: String, isInternal: Bool) throws {
        // As /sys/class/net has them.
        let folder = NSTemporaryDirectory() + "skyfarm-net-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for path in [
            "eth0/device", "vlan5/lower_eth0", "veth1", "tap0", "docker0/bridge", "docker0/brif/veth1", "virbr0/bridge",
            "virbr0/brif/tap0", "br-empty/bridge", "br0/bridge", "br0/brif/eth0", "br0/brif/veth1", "br1/bridge",
            "br1/brif/vlan5",
        ] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
        }
        #expect(NetworkInterface.isInternal(name, in: folder) == isInternal)
    }

    @Test("an interface that is down counts for nothing")
    func down() {
        let interfaces = [interface(["10.0.0.1"], isUp: false), interface(["10.0.0.2"])]
        #expect(NetworkInterface.address(for: "::", among: interfaces) == "10.0.0.2")
    }
}

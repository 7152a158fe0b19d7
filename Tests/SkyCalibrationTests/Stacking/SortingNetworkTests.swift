import CCalibration
import SkyCalibration
import Testing

@Suite struct SortingNetworkTests {
    @Test("a network sorts zeros and ones, and therefore everything", arguments: 1...12)
    func sorts(count: Int) {
        let (network, selection) = (SortingNetwork(sorting: count), SortingNetwork(selectingMiddleOf: count))
        for bits in 0..<1 << count {
            let values = (0..<count).map { Double(bits >> $0 & 1) }
            let sorted = values.sorted()
            #expect(applied(network, to: values) == sorted)
            let middle = applied(selection, to: values)
            #expect(middle[(count - 1) / 2] == sorted[(count - 1) / 2] && middle[count / 2] == sorted[count / 2])
        }
    }

    @Test("many values are sorted", arguments: [20, 100, 301, 1000])
    func many(count: Int) {
        let values = (0..<count).map { Double($0 * 7919 % 1013) }
        #expect(applied(SortingNetwork(sorting: count), to: values) == values.sorted())
        let middle = applied(SortingNetwork(selectingMiddleOf: count), to: values)
        #expect(middle[count / 2] == values.sorted()[count / 2])
    }

    private func applied(_ network: SortingNetwork, to values: [Double]) -> [Double] {
        var values = values
        skyfarm_apply_network(&values, 1, network.comparators, network.comparators.count)
        return values
    }
}

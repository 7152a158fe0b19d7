/// Returns the greatest integer that divides both numbers; 0 if both are 0.
package func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    var (one, other) = (abs(one), abs(other))
    while other != 0 { (one, other) = (other, one % other) }
    return one
}

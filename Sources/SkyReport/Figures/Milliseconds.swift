/// Rounds seconds to milliseconds.
func milliseconds(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

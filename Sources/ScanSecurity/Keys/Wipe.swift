import CScanSecurity

/// Overwrites memory that held a secret.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) { scan_tls_wipe(bytes.baseAddress, bytes.count) }

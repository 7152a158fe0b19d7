// Identities, addresses, time and locks are in the interfaces of this module.
@_exported public import ScanBasics

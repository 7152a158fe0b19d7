// Public declarations of this module use identities, addresses and times of ScanBasics.
@_exported public import ScanBasics

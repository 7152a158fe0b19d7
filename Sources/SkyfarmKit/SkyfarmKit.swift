// One import for programs that distribute tasks of their own. Modules of images such as `SkyFITS` and `SkyScan`, which
// need CFITSIO and WCSLIB, are not included and must be imported separately. The module is not called Skyfarm, because
// the program's module is called skyfarm and some file systems do not distinguish the two names.

@_exported public import ScanCluster
@_exported public import ScanDiscovery
@_exported public import ScanFarm
@_exported public import ScanNetwork
@_exported public import ScanPage
@_exported public import ScanSecurity
// SocketError, which functions of ScanNetwork throw.
@_exported public import ScanSockets

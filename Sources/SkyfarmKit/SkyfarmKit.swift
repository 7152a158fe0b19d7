// One import for programs that farm out tasks of their own. It brings no module of images: `SkyImage` and `SkyScan`, which
// need CFITSIO, SEP and WCSLIB, are imported beside it. It is not called Skyfarm, because the program's module is called
// skyfarm, and some file systems do not distinguish the two.

@_exported public import ScanCluster
@_exported public import ScanDiscovery
@_exported public import ScanFarm
@_exported public import ScanNetwork
@_exported public import ScanSecurity

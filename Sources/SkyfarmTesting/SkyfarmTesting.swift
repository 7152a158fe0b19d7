// Tests of tasks need the declarations of the engine as well.
@_exported public import ScanCluster

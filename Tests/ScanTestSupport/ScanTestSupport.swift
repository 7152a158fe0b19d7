// Virtual time and the simulated farm, which users of the library have as well.
@_exported public import SkyfarmTesting

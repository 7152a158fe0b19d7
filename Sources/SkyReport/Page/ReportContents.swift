/// What a report shows besides picture and catalogue.
public struct ReportContents: Sendable {
    /// The image's name, as the user gave it.
    public var image: String
    /// Columns of the image.
    public var width: Int
    /// Rows of the image.
    public var height: Int
    /// Unit of its samples.
    public var unit: String
    /// Name and version of the program.
    public var software: String
    /// When the scan began, in ISO 8601.
    public var began: String
    /// Seconds from beginning to end.
    public var seconds: Double
    /// Tasks whose results an earlier run left.
    public var resumedTasks: Int
    /// Sectors that are missing, a line each.
    public var missing: [String]
    /// The command that repeats the scan, as a shell takes it.
    public var command: String
    /// The folder it was given in.
    public var folder: String
    /// Files that were written.
    public var outputs: [String]

    /// All of it.
    public init(
        image: String, width: Int, height: Int, unit: String, software: String, began: String, seconds: Double,
        resumedTasks: Int, missing: [String], command: String, folder: String, outputs: [String]
    ) {
        (self.image, self.width, self.height, self.unit) = (image, width, height, unit)
        (self.software, self.began, self.seconds) = (software, began, seconds)
        (self.resumedTasks, self.missing) = (resumedTasks, missing)
        (self.command, self.folder, self.outputs) = (command, folder, outputs)
    }
}

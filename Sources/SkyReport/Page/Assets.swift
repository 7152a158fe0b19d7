/// The files of the folder `Assets`, which are part of the program.
enum Assets {
    /// The page's HTML, with `{{names}}` for what differs.
    static var frame: [UInt8] { PackageResources.frame_html }
    /// The page's style sheet.
    static var style: [UInt8] { PackageResources.page_css }
    /// The page's script: its parts, the main one last.
    static var script: [UInt8] {
        PackageResources.values_js + PackageResources.catalogue_js + PackageResources.sky_js
            + PackageResources.figures_js + PackageResources.course_js + PackageResources.page_js
    }
}

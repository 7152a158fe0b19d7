/// The files of the folder `Assets`, which are part of the program.
public enum Assets {
    /// The page's HTML, with `{{names}}` for what differs.
    static var frame: [UInt8] { PackageResources.frame_html }
    /// The page's style sheet.
    static var style: [UInt8] { PackageResources.page_css }
    /// The live page's HTML.
    public static var livePage: [UInt8] { PackageResources.live_html }
    /// The icon of live pages.
    public static var icon: [UInt8] { PackageResources.icon_svg }
    /// The style sheet of live pages.
    public static var liveStyle: [UInt8] { style + PackageResources.live_css }
    /// The live page's script: its parts, the main one last.
    public static var liveScript: [UInt8] {
        PackageResources.values_js + PackageResources.catalogue_js + PackageResources.sky_js
            + PackageResources.figures_js + PackageResources.course_js + PackageResources.stream_js
            + PackageResources.live_js
    }
    /// The HTML of a node's page.
    public static var nodePage: [UInt8] { PackageResources.node_html }
    /// The script of a node's page.
    public static var nodeScript: [UInt8] {
        PackageResources.values_js + PackageResources.figures_js + PackageResources.stream_js
            + PackageResources.node_js
    }
    /// The page's script: its parts, the main one last.
    static var script: [UInt8] {
        PackageResources.values_js + PackageResources.catalogue_js + PackageResources.sky_js
            + PackageResources.figures_js + PackageResources.course_js + PackageResources.page_js
    }
}

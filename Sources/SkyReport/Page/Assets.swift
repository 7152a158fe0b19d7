/// The files of the folder `Assets`, which are part of the program.
public enum Assets {
    /// The HTML of a scan's page, with `{{names}}` for the parts in which report and live page differ.
    static var page: [UInt8] { PackageResources.page_html }
    /// The style sheet of all pages.
    public static var style: [UInt8] { PackageResources.page_css }
    /// The icon of live pages.
    public static var icon: [UInt8] { PackageResources.icon_svg }
    /// The script of a scan's page; the parts are in order of dependency.
    public static var script: [UInt8] {
        PackageResources.values_js + PackageResources.catalogue_js + PackageResources.grid_js + PackageResources.sky_js
            + PackageResources.figures_js + PackageResources.course_js + PackageResources.state_js
            + PackageResources.page_js
    }
    /// The same with the stream of updates, for the live page.
    public static var liveScript: [UInt8] { PackageResources.stream_js + script }
    /// The same for an image of a live index that is being scanned.
    public static var runningScript: [UInt8] { script + PackageResources.running_js }
    /// The HTML of the index of many images.
    static var nightPage: [UInt8] { PackageResources.night_html }
    /// The script of the index.
    static var nightScript: [UInt8] { PackageResources.values_js + PackageResources.night_js }
    /// The same with the stream of updates, for the live index.
    public static var liveNightScript: [UInt8] { PackageResources.stream_js + nightScript }
    /// The HTML of a node's page.
    public static var nodePage: [UInt8] { PackageResources.node_html }
    /// The script of a node's page.
    public static var nodeScript: [UInt8] {
        PackageResources.values_js + PackageResources.figures_js + PackageResources.stream_js
            + PackageResources.cluster_js + PackageResources.node_js
    }
}

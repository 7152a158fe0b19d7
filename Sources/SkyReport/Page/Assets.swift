internal import CPageAssets

/// The files of the folder `Assets`, which are part of the program.
public enum Assets {
    /// The HTML of a scan's page, with `{{names}}` for the parts in which report and live page differ.
    package static var page: [UInt8] { bytes(page_asset_page_html) }
    /// The style sheet of all pages.
    public static var style: [UInt8] { bytes(page_asset_page_css) }
    /// The icon of live pages.
    public static var icon: [UInt8] { bytes(page_asset_icon_svg) }
    /// The script of a scan's page; the parts are in order of dependency.
    public static var script: [UInt8] {
        bytes(
            page_asset_values_js, page_asset_catalogue_js, page_asset_grid_js, page_asset_sky_js, page_asset_figures_js,
            page_asset_course_js, page_asset_state_js, page_asset_page_js)
    }
    /// The same with the stream of updates, for the live page.
    public static var liveScript: [UInt8] { bytes(page_asset_stream_js) + script }
    /// The same for an image of a live index that is being scanned.
    public static var runningScript: [UInt8] { script + bytes(page_asset_running_js) }
    /// The HTML of the index of many images.
    static var indexPage: [UInt8] { bytes(page_asset_index_html) }
    /// The script of the index.
    static var indexScript: [UInt8] { bytes(page_asset_values_js, page_asset_index_js) }
    /// The same with the stream of updates, for the live index.
    public static var liveIndexScript: [UInt8] { bytes(page_asset_stream_js) + indexScript }
    /// The HTML of a node's page.
    public static var nodePage: [UInt8] { bytes(page_asset_node_html) }
    /// The script of a node's page.
    public static var nodeScript: [UInt8] {
        bytes(
            page_asset_values_js, page_asset_figures_js, page_asset_stream_js, page_asset_cluster_js, page_asset_node_js
        )
    }

    private static func bytes(_ files: page_asset...) -> [UInt8] {
        files.flatMap { UnsafeBufferPointer(start: $0.bytes, count: $0.count) }
    }
}

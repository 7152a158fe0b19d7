internal import CPageAssets

/// The files of the folder `Assets`, which are embedded in the program.
public enum Assets {
    /// The HTML that all pages have in common, with `{{names}}` for the parts in which they differ.
    static var frame: [UInt8] { bytes(page_asset_frame_html) }
    /// The content of a scan's page, with `{{picture}}` for the attributes of its picture.
    package static var page: [UInt8] { bytes(page_asset_page_html) }
    /// The style sheet of all pages.
    public static let style = bytes(page_asset_page_css)
    /// The icon of live pages.
    public static var icon: [UInt8] { bytes(page_asset_icon_svg) }
    /// The script of a scan's page; its parts are in order of dependency.
    public static let script = bytes(
        page_asset_values_js, page_asset_chart_js, page_asset_catalogue_js, page_asset_grid_js, page_asset_sky_js,
        page_asset_figures_js, page_asset_course_js, page_asset_state_js, page_asset_page_js)
    /// The script of a live page: that of a scan's page with the stream of updates.
    public static var liveScript: [UInt8] { bytes(page_asset_stream_js) + script }
    /// The script for an image that is being scanned, in a live index.
    public static var runningScript: [UInt8] { script + bytes(page_asset_running_js) }
    /// The content of the index of many images.
    static var indexPage: [UInt8] { bytes(page_asset_index_html) }
    /// The script of the index of many images.
    static var indexScript: [UInt8] {
        bytes(page_asset_values_js, page_asset_chart_js, page_asset_plots_js, page_asset_index_js)
    }
    /// The script of the live index: that of the index with the stream of updates.
    public static var liveIndexScript: [UInt8] { bytes(page_asset_stream_js) + indexScript }
    /// The content of a node's page.
    static var nodePage: [UInt8] { bytes(page_asset_node_html) }
    /// The script of a node's page.
    public static var nodeScript: [UInt8] {
        bytes(
            page_asset_values_js, page_asset_chart_js, page_asset_stream_js, page_asset_cluster_js,
            page_asset_status_js, page_asset_node_js)
    }

    private static func bytes(_ files: page_asset...) -> [UInt8] {
        files.flatMap { UnsafeBufferPointer(start: $0.bytes, count: $0.count) }
    }
}

import CPageAssets

/// The files of the live page, which are embedded in the program. Style and the scripts for values, charts and the stream
/// are those of all pages.
enum PageFiles {
    static var page: [UInt8] { bytes(page_asset_tasks_html) }
    static var style: [UInt8] { bytes(page_asset_page_css) }
    static var icon: [UInt8] { bytes(page_asset_icon_svg) }
    static var script: [UInt8] {
        bytes(
            page_asset_values_js, page_asset_chart_js, page_asset_stream_js, page_asset_status_js, page_asset_tasks_js)
    }

    private static func bytes(_ files: page_asset...) -> [UInt8] {
        files.flatMap { UnsafeBufferPointer(start: $0.bytes, count: $0.count) }
    }
}

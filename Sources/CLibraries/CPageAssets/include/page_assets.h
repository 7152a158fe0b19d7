#ifndef SKYFARM_PAGE_ASSETS_H
#define SKYFARM_PAGE_ASSETS_H

#include <stddef.h>

/// A file of Sources/SkyReport/Page/Assets or Sources/ScanPage/Assets, embedded in the program.
struct page_asset {
    const unsigned char *bytes;
    size_t count;
};
extern const struct page_asset page_asset_page_html;
extern const struct page_asset page_asset_page_css;
extern const struct page_asset page_asset_values_js;
extern const struct page_asset page_asset_catalogue_js;
extern const struct page_asset page_asset_grid_js;
extern const struct page_asset page_asset_sky_js;
extern const struct page_asset page_asset_figures_js;
extern const struct page_asset page_asset_course_js;
extern const struct page_asset page_asset_state_js;
extern const struct page_asset page_asset_page_js;
extern const struct page_asset page_asset_stream_js;
extern const struct page_asset page_asset_icon_svg;
extern const struct page_asset page_asset_node_html;
extern const struct page_asset page_asset_status_js;
extern const struct page_asset page_asset_node_js;
extern const struct page_asset page_asset_cluster_js;
extern const struct page_asset page_asset_index_html;
extern const struct page_asset page_asset_index_js;
extern const struct page_asset page_asset_running_js;
extern const struct page_asset page_asset_frame_html;
extern const struct page_asset page_asset_chart_js;
extern const struct page_asset page_asset_plots_js;
extern const struct page_asset page_asset_tasks_html;
extern const struct page_asset page_asset_tasks_js;

#endif

// Files of the pages, embedded by #embed, since the Swift compiler takes half a minute for arrays of this length.
#include "page_assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "../../SkyReport/Page/Assets/page.html"
};
const struct page_asset page_asset_page_html = {page_html, sizeof page_html};

static const unsigned char page_css[] = {
#embed "../../SkyReport/Page/Assets/page.css"
};
const struct page_asset page_asset_page_css = {page_css, sizeof page_css};

static const unsigned char values_js[] = {
#embed "../../SkyReport/Page/Assets/values.js"
};
const struct page_asset page_asset_values_js = {values_js, sizeof values_js};

static const unsigned char catalogue_js[] = {
#embed "../../SkyReport/Page/Assets/catalogue.js"
};
const struct page_asset page_asset_catalogue_js = {catalogue_js, sizeof catalogue_js};

static const unsigned char grid_js[] = {
#embed "../../SkyReport/Page/Assets/grid.js"
};
const struct page_asset page_asset_grid_js = {grid_js, sizeof grid_js};

static const unsigned char sky_js[] = {
#embed "../../SkyReport/Page/Assets/sky.js"
};
const struct page_asset page_asset_sky_js = {sky_js, sizeof sky_js};

static const unsigned char figures_js[] = {
#embed "../../SkyReport/Page/Assets/figures.js"
};
const struct page_asset page_asset_figures_js = {figures_js, sizeof figures_js};

static const unsigned char course_js[] = {
#embed "../../SkyReport/Page/Assets/course.js"
};
const struct page_asset page_asset_course_js = {course_js, sizeof course_js};

static const unsigned char state_js[] = {
#embed "../../SkyReport/Page/Assets/state.js"
};
const struct page_asset page_asset_state_js = {state_js, sizeof state_js};

static const unsigned char page_js[] = {
#embed "../../SkyReport/Page/Assets/page.js"
};
const struct page_asset page_asset_page_js = {page_js, sizeof page_js};

static const unsigned char stream_js[] = {
#embed "../../SkyReport/Page/Assets/stream.js"
};
const struct page_asset page_asset_stream_js = {stream_js, sizeof stream_js};

static const unsigned char icon_svg[] = {
#embed "../../SkyReport/Page/Assets/icon.svg"
};
const struct page_asset page_asset_icon_svg = {icon_svg, sizeof icon_svg};

static const unsigned char node_html[] = {
#embed "../../SkyReport/Page/Assets/node.html"
};
const struct page_asset page_asset_node_html = {node_html, sizeof node_html};

static const unsigned char status_js[] = {
#embed "../../SkyReport/Page/Assets/status.js"
};
const struct page_asset page_asset_status_js = {status_js, sizeof status_js};

static const unsigned char node_js[] = {
#embed "../../SkyReport/Page/Assets/node.js"
};
const struct page_asset page_asset_node_js = {node_js, sizeof node_js};

static const unsigned char cluster_js[] = {
#embed "../../SkyReport/Page/Assets/cluster.js"
};
const struct page_asset page_asset_cluster_js = {cluster_js, sizeof cluster_js};

static const unsigned char index_html[] = {
#embed "../../SkyReport/Page/Assets/index.html"
};
const struct page_asset page_asset_index_html = {index_html, sizeof index_html};

static const unsigned char index_js[] = {
#embed "../../SkyReport/Page/Assets/index.js"
};
const struct page_asset page_asset_index_js = {index_js, sizeof index_js};

static const unsigned char running_js[] = {
#embed "../../SkyReport/Page/Assets/running.js"
};
const struct page_asset page_asset_running_js = {running_js, sizeof running_js};

static const unsigned char frame_html[] = {
#embed "../../SkyReport/Page/Assets/frame.html"
};
const struct page_asset page_asset_frame_html = {frame_html, sizeof frame_html};

static const unsigned char chart_js[] = {
#embed "../../SkyReport/Page/Assets/chart.js"
};
const struct page_asset page_asset_chart_js = {chart_js, sizeof chart_js};

static const unsigned char plots_js[] = {
#embed "../../SkyReport/Page/Assets/plots.js"
};
const struct page_asset page_asset_plots_js = {plots_js, sizeof plots_js};

static const unsigned char tasks_html[] = {
#embed "../../ScanPage/Assets/tasks.html"
};
const struct page_asset page_asset_tasks_html = {tasks_html, sizeof tasks_html};

static const unsigned char tasks_js[] = {
#embed "../../ScanPage/Assets/tasks.js"
};
const struct page_asset page_asset_tasks_js = {tasks_js, sizeof tasks_js};

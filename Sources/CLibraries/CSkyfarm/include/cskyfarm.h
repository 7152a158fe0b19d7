#ifndef CSKYFARM_H
#define CSKYFARM_H

/// True when `rand_r`, as every library of this process sees it, is the fixed draw of this target.
int skyfarm_draw_is_fixed(void);

#endif

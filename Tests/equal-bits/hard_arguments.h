// Arguments whose values are nearer to a tie of doubles, or to a double, than those of nearly all others: at least 45
// equal bits follow the first one that is rounded (searches of Lefevre and Muller, and of Zimmermann). The last one is
// the double that is nearest to a multiple of pi / 2.
static const struct {
    const char *function;
    double x;
} hard_arguments[] = {
    {"exp", 0x1.0122ef37212ebp-1}, {"exp", 0x1.38a24428c3e17p-1}, {"exp", 0x1.5fc3e5011f2efp-1},
    {"exp", 0x1.8b3c86903296cp-1}, {"exp", 0x1.a60e433867612p-1}, {"exp", 0x1.d8d9539cb71c7p-1},
    {"exp", 0x1.fedc746ddf8fap-1}, {"exp", 0x1.12f8afa4f56cp+0}, {"exp", 0x1.3a6c53d5a0f79p+0},
    {"log", 0x1.a6ae5142326b5p+0}, {"log", 0x1.ca3665f2edf3dp+0}, {"log", 0x1.3414d8f5f8404p+1},
    {"log", 0x1.e542045ec8933p+1}, {"log", 0x1.30841eda4bbb3p+2}, {"log", 0x1.943fb34b94297p+2},
    {"log", 0x1.1921e231643d8p+7}, {"log", 0x1.604475cb1f86dp+15}, {"log", 0x1.c3b1ebb677eabp+39},
    {"atan", 0x1.000321dec01a8p-10}, {"atan", 0x1.00c845d4d3b77p-16}, {"atan", 0x1.00aa39615214ep-23},
    {"atan", 0x1.01e031e16cc19p+43}, {"atan", 0x1.02a3ad2ef6f3cp-24}, {"atan", 0x1.0310744692036p+41},
    {"sin", 0x1.6ac5b262ca1ffp+849}, {"cos", 0x1.6ac5b262ca1ffp+849}, {"tan", 0x1.6ac5b262ca1ffp+849},
};

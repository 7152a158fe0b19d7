#ifndef SKYFARM_WIDE_TABLES_H
#define SKYFARM_WIDE_TABLES_H

// Written by scripts/elementary-tables.

#define WIDE_LN2 \
    {{0x8a0d175b8baafa2b, 0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab}, 0, false}
#define WIDE_LN10 \
    {{0x83c61e8201f02d72, 0xe28fecf9da5df90e, 0xea56d62b82d30a28, 0x935d8dddaaa8ac16}, 2, false}
#define WIDE_PER_LN2 \
    {{0x8b25166cd1a13247, 0xeb577aa8dd695a58, 0xbe87fed0691d3e88, 0xb8aa3b295c17f0bb}, 1, false}
#define WIDE_PER_LN10 \
    {{0x3a3f2d44f78ea53c, 0x3ee3460245c9a202, 0x355baaafad33dc32, 0xde5bd8a937287195}, -1, false}
#define WIDE_HALF_PI \
    {{0x020bbea63b139b22, 0x29024e088a67cc74, 0xc4c6628b80dc1cd1, 0xc90fdaa22168c234}, 1, false}
#define WIDE_ONE \
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, 1, false}

static const wide inverse_factorials[] = {
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, 1, false},
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, 1, false},
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, 0, false},
    {{0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa}, -2, false},
    {{0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa}, -4, false},
    {{0x8888888888888888, 0x8888888888888888, 0x8888888888888888, 0x8888888888888888}, -6, false},
    {{0xb60b60b60b60b60b, 0x0b60b60b60b60b60, 0x60b60b60b60b60b6, 0xb60b60b60b60b60b}, -9, false},
    {{0xd00d00d00d00d00d, 0x0d00d00d00d00d00, 0x00d00d00d00d00d0, 0xd00d00d00d00d00d}, -12, false},
    {{0xd00d00d00d00d00d, 0x0d00d00d00d00d00, 0x00d00d00d00d00d0, 0xd00d00d00d00d00d}, -15, false},
    {{0x472800b8ef1d2ab6, 0xd2ab6399c7d560e4, 0x560e4472800b8ef1, 0xb8ef1d2ab6399c7d}, -18, false},
    {{0xd28666fa58e4222b, 0x0eef82e16caab3e9, 0x780b69f5333c725b, 0x93f27dbbc4fae397}, -21, false},
    {{0x78094ff7c71d48f9, 0x15b9788db55562c8, 0x3a3f25c1bee38f10, 0xd7322b3faa271c7f}, -25, false},
    {{0xa55b8aa52f68db50, 0x0e7ba5b3ce38ec85, 0x26d4c3d67f425f60, 0x8f76c77fc6c4bdaa}, -28, false},
    {{0x06980d1a12f7354f, 0x9babdfa238e39942, 0x1c198e91d7b4269d, 0xb092309d43684be5}, -32, false},
    {{0x75400ef93a3f185b, 0x68c46d4baebaf84b, 0xd6f8a2efd1f27546, 0xc9cba54603e4e905}, -36, false},
    {{0x38ccdcc593768061, 0x5eaf6383ed943c0c, 0xc32b58774657f48f, 0xd73f9f399dc0f88e}, -40, false},
    {{0x38ccdcc593768061, 0x5eaf6383ed943c0c, 0xc32b58774657f48f, 0xd73f9f399dc0f88e}, -44, false},
    {{0x4484938cc7061e79, 0xa468d621d08b83cf, 0x3028cbbb8d7ff53b, 0xca963b81856a5359}, -48, false},
    {{0xe7924a443f21e233, 0x3ccef73a807c0362, 0x8024435161554bc3, 0xb413c31dcbecbbdd}, -52, false},
    {{0xb588aa546b0f0f53, 0x5ba0d03143c6bf7b, 0x50f61dbdcb3a5abf, 0x97a4da340a0ab926}, -56, false},
    {{0xbc0ddd53de7e7eec, 0xf9014d1b9fa46592, 0x4e5695fc785d5dfe, 0xf2a15d201011283d}, -61, false},
    {{0xf0cd9c70a984f2fd, 0x43d03abfb695a2b8, 0x78a37e77372290c2, 0xb8dc77b6e7ab8c5f}, -65, false},
    {{0x694fb797c11adf43, 0xd43a59459c0fbc29, 0x86485bf99c763abb, 0x8671cb6dbfc294a2}, -69, false},
    {{0x7c42639b7bf8dd95, 0xb7f82329322c272e, 0xdc3826ebfb13cc26, 0xbb0da098b1c0cecb}, -74, false},
    {{0xfb032f79faa12772, 0x9ff58436ed90343d, 0x25a033e54ec51033, 0xf96780cb97abbe65}, -79, false},
    {{0xfcced6b4777160ed, 0xfff94a60980a5edf, 0x22520cbbb7885c49, 0x9f9e66e8b2fd46a7}, -83, false},
    {{0xfc124354443cc610, 0xb132d1b1f63425ff, 0x790285d3580a4a33, 0xc4742fe35272cd1c}, -88, false},
    {{0x04d34650e893e142, 0x3a4f316a9f0e65ed, 0x4d0c78aea13b9a50, 0xe8d58e16e6751905}, -93, false},
    {{0xb99d4cc084e6c9dc, 0x6a7665617f75f119, 0xe2e28e1aa546a152, 0x850c5131a842e9b9}, -97, false},
    {{0xb2554bdd4333a0f3, 0x37aec824f693cc3f, 0xf1873bb378948eb3, 0x92cfcc5a1ac56bd5}, -102, false},
    {{0x46c161fd147b5659, 0xc3eda2498f8c9599, 0x56f6a614c4e2ba58, 0x9c9962823eb07306}, -107, false},
    {{0x598dd0811d668aae, 0xb1796db749db7122, 0x0f7237d35fe1c89d, 0xa1a6973c1fade217}, -112, false},
    {{0x598dd0811d668aae, 0xb1796db749db7122, 0x0f7237d35fe1c89d, 0xa1a6973c1fade217}, -117, false},
    {{0x475336cac72d21a1, 0x6e092492b439a402, 0xc166ffd4ba113ea8, 0x9cc092a6e86a8da9}, -122, false},
    {{0x9d7b7edcf7b20189, 0x2b53e62fb8aeb87a, 0xc515a57ceb5b8644, 0x9388118e07ebd09f}, -127, false},
    {{0x29957b4daf43a9a1, 0xed1981ffbecba15a, 0x9e3fad3f0311d9d7, 0x86e2ce38b6c8f941}, -132, false},
    {{0xbbb4696da95bd83c, 0x1749caaa36bf57bc, 0x35c6895393adf50e, 0xefcc194861654958}, -138, false},
    {{0xd9b0c9e24d4883a9, 0x5954939a2182e418, 0x3c58ae1ec4e979fe, 0xcf6468e4a742d7a6}, -143, false},
    {{0xdfbd4bb118a8daa9, 0x1554b230f3cc8a2f, 0x9e9b85276273c50c, 0xaea565ce061d5748}, -148, false},
    {{0x272bbad2f369b9fb, 0x81178ba4e24bee1a, 0x8223b575a61d5979, 0x8f4ca24d25d66f00}, -153, false},
    {{0x0b792aeb1f0f8ff8, 0x9b58df6e36dfe35d, 0xd0392255d6955bf5, 0xe5476a1509571800}, -159, false},
    {{0x08f46c6c951ee0c1, 0xd0a9443d0b9c02a0, 0x12e7e8d8d96e5442, 0xb2f30e1ce812063f}, -164, false},
    {{0x80ba3a3a593c18f5, 0x0cb1ba162139e99e, 0x26c912ee5c84d27c, 0x8857a93a986f41b6}, -169, false},
    {{0x0cfd5c9e49479643, 0x0cf0b5b5c64a49da, 0x5d72b6f79b901b83, 0xcaeda292bf28916e}, -175, false},
    {{0xdae6cefec0ee3ebc, 0x7dc6559b78f035b5, 0xcf993f3fb6f47119, 0x93958d81ff63527e}, -180, false},
    {{0xfe7015538f8bb9ef, 0xa1d01ebafba546b2, 0x162f48e32655f62f, 0xd1e5c39110323c70}, -186, false},
    {{0x8f9be25063dba2bc, 0xd4bd4d07a3ed68d5, 0x52372792e30425b1, 0x9204027b2ca88316}, -191, false},
    {{0x40d44483412b1411, 0x16cb4da85c7f3228, 0x5a2a6c5b1472955f, 0xc6d4705093f5cdbc}, -197, false},
    {{0xd5e2d85780c762b6, 0x6487891ae854cc1a, 0xe6c6f2e762f70e3f, 0x848da035b7f933d2}, -202, false},
    {{0x0ce997f4e6e51337, 0xb78c7461d6a30023, 0x51fea0870918e396, 0xad21786ff5842eca}, -208, false},
    {{0x108728e78df2041d, 0x471a2e91b6933360, 0xf85029a29b012350, 0xdd9b7b70966bc102}, -214, false},
    {{0x9bf069fab36aad3f, 0x5ecf2c4759757591, 0x96c8e2e8896a2032, 0x8b0c395fbdc119bb}, -219, false},
    {{0x84d91ff97a5be8ec, 0x123a0f1cbcdf559f, 0x436d660a81bdb179, 0xab22bcc49ac6470e}, -225, false},
    {{0x6b49cfaad7607eb2, 0x59a1e1f2667cc7ff, 0x9036d229ab28afaa, 0xcea7882c33a6fa07}, -231, false},
    {{0xb80ba0ca7a8553ca, 0x444e15453718a12e, 0xda53ef99ae691c0c, 0xf4ec7b76c1f54e41}, -237, false},
    {{0xba354f9663364cad, 0x7b85ddd47d259a49, 0x348ded2636ee0702, 0x8e8047d562e28150}, -242, false},
    {{0x67185af503abc558, 0x1f746b3bfcbd429d, 0x60a2339963592c95, 0xa2dbbfcf4c7093c9}, -248, false},
    {{0x73c18590dbb36451, 0x6b2d61f283136140, 0x9969c529fac6eeb0, 0xb6dbc9e443dcb7e6}, -254, false},
};

// The first is not used.
static const wide inverse_integers[] = {
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, 1, false},
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, 1, false},
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, 0, false},
    {{0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa}, -1, false},
    {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x8000000000000000}, -1, false},
    {{0xcccccccccccccccc, 0xcccccccccccccccc, 0xcccccccccccccccc, 0xcccccccccccccccc}, -2, false},
};

// The bits of 2 / pi, the highest first, after 128 bits that are 0.
static const uint64_t two_over_pi[] = {
    0x0000000000000000, 0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab, 0xf0cfbc209af4361d, 0xa9e391615ee61b08, 0x6599855f14a06840,
    0x8dffd8804d732731, 0x06061556ca73a8cc,
};

#endif

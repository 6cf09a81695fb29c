/** Where this machine's registries of packages may be, if that is a private network: builds reach no other one. */
export const packageRanges = process.env.TEST_PACKAGE_RANGES ?? '203.0.113.0/24';

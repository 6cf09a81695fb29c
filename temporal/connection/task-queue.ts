/** The one task queue: every worker of an installation can do all there is to do. */
export const taskQueue = 'ballast';
